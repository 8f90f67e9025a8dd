package pdf

import (
	"math"
	"regexp"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// compose puts the lines of all pages back together to paragraphs.
func compose(pages [][]line) string {
	pages = withoutMargins(pages)
	c := composer{body: bodySize(pages), words: vocabulary(pages)}
	for _, page := range pages {
		c.leading = leadingOf(page, c.body)
		c.right = rightEdge(page)
		for i, l := range page {
			if !rxLeader.MatchString(l.text) {
				c.add(l, i == 0)
			}
		}
	}
	c.flush()
	return strings.Join(c.blocks, "\n\n")
}

// composer gathers the current paragraph.
type composer struct {
	body    float64 // font size of running text
	leading float64 // distance of its lines on this page
	right   float64 // right edge of the text on this page
	words   map[string]bool
	blocks  []string
	cur     strings.Builder
	prev    line
	started bool
	indent  float64 // left edge of the current paragraph's second line
}

func (c *composer) add(l line, pageTop bool) {
	switch {
	case !c.started:
	case c.continues(l, pageTop):
		c.join(l)
		c.prev = l
		return
	default:
		c.flush()
	}
	c.cur.WriteString(l.text)
	c.prev, c.started, c.indent = l, true, l.x0
}

var (
	rxBullet  = regexp.MustCompile(`^(?:[•‣◦▪■●○∙·–—*-]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s+\S`)
	rxSection = regexp.MustCompile(`^(?:(?:Chapter|Section|Part|Appendix)\s+[\dA-Z]+|\d{1,2}(?:\.\d{1,2}){0,3}\.?)\s+\p{Lu}`)
)

// continues decides whether l belongs to the paragraph of the line before it.
func (c *composer) continues(l line, pageTop bool) bool {
	p := c.prev
	if strings.HasSuffix(p.text, divided) {
		return true
	}
	if rxBullet.MatchString(l.text) || rxSection.MatchString(l.text) && c.ended() {
		return false
	}
	if !l.known || !p.known {
		return !c.ended() || startsLower(l.text)
	}
	if math.Abs(l.size-p.size) > 0.08*p.size {
		// Small capitals, indices and code change the size within a sentence.
		return sameRow(p, l) || startsLower(l.text) && !c.ended() && !c.heading(p) && p.end-l.y < 1.6*c.leading
	}
	if sameRow(p, l) {
		return true
	}
	dy := p.end - l.y
	if pageTop || dy < 0 { // next page or column
		return !c.ended() && (startsLower(l.text) || c.full(p)) && !c.heading(p)
	}
	switch {
	case dy > 1.45*max(c.leading, p.size):
		return false
	case c.heading(p):
		return true
	case l.x0 > p.x0+0.8*l.size && !startsLower(l.text) && c.ended() && c.indent == p.x0:
		return false // first-line indent
	case c.ended() && !c.full(p):
		return false // a short last line
	}
	return c.full(p) || startsLower(l.text) || !c.short(p)
}

// sameRow reports lines on one baseline, raised and lowered ones included.
func sameRow(p, l line) bool { return math.Abs(p.end-l.y) < 0.75*max(p.size, l.size) }

// full reports a line that reaches the right edge of the text.
func (c *composer) full(p line) bool { return p.x1 >= c.right-0.12*(c.right-p.x0) }

// short reports a line far from full, as in titles, addresses and listings.
func (c *composer) short(p line) bool { return p.x1 < c.right-0.35*(c.right-p.x0) }

func (c *composer) heading(l line) bool {
	return l.known && c.body > 0 && l.size >= 1.15*c.body && utf8.RuneCountInString(l.text) < 200
}

// ended reports whether the paragraph so far ends like a sentence.
func (c *composer) ended() bool {
	s := strings.TrimRight(c.cur.String(), " )\"'”’»」』]")
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(".!?:;。！？…", r)
}

func startsLower(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r) || strings.ContainsRune(",;)", r)
}

