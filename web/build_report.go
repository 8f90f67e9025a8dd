package web

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web/say"
)

// reporter numbers the quotes of a report in the order a reader meets them, as
// the exports do, and builds its parts.
type reporter struct {
	Page
	l       *research.Ledger
	numbers map[string]int // evidence id → number
	places  int            // makes ids unique where a claim shows twice
}

func newReporter(p Page, l *research.Ledger) *reporter {
	b := &reporter{Page: p, l: l, numbers: map[string]int{}}
	for _, c := range l.Report.InOrder() {
		for _, id := range c.EvidenceIDs {
			if _, ok := l.EvidenceByID(id); ok && b.numbers[id] == 0 {
				b.numbers[id] = len(b.numbers) + 1
			}
		}
	}
	return b
}

func (p Page) report(l *research.Ledger) ReportView {
	b := newReporter(p, l)
	r := l.Report
	v := ReportView{
		Title: r.Title, Empty: b.empty(), Draft: b.draft(), NotFound: r.NotFound,
		Summary: b.claims(say.Summary(&r)), Sections: b.sections(), Sources: b.sources(), Discarded: b.discarded(),
		ClaimCount: p.L.N("count.claims", len(r.Claims)), SourceCount: p.L.N("count.sources", len(l.Sources)),
	}
	if v.Title == "" {
		v.Title = l.Run.Question
	}
	if len(r.Claims) == 0 {
		v.Tried = b.tried()
	}
	v.Verdicts = b.verdicts()
	return v
}

// empty says why there is no report yet; "" when there is one.
func (b *reporter) empty() string {
	if len(b.l.Report.Claims) > 0 {
		return ""
	}
	return b.L.Or("report.empty."+string(b.l.Run.Status), b.T("report.empty.running"))
}

func (b *reporter) draft() string {
	r := b.l.Report
	switch {
	case len(r.Claims) == 0 || b.l.Run.Status.Final():
		return ""
	case r.Reviewed:
		return b.T("report.draft_reviewed", "N", b.L.Int(r.Draft))
	}
	return b.T("report.draft", "N", b.L.Int(r.Draft))
}

