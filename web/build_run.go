package web

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web/say"
)

// NewRunView builds the run page, the timeline page and the report.
func NewRunView(p Page, l *research.Ledger, in RunInput) RunView {
	r, t := l.Run, l.Totals()
	v := RunView{
		Page: p.titled(shorten(r.Question, 70)), ID: r.ID, Question: r.Question, Href: runHref(r.ID),
		Status: p.status(r.Status), StopReason: say.Stop(p.L, l), Facts: p.facts(r),
		Now: p.now(l, in.QueuePosition), Actions: p.actions(r, in.Raise), Notices: p.notices(r.Notices),
		Progress: p.progress(l, in.Progress),
		Joules:   p.total(t, in.Meter), Dollars: p.money(t.KnownDollars()),
		Seconds: Amount{Text: p.L.Seconds(t.Seconds), Known: true},
		Gauges:  p.gauges(r, t), Charts: p.runCharts(l),
		Report:   p.report(l),
		AskAgain: "/?again=" + url.QueryEscape(r.ID), CompareWith: "/compare?a=" + url.QueryEscape(r.ID),
	}
	v.Live = NewLiveView(p, in.Live)
	v.Queue = v.Now.Waiting
	if !r.Status.Final() {
		v.Stream = v.Href + "/events?after=" + strconv.FormatInt(in.Cursor, 10)
	}
	if grams := l.CarbonGrams(in.Meter.KgPerKWh); in.Meter.KgPerKWh > 0 && grams > 0 {
		v.Carbon = p.T("run.carbon", "Grams", p.L.Short(grams), "Intensity", p.L.Short(in.Meter.KgPerKWh))
	}
	v.WhatIf = p.whatIf(l)
	v.UnknownSteps = p.notInSum(t.UnknownSteps, t.UnpricedSteps)
	if v.Connect = !l.ChoseLanguageModel(); v.Connect {
		v.ModelNote = p.T("run.no_model")
	} else {
		v.ModelNote = p.modelsUsed(l)
	}
	for i := range l.Steps {
		v.Steps = append(v.Steps, p.step(l, l.Steps[i], in.Meter))
	}
	for _, f := range in.Formats {
		v.Exports = append(v.Exports, Link{p.L.Or("format."+strings.ReplaceAll(f, ".", "_"), f), v.Href + "/export?format=" + url.QueryEscape(f) + "&lang=" + url.QueryEscape(p.L.Lang())})
	}
	return v
}

// modelsUsed names the language models of a run with their roles, or says of one
// that has ended that all were asked in vain.
func (p Page) modelsUsed(l *research.Ledger) string {
	var names []string
	key := "run.models_used"
	for _, u := range l.ModelsUsed() {
		if strings.HasPrefix(u.Model, "embedded/") {
			key = "run.models_mixed"
			continue
		}
		roles := make([]string, len(u.Roles))
		for i, r := range u.Roles {
			roles[i] = p.role(r)
		}
		names = append(names, u.Model+" ("+strings.Join(roles, ", ")+")")
	}
	switch {
	case len(names) > 0:
		return p.T(key, "Models", strings.Join(names, ", "))
	case l.Run.Status.Final():
		return p.T("run.models_in_vain")
	}
	return ""
}

func (p Page) facts(r research.Run) []Fact {
	out := []Fact{
		{p.T("run.asked"), p.stamp(r.CreatedAt)},
		{p.T("run.depth"), p.depth(r.Depth)},
		{p.T("run.policy"), p.policy(r.Policy)},
		{p.T("run.language"), p.language(r.Language)},
		{p.T("run.searched"), p.searched(r)},
	}
	if r.FinishedAt != nil {
		out = append(out, Fact{p.T("run.finished"), p.stamp(*r.FinishedAt)})
	}
	return out
}

func (p Page) searched(r research.Run) string {
	var out []string
	if r.Library {
		out = append(out, p.T("run.where_library"))
	}
	if r.Web {
		out = append(out, p.T("run.where_web"))
	}
	if n := len(r.URLs); n > 0 {
		out = append(out, p.L.N("count.urls", n))
	}
	if len(out) == 0 {
		return p.T("run.where_nothing")
	}
	return strings.Join(out, ", ")
}

func (p Page) notices(stored []research.Note) []string {
	out := make([]string, len(stored))
	for i, n := range stored {
		out[i] = say.Note(p.L, n)
	}
	return out
}

// now is what is being worked on, or what the run waits for.
func (p Page) now(l *research.Ledger, queue int) NowView {
	v := NowView{Active: l.Run.Status == research.Running, Waiting: p.waiting(l.Run, queue)}
	for i := len(l.Steps) - 1; i >= 0; i-- {
		s := l.Steps[i]
		if s.Outcome == research.InFlight && v.Text == "" && v.Active {
			v.Text = p.T("now.step", "N", p.L.Int(s.Index+1), "Role", p.role(s.Role))
			v.Doing, v.Tier = p.T("now.doing."+string(s.Role)), p.tier(s.Tier)
			v.Since, v.Age = s.StartedAt, p.L.Duration(p.Now.Sub(s.StartedAt))
		}
		if failed(s.Outcome) && v.LastError == "" {
			v.LastError = p.T("now.last_error", "N", p.L.Int(s.Index+1), "Error", p.note(s))
			if s.FinishedAt != nil {
				v.LastAge = p.ago(*s.FinishedAt)
			}
		}
	}
	if v.Active && v.Text == "" {
		v.Text = p.T("now.between")
	}
	return v
}

func failed(o research.Outcome) bool {
	return o == research.OutcomeError || o == research.OutcomeInvalid || o == research.OutcomeInterrupted
}

