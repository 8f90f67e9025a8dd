package extract

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// parsePlain reads plain text; lines that were wrapped at a fixed width are
// joined to paragraphs again, so that sentences can be quoted whole.
func parsePlain(in input) page {
	text := tidyLines(decode(in.data, in.mediaType))
	var blocks []string
	for block := range strings.SplitSeq(text, "\n\n") {
		blocks = append(blocks, unwrap(block))
	}
	text = strings.Join(blocks, "\n\n")
	return page{title: plainTitle(text), text: text, mediaType: "text/plain", published: dateInLines(text, underTitle+1, in.now)}
}

// tidyLines is tidy for input whose pages are divided by form feeds.
func tidyLines(s string) string { return tidy(strings.ReplaceAll(s, "\f", "\n\n")) }

var (
	rxItem    = regexp.MustCompile(`^\s*(?:[-*•·–]\s|\(?\d{1,3}[.)]\s|[A-Za-z][.)]\s|\|)`)
	rxColumns = regexp.MustCompile(`\S {3,}\S|\t\S`)
)

// unwrap joins the lines of a paragraph. Lists, tables, code and verse keep
// their lines: they are indented, itemised, in columns or short.
func unwrap(block string) string {
	lines := strings.Split(block, "\n")
	if len(lines) < 2 {
		return block
	}
	for i, l := range lines {
		if i > 0 && strings.HasPrefix(l, "    ") || rxColumns.MatchString(strings.TrimLeft(l, " ")) || strings.HasPrefix(l, "#") {
			return block
		}
		if last := i == len(lines)-1; !last && utf8.RuneCountInString(l) < 45 && !wideScript(l) && !rxItem.MatchString(lines[i+1]) {
			return block
		}
	}
	var b strings.Builder
	for i, l := range lines {
		item := rxItem.MatchString(l)
		l = strings.TrimSpace(l)
		switch {
		case i == 0:
		case item:
			b.WriteByte('\n')
		case strings.HasSuffix(b.String(), "-") && startsLower(l):
			// A hyphen at a line end stays: it may belong to the word.
		case wideEnd(b.String()) && wideStart(l):
		default:
			b.WriteByte(' ')
		}
		b.WriteString(l)
	}
	return b.String()
}

func startsLower(s string) bool { return s != "" && s[0] >= 'a' && s[0] <= 'z' }

// Chinese and Japanese lines join without a space; Korean has spaces.
func wideRune(r rune) bool {
	return r >= 0x3000 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff || r >= 0xff00 && r <= 0xffef
}
func wideEnd(s string) bool   { r, _ := utf8.DecodeLastRuneInString(s); return wideRune(r) }
func wideStart(s string) bool { r, _ := utf8.DecodeRuneInString(s); return wideRune(r) }
func wideScript(s string) bool {
	return utf8.RuneCountInString(s) >= 22 && len(s) > 2*utf8.RuneCountInString(s)
}

// plainTitle is a short first line that is not a sentence.
func plainTitle(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	first = strings.TrimSpace(strings.TrimLeft(first, "#=*- "))
	n := utf8.RuneCountInString(first)
	if n < 3 || n > 100 || strings.HasSuffix(first, ".") || strings.HasSuffix(first, "。") || strings.HasSuffix(first, ",") {
		return ""
	}
	return first
}
