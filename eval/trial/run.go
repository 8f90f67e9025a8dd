package trial

import (
	"slices"
	"strconv"

	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
)

// run is one item being worked on. The joule fields of the router carry the
// world's unit.
type run struct {
	item    Item
	budget  research.Budget
	spent   research.Cost
	tried   map[string]int // attempts per model
	history []progress.Attempt
	steps   []research.Step
	view    research.ProgressView
	said    string
	first   progress.Features // of the model that was chosen first
	row     Row
}

func (s *stream) begin(it Item) *run {
	l := s.options.limit(s.models, it.Kind)
	r := &run{
		item: it, tried: map[string]int{},
		budget: research.Budget{Joules: research.Known(research.ToMicro(l.Units)), Seconds: &l.Seconds},
		spent:  research.Cost{Joules: research.Known(0), Dollars: research.Known(0)},
		row:    Row{Policy: s.policy, Seed: s.seed, Suite: it.Suite, Item: it.ID, Kind: it.Kind},
	}
	r.view = s.score(r)
	return r
}

// take books an attempt.
func (r *run) take(d research.Decision, out Outcome) {
	c := chosen(d)
	units := research.ToMicro(out.Cost.Units)
	r.spent = research.Cost{
		Joules:  research.Add(r.spent.Joules, &units),
		Dollars: research.Add(r.spent.Dollars, research.Known(research.ToMicro(out.Cost.Dollars))),
		Seconds: r.spent.Seconds + out.Cost.Seconds,
	}
	if units > research.OrZero(c.Worst.Joules) || out.Cost.Seconds > c.Worst.Seconds {
		r.row.Beyond++
	}
	r.tried[d.Chosen]++
	r.said = out.Said
	r.history = append(r.history, progress.Attempt{Verdict: out.Verdict, Share: out.Share, Cut: out.Cut})
	r.steps = append(r.steps, research.Step{
		Index: len(r.steps), Role: progress.Solver, Tier: c.Tier, Model: d.Chosen, Outcome: outcome(out.Verdict),
		Seconds: out.Cost.Seconds, Dollars: research.Known(research.ToMicro(out.Cost.Dollars)), Energy: out.Energy,
		Tokens: out.Tokens, Reserved: c.Worst, ProgressBefore: r.view.G, Decision: d,
	})
	low, high := out.Cost.Units, out.Cost.Units
	if out.Energy.Low != nil && out.Energy.High != nil {
		low, high = out.Energy.Low.Units(), out.Energy.High.Units()
	}
	r.row.Units += out.Cost.Units
	r.row.Low += low
	r.row.High += high
	r.row.Dollars += out.Cost.Dollars
	r.row.Seconds += out.Cost.Seconds
	r.row.Solved = r.row.Solved || out.Solved()
	r.row.Share = max(r.row.Share, out.Share)
}

// outcome is how the step of an attempt ended: an answer that could be checked is
// one, right or wrong; how much it brought says the rest.
func outcome(verdict string) research.Outcome {
	switch verdict {
	case Passed, Partly, Wrong:
		return research.OutcomeOK
	case Missing:
		return research.OutcomeEmpty
	case Failed:
		return research.OutcomeError
	}
	return research.OutcomeInvalid // broken, no program, without end
}

// score is the progress of a run as the policy sees it. Without the multi-view
// scorer it is the share of milestones reached and nothing else.
func (s *stream) score(r *run) research.ProgressView {
	v := progress.ScoreAttempts(r.history, r.steps)
	if s.policy == research.NoScorer {
		return research.ProgressView{G: v.Completion, Completion: v.Completion}
	}
	return v
}