func (p Page) waiting(r research.Run, queue int) string {
	switch {
	case r.CancelRequested && !r.Status.Final():
		return p.T("now.stopping")
	case r.PauseRequested && r.Status == research.Running:
		return p.T("now.pausing")
	case r.Status == research.Queued && queue == 1:
		return p.T("now.queued_next")
	case r.Status == research.Queued && queue > 1:
		return p.L.N("now.queued", queue-1)
	case r.Status == research.Queued:
		return p.T("now.queued_soon")
	case r.Status == research.Paused:
		return p.T("now.paused")
	}
	return ""
}

// CanRaise tells which runs go on with a higher budget.
func CanRaise(r research.Run) bool {
	return r.Status == research.Partial || r.Status == research.Paused
}

// RaiseFormFromValues reads the form as typed.
func RaiseFormFromValues(v url.Values) RaiseForm {
	return RaiseForm{Joules: v.Get("joules"), Dollars: v.Get("dollars"), Seconds: v.Get("seconds")}
}

// Values is the form as the run's page takes it in its address.
func (f RaiseForm) Values() url.Values {
	return url.Values{"raise": {"1"}, "joules": {f.Joules}, "dollars": {f.Dollars}, "seconds": {f.Seconds}}
}

func (p Page) actions(r research.Run, typed *RaiseForm) ActionsView {
	live := !r.Status.Final()
	v := ActionsView{
		Href:     runHref(r.ID),
		Pause:    (r.Status == research.Running || r.Status == research.Queued) && !r.PauseRequested && !r.CancelRequested,
		Resume:   r.Status == research.Paused && !r.CancelRequested,
		Cancel:   live && !r.CancelRequested,
		Stopping: live && r.CancelRequested, Pausing: r.Status == research.Running && r.PauseRequested,
		Delete: !live,
		Raise:  CanRaise(r),
		Budget: RaiseForm{Joules: plainMicro(r.Budget.Joules), Dollars: plainMicro(r.Budget.Dollars), Seconds: plainSeconds(r.Budget.Seconds)},
	}
	if typed != nil {
		v.RaiseOpen, v.Budget = true, *typed
	}
	return v
}

// progress is g with its views: as given, else as the last decision saw them
// with the g that its step reached.
func (p Page) progress(l *research.Ledger, given *research.ProgressView) ProgressView {
	var w research.ProgressView
	explain := p.T("progress.explain")
	if given != nil {
		w = *given
	} else if n := len(l.Steps); n > 0 {
		w = l.Steps[n-1].Decision.Progress
		if l.Steps[n-1].Outcome != research.InFlight {
			w.G, w.Regime = l.Steps[n-1].ProgressAfter, regimeAfter(l, w.Regime)
			explain += " " + p.T("progress.before_last")
		}
	} else {
		return ProgressView{G: "–", Regime: p.T("progress.not_started"), Explain: p.T("progress.explain")}
	}
	regime := p.L.Or("regime."+string(w.Regime), string(w.Regime))
	if l.Run.Status.Final() && (w.Regime == research.RegimeRecoverable || w.Regime == research.RegimeInvalid) {
		regime = p.T("progress.ended")
	}
	return ProgressView{
		G: p.L.Number(w.G, 2), Value: w.G, Explain: explain, Regime: regime,
		Views: []ProgressPart{
			{Name: p.T("progress.completion"), Value: p.L.Share(w.Completion), Note: p.T("progress.completion_note"), Share: w.Completion},
			{Name: p.T("progress.quality"), Value: p.L.Share(w.Quality), Note: p.T("progress.quality_note"), Share: w.Quality},
			{Name: p.T("progress.trend"), Value: p.L.Signed(w.Trend, 2), Note: p.T("progress.trend_note"), Share: w.Trend, Signed: true},
		},
	}
}

// regimeAfter is the regime once the last step is done: a complete run has its
// answer, whatever its last decision saw.
func regimeAfter(l *research.Ledger, before research.Regime) research.Regime {
	if l.Run.Status == research.Complete {
		return research.RegimeComplete
	}
	return before
}

// gauges are the budgets and what is spent of them.
func (p Page) gauges(r research.Run, t research.Totals) []Gauge {
	var out []Gauge
	if b := r.Budget.Joules; b != nil {
		out = append(out, p.gauge("unit.joules", t.Joules.Units(), b.Units(), p.L.Joules, r.Given.Joules == nil))
	}
	if b := r.Budget.Dollars; b != nil {
		out = append(out, p.gauge("unit.dollars", t.Dollars.Units(), b.Units(), p.L.Dollars, r.Given.Dollars == nil))
	}
	if b := r.Budget.Seconds; b != nil {
		out = append(out, p.gauge("unit.time", t.Seconds, *b, p.L.Seconds, r.Given.Seconds == nil))
	}
	return out
}

// used is a share of a budget as a percentage; a little is not nothing.
func (p Page) used(share float64) string {
	if share > 0 && share < 0.01 {
		return p.T("gauge.under_one")
	}
	return p.L.Share(share)
}

func (p Page) gauge(name string, spent, limit float64, format func(float64) string, byDefault bool) Gauge {
	g := Gauge{Name: p.T(name), Spent: format(spent), Limit: format(limit), Left: format(max(limit-spent, 0)), Level: "ok", Default: byDefault}
	if limit > 0 {
		g.Share = spent / limit
	}
	switch {
	case g.Share >= 0.95:
		g.Level = "full"
	case g.Share >= 0.8:
		g.Level = "near"
	}
	g.Percent = p.used(g.Share)
	return g
}
