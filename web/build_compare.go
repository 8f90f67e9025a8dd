package web

import (
	"github.com/progrouter/progrouter/research"
)

// NewCompareView builds the comparison of two runs, or the picker when one of
// them is missing.
func NewCompareView(p Page, in CompareInput) CompareView {
	v := CompareView{Page: p.titled(p.T("compare.title"))}
	v.ChoicesA, v.ChoicesB = p.choices(in.Choices, in.A), p.choices(in.Choices, in.B)
	if in.A == nil || in.B == nil {
		return v
	}
	v.Ready, v.SameQuestion = true, in.A.Run.Question == in.B.Run.Question
	v.A, v.B = p.side(in.A, "a"), p.side(in.B, "b")
	v.Rows = []CompareGroup{p.costRows(in), p.qualityRows(in), p.workRows(in)}
	return v
}

func (p Page) choices(runs []research.RunSummary, chosen *research.Ledger) []Option {
	out := []Option{{"", p.T("compare.choose"), "", chosen == nil}}
	seen := chosen == nil
	for _, r := range runs {
		selected := chosen != nil && chosen.Run.ID == r.ID
		seen = seen || selected
		out = append(out, Option{r.ID, p.choice(r.Question, r.Policy, r.Depth), "", selected})
	}
	if !seen {
		r := chosen.Run
		out = append(out, Option{r.ID, p.choice(r.Question, r.Policy, r.Depth), "", true})
	}
	return out
}

func (p Page) choice(question string, policy research.Policy, depth research.Depth) string {
	return shorten(question, 60) + " · " + p.policy(policy) + " · " + p.depth(depth)
}

func (p Page) side(l *research.Ledger, id string) CompareSide {
	s := CompareSide{
		Question: l.Run.Question, Href: runHref(l.Run.ID), Status: p.status(l.Run.Status),
		Policy: p.policy(l.Run.Policy), Depth: p.depth(l.Run.Depth), When: p.stamp(l.Run.CreatedAt),
	}
	var done []research.Step
	for _, step := range l.Steps {
		if step.Outcome != research.InFlight {
			done = append(done, step)
		}
	}
	if len(done) > 0 {
		s.Share = []ChartView{p.shareChart("share-"+id, done)}
	}
	return s
}

// row compares two figures; better is 1 when more is better, −1 when less is
// and 0 when it is neither. Unknown figures are not compared.
// Amounts differ by a percentage, counts by a number.
func (p Page) row(key string, a, b *float64, format func(float64) string, better int, delta func(a, b float64) string) CompareRow {
	r := CompareRow{Label: p.T(key), A: p.T("unknown"), B: p.T("unknown")}
	if a != nil {
		r.A = format(*a)
	}
	if b != nil {
		r.B = format(*b)
	}
	if a == nil || b == nil || r.A == r.B { // what looks the same is not told apart
		return r
	}
	r.Delta = delta(*a, *b)
	if better != 0 {
		r.Better = "a"
		if (*b > *a) == (better > 0) {
			r.Better = "b"
		}
	}
	return r
}

func (p Page) costRows(in CompareInput) CompareGroup {
	a, b := in.A.Totals(), in.B.Totals()
	energyBetter := -1
	if a.UnknownSteps+b.UnknownSteps > 0 { // sums with gaps name no winner
		energyBetter = 0
	}
	dollarsBetter := -1
	if a.UnpricedSteps+b.UnpricedSteps > 0 {
		dollarsBetter = 0
	}
	return CompareGroup{p.T("compare.cost"), []CompareRow{
		p.row("unit.joules", knownJoules(a), knownJoules(b), p.L.Joules, energyBetter, p.relative),
		p.row("unit.dollars", known(a.KnownDollars()), known(b.KnownDollars()), p.L.Dollars, dollarsBetter, p.relative),
		p.row("unit.time", value(a.Seconds), value(b.Seconds), p.L.Seconds, -1, p.relative),
		p.row("compare.unknown", count(a.UnknownSteps), count(b.UnknownSteps), p.whole, 0, p.absolute),
	}}
}

func (p Page) relative(a, b float64) string {
	if a == 0 {
		return ""
	}
	return p.L.Signed((b/a-1)*100, 0) + "%"
}

func (p Page) absolute(a, b float64) string { return p.L.Signed(b-a, 0) }

func none(_, _ float64) string { return "" }

func (p Page) whole(v float64) string { return p.L.Number(v, 0) }

func value(v float64) *float64 { return &v }

func known(m *research.Micro) *float64 {
	if m == nil {
		return nil
	}
	return value(m.Units())
}

func count(n int) *float64 { return value(float64(n)) }

// knownJoules is nil when every step's energy is unknown.
func knownJoules(t research.Totals) *float64 {
	if t.Method == "" && t.UnknownSteps > 0 {
		return nil
	}
	return value(t.Joules.Units())
}

// quality figures of a report.
type quality struct{ claims, answering, quotes, cited, notFound int }

func qualityOf(l *research.Ledger) quality {
	q := quality{claims: len(l.Report.Claims), notFound: len(l.Report.NotFound)}
	quotes, sources := map[string]bool{}, map[string]bool{}
	for _, c := range l.Report.Claims {
		if c.Answers() {
			q.answering++
		}
		for _, id := range c.EvidenceIDs {
			if e, ok := l.EvidenceByID(id); ok {
				quotes[id], sources[e.SourceID] = true, true
			}
		}
	}
	q.quotes, q.cited = len(quotes), len(sources)
	return q
}

func (q quality) share() *float64 {
	if q.claims == 0 {
		return nil
	}
	return value(float64(q.answering) / float64(q.claims))
}

func (p Page) qualityRows(in CompareInput) CompareGroup {
	a, b := qualityOf(in.A), qualityOf(in.B)
	rows := []CompareRow{
		p.row("compare.answering", count(a.answering), count(b.answering), p.whole, 1, p.absolute),
		p.row("compare.answering_share", a.share(), b.share(), p.L.Share, 1, none),
		p.row("compare.quotes", count(a.quotes), count(b.quotes), p.whole, 1, p.absolute),
		p.row("compare.cited", count(a.cited), count(b.cited), p.whole, 1, p.absolute),
		p.row("compare.not_found", count(a.notFound), count(b.notFound), p.whole, 0, p.absolute),
	}
	return CompareGroup{p.T("compare.quality"), rows}
}

func (p Page) workRows(in CompareInput) CompareGroup {
	progress := func(l *research.Ledger) *float64 {
		if n := len(l.Steps); n > 0 {
			return value(l.Steps[n-1].ProgressAfter)
		}
		return nil
	}
	g := func(v float64) string { return p.L.Number(v, 2) }
	return CompareGroup{p.T("compare.work"), []CompareRow{
		p.row("progress.g", progress(in.A), progress(in.B), g, 1, func(a, b float64) string { return p.L.Signed(b-a, 2) }),
		p.row("compare.steps", count(len(in.A.Steps)), count(len(in.B.Steps)), p.whole, 0, p.absolute),
		p.row("compare.read", count(len(in.A.Sources)), count(len(in.B.Sources)), p.whole, 0, p.absolute),
		p.row("compare.discarded", count(len(in.A.Discarded)), count(len(in.B.Discarded)), p.whole, 0, p.absolute),
	}}
}
