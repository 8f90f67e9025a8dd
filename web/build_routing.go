package web

import (
	"strconv"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router/whatif"
	"github.com/progrouter/progrouter/web/reckon"
	"github.com/progrouter/progrouter/web/say"
)

const routingHref = "/dashboard/routing"

// NewRoutingView builds the routing page.
func NewRoutingView(p Page, in RoutingInput) RoutingView {
	v := RoutingView{
		Page: p.titled(p.T("routing.title")), Windows: p.windows(routingHref, in.Days),
		Savings: NewSavingsView(p, in.Period, in.Days), Learned: p.learned(in),
		Quality: p.quality(in.Learning.Quality), OneStep: p.oneStep(in.Targets),
	}
	v.Savings.More = ""
	return v
}

// windows are the periods that a page can show.
func (p Page) windows(path string, current int) []WindowLink {
	var out []WindowLink
	for _, days := range []int{7, 30, 90, 0} {
		l := Link{p.T("dashboard.all_time"), path + "?days=0"}
		if days > 0 {
			l = Link{p.L.N("dashboard.days", days), path + "?days=" + strconv.Itoa(days)}
		}
		out = append(out, WindowLink{l, days == current})
	}
	return out
}

// NewSavingsView builds what routing saved over a period.
func NewSavingsView(p Page, period reckon.Period, days int) SavingsView {
	query := "days=" + strconv.Itoa(days)
	v := SavingsView{Page: p, Empty: period.Steps == 0, More: routingHref + "?" + query}
	if v.Empty {
		return v
	}
	v.Sides = []SavingsSide{p.savingsSide(period.Savings.Large), p.savingsSide(period.Savings.Small)}
	v.Notes = []string{p.T("savings.estimate"), p.T("routing.covers", "Runs", p.L.Int(period.Runs), "Steps", p.L.Int(period.Steps))}
	if !period.Whole && period.From != nil {
		v.Notes = append(v.Notes, p.T("routing.newest", "Steps", p.L.Int(period.Steps), "From", p.stamp(*period.From)))
	}
	if period.Training > 0 {
		v.Notes = append(v.Notes, p.T("routing.training", "Joules", p.L.Joules(period.Training.Units())))
	}
	file := routingHref + "/savings?" + query + "&format="
	v.Downloads = []Link{{p.T("routing.csv"), file + "csv"}, {p.T("routing.json"), file + "json"}}
	return v
}

func (p Page) savingsSide(s whatif.Savings) SavingsSide {
	v := SavingsSide{
		Title: p.T("routing.against", "Tier", p.tier(s.Against).Label), Class: savingsClass(s), Sentence: p.savingsDetail(s),
		Figure: p.L.Joules(max(s.Saved, -s.Saved).Units()),
	}
	v.Word = p.T("routing." + v.Class)
	switch v.Class {
	case "nothing":
		v.Figure = "–"
	case "open":
		v.Figure = p.L.Joules(s.Saved.Units())
	}
	if v.Class == "saved" || v.Class == "lost" {
		v.Of = p.savingsShare(s)
	}
	return v
}

// savingsShare sets what was saved or lost against the alternative.
func (p Page) savingsShare(s whatif.Savings) string {
	if s.Share == nil {
		return ""
	}
	share := *s.Share
	switch {
	case share >= 0:
		return p.T("routing.less", "Share", p.L.Share(share))
	case share >= -1:
		return p.T("routing.over", "Share", p.L.Share(-share))
	}
	return p.T("routing.times", "Times", p.L.Short(1-share))
}

// savingsDetail says what is behind the figure.
func (p Page) savingsDetail(s whatif.Savings) string {
	text := ""
	switch savingsClass(s) {
	case "nothing":
		return say.Savings(p.L, s)
	case "lost":
		text = p.T("routing.saved_nothing") + " "
	}
	text += p.T("routing.took", "Spent", p.L.Joules(s.Spent.Units()), "Alternative", p.L.Joules(s.Alternative.Units()), "Router", p.L.Joules(s.Router.Units()))
	switch {
	case s.Low == s.High:
	case s.High < 0:
		text += " " + p.T("routing.between_more", "Low", p.L.Joules(-s.High.Units()), "High", p.L.Joules(-s.Low.Units()))
	default:
		text += " " + p.T("routing.between", "Range", say.SavingsRange(p.L, s))
	}
	if s.Unknown > 0 {
		text += " " + p.L.N("savings.unknown", s.Unknown)
	}
	return text
}

// learned is what the router has learned so far.
func (p Page) learned(in RoutingInput) LearnedView {
	st := in.Learning.State
	v := LearnedView{State: p.T("learned.cold", "Least", p.L.Int(in.FirstFit), "Samples", p.whole64(st.Samples))}
	trained := p.T("learned.never")
	if st.TrainedAt != nil && st.Through > 0 {
		v.State = p.T("learned.warm", "Through", p.whole64(st.Through))
		trained = p.T("learned.trained_at", "Ago", p.ago(*st.TrainedAt), "Through", p.whole64(st.Through))
	}
	v.Facts = []Fact{
		{p.T("learned.samples"), p.whole64(st.Samples)},
		{p.T("learned.trained"), trained},
		{p.T("learned.training"), p.L.Joules(st.TrainingJoules.Units())},
		{p.T("learned.decisions"), p.whole64(st.Decisions)},
		{p.T("learned.runs"), p.whole64(st.Runs)},
		{p.T("decision.queue"), p.L.Joules(st.Queue.Units())},
		{p.T("decision.allowance"), p.L.Joules(in.Allowance.Units())},
		{p.T("learned.epsilon"), p.L.Percent(in.Learning.Epsilon, 1)},
	}
	return v
}

func (p Page) whole64(n int64) string { return p.L.Number(float64(n), 0) }

// oneStep is the table of other rules.
func (p Page) oneStep(targets []reckon.Target) OneStepView {
	v := OneStepView{Empty: true}
	for _, t := range targets {
		v.Empty = v.Empty && t.Decisions == 0
		v.Rows = append(v.Rows, p.oneStepLine(t))
		v.Note = p.said(t.Note)
	}
	return v
}

// said is a sentence whose figures are written as the reader does, also in the
// language in which it is stored.
func (p Page) said(n research.Note) string {
	if n.Code != "" && p.L.Has("note."+n.Code) {
		n.Text = ""
	}
	return say.Note(p.L, n)
}

func (p Page) oneStepLine(t reckon.Target) OneStepLine {
	l := OneStepLine{
		Rule: p.L.Or("onestep."+t.Name, p.policy(research.Policy(t.Name))), Support: p.L.Share(t.Support),
		Recorded: t.Name == reckon.Recorded, Joules: p.T("unknown"),
	}
	if t.Why != nil {
		l.Why = p.said(*t.Why)
		return l
	}
	if g := t.Gain; g != nil {
		l.Gain, l.Count, l.Size = p.L.Signed(g.Mean, 3), p.L.Int(g.N), p.L.Number(g.ESS, 0)
		l.GainRange = p.T("onestep.interval", "Low", p.L.Signed(g.Low, 3), "High", p.L.Signed(g.High, 3))
	}
	if j := t.Joules; j != nil {
		l.Joules = p.L.Joules(j.Mean)
		l.JoulesRange = p.T("onestep.interval", "Low", p.L.Joules(j.Low), "High", p.L.Joules(j.High))
	}
	return l
}