func (b *reporter) tried() []string {
	out := make([]string, 0, len(b.l.Queries))
	for _, q := range b.l.Queries {
		s := b.L.N("report.tried", q.Results, "Query", q.Text, "Provider", say.Provider(b.L, q.Provider))
		if trouble := say.QueryTrouble(b.L, q); trouble != "" {
			s += " · " + trouble
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func (b *reporter) claims(ids []string) []ClaimView {
	var out []ClaimView
	for _, id := range ids {
		if c, ok := b.l.Report.Claim(id); ok {
			out = append(out, b.claim(c))
		}
	}
	return out
}

func (b *reporter) claim(c research.Claim) ClaimView {
	b.places++
	id := word(c.ID) + "-" + strconv.Itoa(b.places)
	text, last := splitLast(c.Text)
	v := ClaimView{ID: id, Text: text, Last: last, Marked: b.marked(c.Verdict), Verdict: b.verdict(c.Verdict), VerdictClass: verdictClass(c.Verdict), Note: c.Note}
	for _, eid := range c.EvidenceIDs {
		if e, ok := b.l.EvidenceByID(eid); ok {
			v.Cites = append(v.Cites, b.cite(c, e, id))
		}
	}
	return v
}

// marked tells which verdicts are shown beside the sentence: not the good ones,
// and not that a draft nobody has reviewed is not reviewed.
func (b *reporter) marked(v research.Verdict) bool {
	switch v {
	case research.Supported:
		return false
	case research.Unreviewed:
		return b.l.Report.Reviewed
	}
	return true
}

// splitLast cuts off the last word, so that it can stay on one line with the
// markers after it. Texts without a short last word are not cut.
func splitLast(s string) (text, last string) {
	i := strings.LastIndexByte(s, ' ')
	if i < 0 || len([]rune(s[i:])) > 24 {
		return s, ""
	}
	return s[:i+1], s[i+1:]
}

func (b *reporter) cite(c research.Claim, e research.Evidence, place string) CiteView {
	s, _ := b.l.SourceByID(e.SourceID)
	number := b.L.Int(b.numbers[e.ID])
	v := CiteView{
		ID: "cite-" + place + "-" + word(e.ID), Number: number,
		Label: b.T("report.cite_label", "N", number, "Title", title(s)),
		Quote: e.Quote, Title: title(s), URL: safeURL(s.URL), Shown: shownURL(s.URL), Heading: e.Heading,
		Fetched:  b.T("report.fetched", "When", b.stamp(s.FetchedAt)),
		Snapshot: b.snapshot(e.SourceID, e.ID),
		Verdict:  b.verdict(c.Verdict), VClass: verdictClass(c.Verdict),
	}
	if v.Heading == v.Title {
		v.Heading = ""
	}
	if n := len(c.Similar); n > 0 {
		v.Similar = b.L.N("report.similar", n)
	}
	return v
}

func (b *reporter) snapshot(source, evidence string) templ.SafeURL {
	href := runHref(b.l.Run.ID) + "/sources/" + word(source)
	if evidence != "" {
		href += "#" + word(evidence)
	}
	return templ.SafeURL(href)
}

func (b *reporter) sections() []SectionView {
	var out []SectionView
	placed := map[string]bool{}
	for _, s := range b.l.Report.Sections {
		var claims []research.Claim
		for _, id := range s.ClaimIDs {
			if c, ok := b.l.Report.Claim(id); ok && !placed[id] {
				placed[id] = true
				claims = append(claims, c)
			}
		}
		if len(claims) > 0 {
			out = append(out, SectionView{"section-" + strconv.Itoa(len(out)+1), s.Heading, b.paragraphs(claims)})
		}
	}
	// A claim outside every section and the summary would otherwise vanish.
	var rest []research.Claim
	for _, c := range b.l.Report.Claims {
		if !placed[c.ID] && !slices.Contains(b.l.Report.Summary, c.ID) {
			rest = append(rest, c)
		}
	}
	if len(rest) > 0 {
		out = append(out, SectionView{"section-rest", b.T("report.further"), b.paragraphs(rest)})
	}
	return out
}

// paragraphClaims is how many claims make a paragraph at most.
const paragraphClaims = 5

// paragraphs joins neighbours from one source under one attribution and puts
// contradicting claims side by side; the order is otherwise kept.
func (b *reporter) paragraphs(claims []research.Claim) []ParagraphView {
	var out []ParagraphView
	done, last := map[string]bool{}, ""
	for _, c := range claims {
		if done[c.ID] {
			continue
		}
		group := opponents(c, claims, done)
		for _, g := range group {
			done[g.ID] = true
		}
		if len(group) > 1 {
			v := ParagraphView{Versus: true}
			for _, g := range group {
				v.Claims = append(v.Claims, b.claim(g))
			}
			out, last = append(out, v), ""
			continue
		}
		source := b.sourceOf(c)
		n := len(out) - 1
		if n >= 0 && source == last && len(out[n].Claims) < paragraphClaims {
			out[n].Claims = append(out[n].Claims, b.claim(c))
		} else {
			v := ParagraphView{Claims: []ClaimView{b.claim(c)}}
			if s, ok := b.l.SourceByID(source); ok && source != last {
				v.Source = title(s)
			}
			out = append(out, v)
		}
		last = source
	}
	return out
}

// opponents is the claim and, after it, those that contradict it.
func opponents(c research.Claim, claims []research.Claim, done map[string]bool) []research.Claim {
	out := []research.Claim{c}
	for _, d := range claims {
		if d.ID != c.ID && !done[d.ID] && (slices.Contains(c.Contradicts, d.ID) || slices.Contains(d.Contradicts, c.ID)) {
			out = append(out, d)
		}
	}
	return out
}

func (b *reporter) sourceOf(c research.Claim) string {
	for _, id := range c.EvidenceIDs {
		if e, ok := b.l.EvidenceByID(id); ok {
			return e.SourceID
		}
	}
	return ""
}

// sources lists the cited ones first, by their first number.
func (b *reporter) sources() []SourceView {
	type entry struct {
		view  SourceView
		first int
	}
	var list []entry
	for _, s := range b.l.Sources {
		v, first := b.source(s)
		list = append(list, entry{v, first})
	}
	slices.SortStableFunc(list, func(x, y entry) int { return x.first - y.first })
	out := make([]SourceView, len(list))
	for i, e := range list {
		out[i] = e.view
	}
	return out
}

func (b *reporter) source(s research.Source) (SourceView, int) {
	var numbers []int
	for _, e := range b.l.Evidence {
		if n := b.numbers[e.ID]; n > 0 && e.SourceID == s.ID {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = b.L.Int(n)
	}
	first := 1 << 30
	if len(numbers) > 0 {
		first = numbers[0]
	}
	v := SourceView{
		ID: word(s.ID), Number: strings.Join(words, ", "), Title: title(s), URL: safeURL(s.URL), Shown: shownURL(s.URL),
		Fetched: b.T("report.fetched", "When", b.stamp(s.FetchedAt)), SHA256: s.SHA256,
		Quotes: b.L.N("count.quotes", len(numbers)), Snapshot: b.snapshot(s.ID, ""), Cited: len(numbers) > 0,
	}
	if s.Published != "" {
		v.Published = b.T("report.published", "When", s.Published)
	}
	return v, first
}

func (b *reporter) discarded() []DiscardedView {
	var out []DiscardedView
	for _, d := range b.l.Discarded {
		out = append(out, DiscardedView{safeURL(d.URL), shownURL(d.URL), say.Discarded(b.L, d)})
	}
	return out
}

// verdicts counts the claims by verdict, the best first.
func (b *reporter) verdicts() []LegendItem {
	count := map[research.Verdict]int{}
	for _, c := range b.l.Report.Claims {
		count[c.Verdict]++
	}
	var out []LegendItem
	for _, v := range []research.Verdict{research.Supported, research.Weak, research.Contradicted, research.Unsupported, research.Unreviewed} {
		if count[v] > 0 {
			out = append(out, LegendItem{verdictClass(v), b.verdict(v), b.L.Int(count[v])})
		}
	}
	return out
}

// NewSnapshotView builds the page of a stored source; false when there is none.
func NewSnapshotView(p Page, l *research.Ledger, sourceID string) (SnapshotView, bool) {
	s, ok := l.SourceByID(sourceID)
	if !ok {
		return SnapshotView{}, false
	}
	b := newReporter(p, l)
	view, _ := b.source(s)
	return SnapshotView{
		Page: p.titled(view.Title), Run: Link{l.Run.Question, runHref(l.Run.ID)},
		Source: view, Blocks: snapshotBlocks(s, l.Evidence),
	}, true
}