// join appends a line to the paragraph.
func (c *composer) join(l line) {
	text := c.cur.String()
	last, _ := utf8.DecodeLastRuneInString(text)
	next, _ := utf8.DecodeRuneInString(l.text)
	switch {
	case strings.HasSuffix(c.prev.text, divided):
	case wide(last) && wide(next):
	case last == '-' && unicode.IsLower(next):
	default:
		c.cur.WriteByte(' ')
	}
	c.cur.WriteString(l.text)
}

// rxDivided is a word with a line end in it.
var rxDivided = regexp.MustCompile(`([^\s\x02]*)\x02\s*([^\s\x02]*)`)

// mend closes words that line ends divided. Compounds keep their hyphen where
// the document writes them with it elsewhere, or has it in them already.
func (c *composer) mend(text string) string {
	if !strings.Contains(text, divided) {
		return text
	}
	text = rxDivided.ReplaceAllStringFunc(text, func(word string) string {
		left, right, _ := strings.Cut(word, divided)
		right = strings.TrimSpace(right)
		left = strings.TrimRight(left, "-\u2010")
		whole, compound := key(left+right), key(left)+"-"+key(right)
		apart := c.words[key(left)] && c.words[key(right)] && len(left) > 3 && len(right) > 3
		if !c.words[whole] && (c.words[compound] || strings.Contains(left, "-") || apart) {
			return left + "-" + right
		}
		return left + right
	})
	return strings.ReplaceAll(text, divided, "")
}

func (c *composer) flush() {
	text := strings.Join(strings.Fields(c.mend(c.cur.String())), " ")
	c.cur.Reset()
	c.started = false
	if text == "" {
		return
	}
	switch {
	case c.heading(c.prev) && letterCount(text) > 1:
		text = c.level(c.prev) + text
	case rxBullet.MatchString(text) && strings.ContainsRune("•‣◦▪■●○∙·–—*-", mustRune(text)):
		_, n := utf8.DecodeRuneInString(text)
		text = "- " + strings.TrimSpace(text[n:])
	}
	c.blocks = append(c.blocks, text)
}

func (c *composer) level(l line) string {
	switch ratio := l.size / c.body; {
	case ratio >= 1.7:
		return "# "
	case ratio >= 1.35:
		return "## "
	}
	return "### "
}

// rxLeader finds entries of a table of contents.
var rxLeader = regexp.MustCompile(`(?:[.·…]\s?){4,}\s*[\divxlc]{1,5}$`)

func wide(r rune) bool {
	return r >= 0x3000 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff || r >= 0xff00 && r <= 0xffef
}

func mustRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

func letterCount(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// key is a word without the punctuation around it.
func key(s string) string {
	return strings.ToLower(strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}

func vocabulary(pages [][]line) map[string]bool {
	words := map[string]bool{}
	for _, page := range pages {
		for _, l := range page {
			for w := range strings.FieldsSeq(l.text) {
				if !strings.Contains(w, divided) {
					words[key(w)] = true
				}
			}
		}
	}
	return words
}

// bodySize is the font size that most characters have.
func bodySize(pages [][]line) float64 {
	chars := map[float64]int{}
	for _, page := range pages {
		for _, l := range page {
			if l.known {
				chars[math.Round(l.size*2)/2] += len(l.text)
			}
		}
	}
	best, most := 0.0, 0
	for size, n := range chars {
		if n > most || n == most && size < best {
			best, most = size, n
		}
	}
	return best
}

// leadingOf is the usual distance between neighbouring lines of a page.
func leadingOf(page []line, body float64) float64 {
	var gaps []float64
	for i := 1; i < len(page); i++ {
		if d := page[i-1].end - page[i].y; page[i].known && page[i-1].known && d > 0.5*body && d < 3*body {
			gaps = append(gaps, d)
		}
	}
	if len(gaps) == 0 {
		return 1.2 * body
	}
	sort.Float64s(gaps)
	return gaps[len(gaps)/2]
}

// rightEdge is where full lines end: the 90th percentile of line ends.
func rightEdge(page []line) float64 {
	var ends []float64
	for _, l := range page {
		if l.known {
			ends = append(ends, l.x1)
		}
	}
	if len(ends) == 0 {
		return 0
	}
	sort.Float64s(ends)
	return ends[len(ends)*9/10]
}
