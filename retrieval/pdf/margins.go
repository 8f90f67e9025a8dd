package pdf

import (
	"regexp"
	"strings"
)

var (
	rxDigits     = regexp.MustCompile(`\d+`)
	rxPageNumber = regexp.MustCompile(`(?i)^[-–—\[( ]*(?:page|seite|p\.)?\s*(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:/|of|von|sur)\s*\d{1,4})?[-–—\]) ]*$`)
)

// marginLines is how many lines at a page's top and bottom may be running
// heads and feet.
const marginLines = 2

// withoutMargins drops page numbers and the heads and feet that repeat from
// page to page.
func withoutMargins(pages [][]line) [][]line {
	seen := map[string]int{}
	for _, page := range pages {
		for _, i := range margin(page) {
			seen[marginKey(page[i].text)]++
		}
	}
	repeated := max(3, min(8, len(pages)/6)) // chapters have heads of their own
	out := make([][]line, len(pages))
	for p, page := range pages {
		drop := map[int]bool{}
		for _, i := range margin(page) {
			drop[i] = rxPageNumber.MatchString(page[i].text) || len(pages) > 2 && seen[marginKey(page[i].text)] >= repeated
		}
		for i, l := range page {
			if !drop[i] {
				out[p] = append(out[p], l)
			}
		}
	}
	return out
}

// margin lists the lines of a page that may be running heads and feet.
func margin(page []line) []int {
	deep := marginLines
	if len(page) < 3*marginLines {
		deep = 1
	}
	var out []int
	for i, l := range page {
		if (i < deep || i >= len(page)-deep) && len(l.text) <= 120 && !strings.HasSuffix(l.text, ".") {
			out = append(out, i)
		}
	}
	return out
}

func marginKey(s string) string { return strings.ToLower(rxDigits.ReplaceAllString(s, "#")) }

var rxFileTitle = regexp.MustCompile(`(?i)^(?:microsoft word|microsoft powerpoint|untitled|document\d*$|slide \d|layout \d)|\.(?:docx?|pptx?|tex|dvi|indd|pdf|odt|xlsx?|qxd)$`)

// pickTitle takes the title a file declares, unless a program made it up from
// a file name; else the largest line of the first page.
func pickTitle(meta string, pages [][]line) string {
	meta = strings.Join(strings.Fields(strings.Map(printable, meta)), " ")
	if letterCount(meta) >= 3 && !rxFileTitle.MatchString(meta) {
		return meta
	}
	if len(pages) == 0 {
		return ""
	}
	body := bodySize(pages)
	var best line
	var words []string
	for _, l := range pages[0] {
		switch {
		case !l.known || l.size < 1.15*body || letterCount(l.text) < 3:
		case l.size > best.size*1.02:
			best, words = l, []string{l.text}
		case l.size > best.size*0.98 && best.y-l.y < 2.2*l.size && len(words) < 3:
			words = append(words, l.text)
			best.y = l.y
		}
	}
	return strings.Join(words, " ")
}
