package router

import (
	"cmp"
	"math"

	"github.com/progrouter/progrouter/research"
)

// greedyRule takes the most expected progress per joule, ŷ/E, and explores like
// progrouter's rule. It is the paper's rule that fails: a cheap model looks best
// however little it brings. Where no energy is known it goes by dollars, then by
// seconds.
type greedyRule struct{ plain }

func (greedyRule) choose(in *Input, t table) choice {
	price := t.currency()
	best := t.eligible[0]
	for _, i := range t.eligible[1:] {
		if t.yield(i, best, price) > 0 {
			best = i
		}
	}
	return in.exploring(t, choice{index: best, code: ReasonGainPerCost})
}

// yield compares two candidates by gain per cost. Progress for nothing is better
// than any that costs; where no progress is expected, a ratio would favour the
// dearest, so the larger gain and then the cheaper model count.
func (t table) yield(a, b int, price func(research.Cost) float64) int {
	x, y := t.gain(a), t.gain(b)
	if x <= 0 || y <= 0 {
		return cmp.Or(cmp.Compare(x, y), -t.cheaper(a, b))
	}
	p, q := ratio(x, price(t.prices[a].expected)), ratio(y, price(t.prices[b].expected))
	return cmp.Or(cmp.Compare(p, q), cmp.Compare(x, y), -t.cheaper(a, b))
}

// ratio of a positive gain; what costs nothing yields without end.
func ratio(gain, cost float64) float64 {
	if !(cost > 0) {
		return math.Inf(1)
	}
	return gain / cost
}

// currency is what costs are compared in: joules where any are known, else
// dollars, else seconds. Unknown ones have stand-ins by then.
func (t table) currency() func(research.Cost) float64 {
	for _, p := range t.prices {
		if p.expected.Joules != nil {
			return func(c research.Cost) float64 { return research.OrZero(c.Joules).Units() }
		}
	}
	for _, p := range t.prices {
		if p.expected.Dollars != nil {
			return func(c research.Cost) float64 { return research.OrZero(c.Dollars).Units() }
		}
	}
	return func(c research.Cost) float64 { return c.Seconds }
}

// gain is what the policy expects of a candidate.
func (t table) gain(i int) float64 {
	if b := t.cs[i].Believed; b != nil {
		return b.Gain
	}
	return finite(t.cs[i].Predicted.Gain)
}
