package web

import (
	"strconv"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web/say"
)

// step is a row of the timeline with its decision card.
func (p Page) step(l *research.Ledger, s research.Step, m Meter) StepView {
	v := StepView{
		Index: strconv.Itoa(s.Index), ID: "step-" + strconv.Itoa(s.Index), Number: s.Index + 1,
		Role: p.role(s.Role), RoleClass: word(string(s.Role)), Tier: p.tier(s.Tier), Model: s.Model,
		Outcome: p.outcome(s.Outcome), OutcomeClass: word(string(s.Outcome)),
		Reason: say.Reason(p.L, s), Note: p.note(s),
		Started: p.L.Clock(p.time(s.StartedAt)), StartedAt: s.StartedAt,
		Before: p.L.Number(s.ProgressBefore, 2), Decision: p.decision(s),
		Running: s.Outcome == research.InFlight,
	}
	if v.Running {
		v.Outcome, v.OutcomeClass = p.T("outcome.running"), "running"
		v.Seconds = p.L.Duration(p.Now.Sub(s.StartedAt))
		v.Joules, v.Dollars = Amount{Text: "…"}, Amount{Text: "…"}
		v.After, v.AfterValue = "…", s.ProgressBefore
	} else {
		v.Joules, v.Dollars = p.energy(s.Energy, m), p.money(s.Dollars)
		v.Seconds = p.L.Seconds(s.Seconds)
		v.After, v.AfterValue = p.L.Number(s.ProgressAfter, 2), s.ProgressAfter
		v.Gain = p.L.Signed(s.ProgressAfter-s.ProgressBefore, 2)
		v.Loss = s.ProgressAfter < s.ProgressBefore-0.005
		v.Router, v.Retrieval = p.joules(s.RouterJoules), p.joules(s.RetrievalJoules)
	}
	if t := s.Tokens; t.Input+t.Output+t.Reasoning > 0 {
		v.Tokens = p.T("step.tokens", "Input", p.L.Int(t.Input), "Cached", p.L.Int(t.Cached), "Output", p.L.Int(t.Output), "Reasoning", p.L.Int(t.Reasoning))
	}
	for _, id := range s.Focus {
		if q, ok := l.Subquestion(id); ok {
			v.Focus = append(v.Focus, q.Text)
		}
	}
	for _, a := range s.Actions {
		v.Actions = append(v.Actions, ActionView{p.L.Or("action."+a.Kind, a.Kind), say.Detail(p.L, a), p.L.Seconds(a.Seconds), say.Trouble(p.L, a), p.call(a.Call)})
	}
	return v
}

// note is what the step did; steps that said nothing get their outcome.
func (p Page) note(s research.Step) string {
	if text := say.Did(p.L, s); text != "" {
		return text
	}
	return p.outcome(s.Outcome)
}

// decision is the card: everything the router saw.
func (p Page) decision(s research.Step) DecisionView {
	d := s.Decision
	v := DecisionView{
		Sentence: say.Reason(p.L, s), Policy: p.policy(d.Policy), Chosen: d.Chosen,
		Explored: p.T("decision.exploited"), Propensity: p.L.Percent(d.Propensity, 1),
		Queue: p.L.Joules(d.Queue), Allowance: p.L.Joules(d.Allowance),
		Views: []Fact{
			{p.T("progress.g"), p.L.Number(d.Progress.G, 3)},
			{p.T("progress.regime"), p.L.Or("regime."+string(d.Progress.Regime), string(d.Progress.Regime))},
			{p.T("progress.completion"), p.L.Number(d.Progress.Completion, 3)},
			{p.T("progress.trend"), p.L.Signed(d.Progress.Trend, 3)},
			{p.T("progress.quality"), p.L.Number(d.Progress.Quality, 3)},
		},
		Spent: p.cost(d.Spent), Remaining: p.cost(d.Remaining),
	}
	if d.Explored {
		v.Explored = p.T("decision.explored")
	}
	v.PriorOnly = len(d.Candidates) > 0
	for _, c := range d.Candidates {
		v.Candidates = append(v.Candidates, p.candidate(c, d.Chosen))
		v.PriorOnly = v.PriorOnly && c.Predicted.Basis == "prior"
	}
	bars(v.Candidates, d.Candidates)
	if r := d.Realised; r != nil {
		v.Realised = append([]Fact{{p.T("decision.gain"), p.L.Signed(r.Gain, 3)}},
			p.cost(research.Cost{Joules: r.Joules, Dollars: r.Dollars, Seconds: r.Seconds})...)
	}
	return v
}

