package orchestrator

import (
	"context"
	"math"
	"slices"

	"github.com/progrouter/progrouter/research"
)

// Forecast is what a run will cost about, before it starts. Low and High span
// the cheapest and the dearest tier the policy may use; Expected weighs them.
// Minimum is what every role needs once at worst: a smaller budget is refused.
type Forecast struct {
	Low, Expected, High research.Cost
	Minimum             research.Cost
	Steps               int
}

// Forecaster estimates runs that do not exist yet.
type Forecaster struct {
	Agents Agents
	// Spent returns the mean realised cost of a model in a role, when there is
	// one; it overrules the estimate.
	Spent func(model string, role research.Role) (research.Cost, bool)
}

// smallShare is how much of a routed run the cheap tier takes in the forecast:
// the published runs send 80 to 91 % of calls to the smallest model.
const smallShare = 0.8

// Forecast estimates a run of this request.
func (f Forecaster) Forecast(ctx context.Context, r research.Request) Forecast {
	lim := research.LimitsFor(r.Depth)
	l := skeleton(r, lim)
	var out Forecast
	zero := research.Cost{Joules: research.Known(0), Dollars: research.Known(0)}
	out.Low, out.High = zero, zero
	for _, s := range shape(lim) {
		t := research.Task{Role: s.role, Ledger: l, Focus: s.focus(l), Limits: lim}
		low, high, ok := f.span(ctx, r.Policy, t)
		if !ok {
			continue
		}
		out.Steps += s.times
		for range s.times {
			out.Low, out.High = add(out.Low, low), add(out.High, high)
		}
	}
	out.Expected = blend(out.Low, out.High, expectedShare(r.Policy))
	out.Minimum = f.minimum(ctx, r, lim)
	return out
}

// shapeStep is how often a role works in a run without gaps.
type shapeStep struct {
	role   research.Role
	times  int
	oneSub bool
}

func (s shapeStep) focus(l *research.Ledger) []string {
	if s.oneSub && len(l.Plan.Subquestions) > 0 {
		return []string{l.Plan.Subquestions[0].ID}
	}
	return nil
}

func shape(lim research.Limits) []shapeStep {
	return []shapeStep{
		{role: research.Planner, times: 1},
		{role: research.Searcher, times: 1},
		{role: research.Reader, times: lim.Subquestions, oneSub: true},
		{role: research.Writer, times: 1},
		{role: research.Reviewer, times: 1},
	}
}

// span is the cheapest and the dearest expected cost of a task.
func (f Forecaster) span(ctx context.Context, p research.Policy, t research.Task) (low, high research.Cost, ok bool) {
	_, fixed := p.FixedTier()
	es := f.Agents.Estimates(ctx, t)
	standby := !fixed && !slices.ContainsFunc(es, func(e research.Estimate) bool { return e.Eligible && !e.Standby })
	for _, e := range es {
		if !e.Eligible || fixed && !served(p, es, e) || !fixed && e.Standby && !standby {
			continue
		}
		c := e.Expected
		if f.Spent != nil {
			if real, known := f.Spent(e.Model, t.Role); known {
				c = real
			}
		}
		if !ok || cheaper(c, low) {
			low = c
		}
		if !ok || cheaper(high, c) {
			high = c
		}
		ok = true
	}
	return low, high, ok
}

// minimum is the worst case of the shortest run that can find something: every
// role once, with the cheapest model the policy may use.
func (f Forecaster) minimum(ctx context.Context, r research.Request, lim research.Limits) research.Cost {
	l := skeleton(r, lim)
	sum := research.Cost{Joules: research.Known(0), Dollars: research.Known(0)}
	for _, s := range shape(lim) {
		t := research.Task{Role: s.role, Ledger: l, Focus: s.focus(l), Limits: lim}
		if c, ok := cheapestWorst(r.Policy, f.Agents.Estimates(ctx, t)); ok {
			sum = add(sum, c)
		}
	}
	return sum
}

// skeleton is the ledger of a run as it will look half-way.
func skeleton(r research.Request, lim research.Limits) *research.Ledger {
	l := &research.Ledger{Run: research.Run{Request: r}}
	for i := range lim.Subquestions {
		id := "q" + string(rune('1'+i))
		l.Plan.Subquestions = append(l.Plan.Subquestions, research.Subquestion{ID: id, Text: r.Question, Main: i == 0, Queries: []string{r.Question}})
		for range lim.PerQuestion {
			l.Hits = append(l.Hits, research.Hit{Subquestion: id})
		}
	}
	return l
}

func expectedShare(p research.Policy) float64 {
	switch p {
	case research.Random, research.OneShot: // one-shot takes any of them for the whole run
		return 1.0 / 3
	case research.ProgRouter, research.Cascade, research.Educated, research.Greedy:
		return 1 - smallShare
	}
	return 0
}

// blend is low + share·(high − low).
func blend(low, high research.Cost, share float64) research.Cost {
	mix := func(a, b *research.Micro) *research.Micro {
		if a == nil || b == nil {
			return nil
		}
		return research.Known(*a + research.Micro(share*float64(*b-*a)))
	}
	return research.Cost{
		Joules: mix(low.Joules, high.Joules), Dollars: mix(low.Dollars, high.Dollars),
		Seconds: low.Seconds + share*(high.Seconds-low.Seconds),
	}
}

// Widen raises joules and seconds that were left open to what one step of every
// role needs at worst with the models the policy may use: a slow model on this
// machine may need more than a depth's default. Dollars are never raised.
func (fc Forecast) Widen(asked, b research.Budget) research.Budget {
	if asked.Joules == nil && b.Joules != nil && fc.Minimum.Joules != nil && *b.Joules < *fc.Minimum.Joules {
		b.Joules = fc.Minimum.Joules
	}
	if asked.Seconds == nil && b.Seconds != nil && *b.Seconds < fc.Minimum.Seconds {
		s := math.Ceil(fc.Minimum.Seconds)
		b.Seconds = &s
	}
	return b
}

// CheckBudget refuses a budget that does not even allow one step and the
// report; the error names what is needed at least.
func (fc Forecast) CheckBudget(given research.Budget) error {
	if given.Joules != nil && fc.Minimum.Joules != nil && *given.Joules < *fc.Minimum.Joules {
		return tooSmall("joules", given.Joules.String()+" J", atLeast(fc.Minimum.Joules.Units())+" J")
	}
	if given.Dollars != nil && fc.Minimum.Dollars != nil && *given.Dollars < *fc.Minimum.Dollars {
		return tooSmall("dollars", "$"+given.Dollars.String(), "$"+atLeast(fc.Minimum.Dollars.Units()))
	}
	if given.Seconds != nil && *given.Seconds < fc.Minimum.Seconds {
		return tooSmall("seconds", format(*given.Seconds)+" s", atLeast(fc.Minimum.Seconds)+" s")
	}
	return nil
}

func format(v float64) string { return research.ToMicro(v).String() }

// atLeast writes an amount that suffices, rounded up to what is easily typed.
func atLeast(v float64) string {
	unit := 1.0
	for unit > 0.00001 && v < 100*unit {
		unit /= 10
	}
	return research.ToMicro(math.Ceil(v/unit) * unit).String()
}

func tooSmall(field, given, needed string) error {
	e := research.Errorf(research.EInvalid, "budget_too_small",
		"A budget of %s does not allow one step of every role: at least %s must be free, of which a run usually needs a small part. Give at least that much.", given, needed)
	e.Field = field
	return e.With(map[string]any{"Given": given, "Needed": needed})
}