// input is what the router sees before an attempt, and each candidate's features.
func (s *stream) input(r *run) (router.Input, map[string]progress.Features) {
	in := router.Input{
		Policy: s.policy, Role: progress.Solver, Progress: r.view, Spent: r.spent, Budget: r.budget, Given: r.budget,
		Queue: s.queue, Allowance: s.allowance, Steps: r.steps, Decisions: s.decisions, Params: s.options.Params,
		Rand: chance("route", strconv.Itoa(s.seed), r.item.Suite, r.item.ID, strconv.Itoa(len(r.steps))),
	}
	if s.repeatable() {
		in.Again = s.options.MaxAttempts - len(r.steps)
	}
	features := make(map[string]progress.Features, len(s.models))
	task := progress.Task{Kind: r.item.Kind, Text: r.item.Text}
	for _, m := range s.models {
		f := progress.AttemptFeatures(task, r.history, r.steps, r.view, m.Name, m.Tier)
		features[m.Name] = f
		_, worst := m.costs(r.item.Kind)
		c := research.Candidate{
			Model: m.Name, Tier: m.Tier, Eligible: true, Predicted: s.attempts.current.Predict(f),
			Expected: charge(s.costs.expected(m, r.item.Kind)), Worst: charge(worst),
		}
		if r.tried[m.Name] > 0 && !s.repeatable() {
			c.Eligible, c.WhyCode = false, router.WhyUnable
			c.WhyNot = "It had its try, and would answer the same again."
		}
		in.Candidates = append(in.Candidates, c)
	}
	for n := 1; n < in.Again; n++ {
		row := make([]float64, len(s.models))
		for i, m := range s.models {
			row[i] = s.attempts.current.Predict(features[m.Name].AfterFailures(n)).Gain
		}
		in.After = append(in.After, row)
	}
	switch s.policy {
	case research.Educated:
		in.Stats = s.attempts.record()
	case research.OneShot:
		if len(r.steps) == 0 {
			in.Outlook, in.OutlookCost = s.outlook(r.item.Kind, features)
		}
	case research.Oracle:
		in.Truth = s.truth(r)
		s.plan.follow(r, in.Candidates)
	}
	return in, features
}

func (s *stream) repeatable() bool {
	w, ok := s.world.(Repeatable)
	return !ok || w.Repeatable()
}

// outlook is what whole runs with each model brought and cost so far, as the
// words of the task let expect it.
func (s *stream) outlook(kind string, features map[string]progress.Features) (gains []float64, costs []research.Cost) {
	for _, m := range s.models {
		gains = append(gains, s.runs.current.Predict(features[m.Name]).Gain)
		costs = append(costs, charge(s.runCosts.expected(m, kind)))
	}
	return gains, costs
}

// truth is each model's true expected gain: its chance of getting on times what
// that brings here, and of failing times what an answer that passes nothing brings
// here. Nil where the world cannot tell.
func (s *stream) truth(r *run) []float64 {
	failed := s.gainOf(r, progress.Attempt{Verdict: Wrong})
	var out []float64
	for _, m := range s.models {
		p, then, ok := foresee(s.world, r.item, m.Name, r.said, r.tried[m.Name])
		if !ok {
			return nil
		}
		out = append(out, p*s.gainOf(r, progress.Attempt{Verdict: then.Verdict, Share: then.Share})+(1-p)*failed)
	}
	return out
}

// foresee asks the world for the oracle: the chance that an attempt gets on, and
// what it comes to then, where so many by the model have failed. Where tasks have
// no stages it is solved.
func foresee(w World, it Item, model, said string, failed int) (float64, Outcome, bool) {
	solved := Outcome{Verdict: Passed, Share: 1}
	switch w := w.(type) {
	case Staged:
		return w.Foresee(it, model, said)
	case Drawn:
		p, ok := w.ChanceAfter(it, model, failed)
		return p, solved, ok
	}
	p, ok := w.Chance(it, model)
	return p, solved, ok
}

// gainOf is what an attempt would bring if it came to that.
func (s *stream) gainOf(r *run, a progress.Attempt) float64 {
	step := research.Step{Role: progress.Solver, Outcome: outcome(a.Verdict), ProgressBefore: r.view.G}
	return progress.ScoreAttempts(append(slices.Clone(r.history), a), append(slices.Clone(r.steps), step)).G - r.view.G
}

func charge(c Cost) research.Cost {
	return research.Cost{
		Joules: research.Known(research.ToMicro(c.Units)), Dollars: research.Known(research.ToMicro(c.Dollars)), Seconds: c.Seconds,
	}
}
