package embedded

import (
	"sort"
	"strings"

	"github.com/progrouter/progrouter/retrieval/text"
)

// sentence is a quotable sentence of a page. Offsets count code points.
type sentence struct {
	page       *page
	start, end int
	clean      string
	item       bool
	leans      bool
	verb       bool
	heading    string
	set        termSet
	words      int
	prev       *sentence // the sentence before in the same paragraph, nil if none
	whole      bool      // quotable by itself
}

// surroundings are sentences read in context: under title and heading, between
// the sentences before and after. A sentence seldom says by itself what it is
// about.
func (p *pool) surroundings(of []*choice) []string {
	next := map[*sentence]*sentence{}
	for _, c := range p.picks {
		if c.prev != nil {
			next[c.prev] = c.sentence
		}
	}
	out := make([]string, len(of))
	for i, c := range of {
		t := c.clean
		if c.prev != nil {
			t = c.prev.clean + " " + t
		}
		if n := next[c.sentence]; n != nil {
			t += " " + n.clean
		}
		out[i] = c.page.source.Title + ". " + c.heading + ". " + t
	}
	return out
}

// window widens a passage to whole paragraphs, within reason.
func (p *page) window(start, end int) (int, int) {
	const most = 1500
	for n := 0; start > 0 && n < most && !p.blankAt(start); n++ {
		start--
	}
	for n := 0; end < len(p.runes) && n < most && !p.blankAt(end); n++ {
		end++
	}
	return start, end
}

// blankAt says whether a paragraph ends right before i.
func (p *page) blankAt(i int) bool {
	return i >= 2 && p.runes[i-1] == '\n' && p.runes[i-2] == '\n'
}

// sentencesIn returns the sentences that overlap a passage.
func (p *page) sentencesIn(start, end int, a *text.Analyzer) []*sentence {
	from, to := p.window(start, end)
	if !p.covered(from, to) {
		p.read = append(p.read, text.Span{Start: from, End: to})
		p.scan(from, to, a)
	}
	var out []*sentence
	for _, s := range p.found {
		if s.end > start && s.start < end {
			out = append(out, s)
		}
	}
	return out
}

func (p *page) covered(from, to int) bool {
	for _, w := range p.read {
		if w.Start <= from && to <= w.End {
			return true
		}
	}
	return false
}

// scan finds the sentences of a window that are not known yet.
func (p *page) scan(from, to int, a *text.Analyzer) {
	known := map[int]*sentence{}
	for _, s := range p.found {
		known[s.end] = s
	}
	var prev *sentence
	for _, sp := range text.Sentences(string(p.runes[from:to])) {
		sp.Start, sp.End = sp.Start+from, sp.End+from
		s := known[sp.End]
		if s == nil {
			s = p.sentence(sp, a)
			p.found = append(p.found, s)
		}
		if prev != nil && s.prev == nil && p.adjacent(prev.end, s.start) {
			s.prev = prev
		}
		prev = s
	}
	sort.Slice(p.found, func(a, b int) bool { return p.found[a].start < p.found[b].start })
}

func (p *page) sentence(sp text.Span, a *text.Analyzer) *sentence {
	n := p.skipFront(string(p.runes[sp.Start:sp.End]))
	sp.Start += n
	raw := string(p.runes[sp.Start:sp.End])
	clean := cleanQuote(raw)
	if n > 0 {
		clean = capitalise(clean)
	}
	s := &sentence{
		page: p, start: sp.Start, end: sp.End, clean: clean, item: sp.Item,
		leans: leans(clean), verb: hasVerb(clean), heading: p.headingAt(sp.Start), words: wordCount(clean),
		whole: quotable(raw, clean, sp.Item),
	}
	s.set = setOf(a.Terms(clean))
	if sp.Start == 0 && !s.whole && quotable(raw, capitalise(clean), sp.Item) {
		s.whole, s.leans = true, true // the text was cut out of a longer one
	}
	return s
}

// skipFront returns how many code points to leave out in front: a linking
// opener, or the page's title run into its first sentence.
func (p *page) skipFront(raw string) int {
	if n := skipOpener(raw); n > 0 {
		return n
	}
	if n := skipLabel(raw); n > 0 {
		return n
	}
	return skipTitle(raw, p.source.Title)
}

// adjacent says whether only white space within a paragraph lies between.
func (p *page) adjacent(from, to int) bool {
	if to < from || to-from > 60 {
		return false
	}
	gap := string(p.runes[from:to])
	return strings.Count(gap, "\n") < 2 && len(strings.TrimSpace(gap)) <= 26
}