func (p Page) cost(c research.Cost) []Fact {
	return []Fact{
		{p.T("unit.joules"), p.joules(c.Joules)},
		{p.T("unit.dollars"), p.dollars(c.Dollars)},
		{p.T("unit.time"), p.L.Seconds(c.Seconds)},
	}
}

func (p Page) candidate(c research.Candidate, chosen string) CandidateView {
	v := CandidateView{
		Model: c.Model, Tier: p.tier(c.Tier), Chosen: c.Model == chosen, Eligible: c.Eligible,
		Structured: p.optional(c.Predicted.Structured), Semantic: p.optional(c.Predicted.Semantic), Gain: p.L.Number(c.Predicted.Gain, 3),
		Basis:  p.L.Or("basis."+c.Predicted.Basis, c.Predicted.Basis),
		Joules: p.joules(c.Expected.Joules), Dollars: p.dollars(c.Expected.Dollars), Seconds: p.L.Seconds(c.Expected.Seconds),
		WorstJoules: p.joules(c.Worst.Joules), WorstDollars: p.dollars(c.Worst.Dollars), WorstSeconds: p.L.Seconds(c.Worst.Seconds),
		StandIn: c.StandIn,
		Value:   p.L.Signed(c.Terms.Value, 3), QueueTerm: p.L.Signed(c.Terms.Queue, 3), EnergyTerm: p.L.Signed(c.Terms.Energy, 3),
		TimeTerm: p.L.Signed(c.Terms.Time, 3), DollarTerm: p.L.Signed(c.Terms.Dollars, 3), Score: p.L.Signed(c.Score, 3),
	}
	if g := c.Predicted.Gate; g != nil {
		v.Gate = p.L.Share(*g)
	}
	if c.Predicted.Structured != nil || c.Predicted.Semantic != nil {
		v.Prior = p.optional(c.Predicted.Prior)
	}
	if c.Attempts > 0 {
		v.Attempts = p.L.Short(c.Attempts)
	}
	if research.OrZero(c.Switching) > 0 {
		v.Switching = p.joules(c.Switching)
	}
	if b := c.Believed; b != nil {
		v.BelievedGain, v.BelievedCost = p.believed(*b)
	}
	if !c.Eligible {
		v.WhyNot = say.WhyNot(p.L, c)
	}
	return v
}

// believed is what a policy went by instead of the prediction and the estimate.
func (p Page) believed(b research.Belief) (gain, cost string) {
	gain = p.L.Number(b.Gain, 3)
	if b.Steps > 0 {
		gain += " · " + p.L.N("decision.believed_steps", int(b.Steps))
	}
	return gain, p.joules(b.Cost.Joules) + " · " + p.dollars(b.Cost.Dollars) + " · " + p.L.Seconds(b.Cost.Seconds)
}

// bars sets each candidate's predicted gain against the largest one.
func bars(views []CandidateView, cs []research.Candidate) {
	top := 0.0
	for _, c := range cs {
		top = max(top, c.Predicted.Gain)
	}
	for i, c := range cs {
		if top > 0 {
			views[i].Bar = max(0, c.Predicted.Gain) / top
		}
	}
}

// optional is a figure that may not be there, "" then.
func (p Page) optional(f *float64) string {
	if f == nil {
		return ""
	}
	return p.L.Number(*f, 3)
}
