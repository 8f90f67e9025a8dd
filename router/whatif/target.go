package whatif

import (
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
)

// Target decides anew: it gives the chance with which each of the logged
// candidates would have been taken, in their order. Chances sum to 1; nil says
// that the target has no choice to make here.
type Target func(Logged) []float64

// Always takes the best-scored eligible model of a tier.
func Always(tier research.Tier) Target {
	return func(l Logged) []float64 {
		best := -1
		for _, i := range l.eligible() {
			c := l.Decision.Candidates
			if c[i].Tier == tier && (best < 0 || c[i].Score > c[best].Score) {
				best = i
			}
		}
		return l.surely(best)
	}
}

// Chosen takes what was taken.
func Chosen() Target {
	return func(l Logged) []float64 { return l.surely(l.chosen()) }
}

// Logging decides as the logged policy did: the choice has its own chance, and the
// others, about which only their sum is stored, share the rest.
func Logging() Target {
	return func(l Logged) []float64 {
		chosen, eligible := l.chosen(), l.eligible()
		if chosen < 0 {
			return nil
		}
		out := make([]float64, len(l.Decision.Candidates))
		for _, i := range eligible {
			if i != chosen {
				out[i] = (1 - l.Decision.Propensity) / float64(len(eligible)-1)
			}
		}
		out[chosen] = l.Decision.Propensity
		return out
	}
}

// ByPolicy lets a policy decide with other parameters, without exploring, by what
// is stored in the decision. The reserve is not stored; what was eligible then is
// eligible now. Policies that need more than one decision (a cascade's earlier
// steps, a record, the outlook of a run) cannot be asked and are refused.
func ByPolicy(p research.Policy, params router.Params) (Target, error) {
	_, fixed := p.FixedTier()
	switch {
	case fixed, p == research.ProgRouter, p == research.Greedy, p == research.NoQueue, p == research.NoPenalty:
	case p == research.Random:
		return evenly, nil
	default:
		return nil, research.Errorf(research.EInvalid, "whatif_policy",
			"The policy %s cannot be asked what it would have done in a single stored step. Choose progrouter, greedy, random or a fixed tier.", p).
			With(map[string]any{"Value": string(p)})
	}
	return func(l Logged) []float64 {
		d := router.Decide(again(l, p, params))
		l.Decision.Chosen = d.Chosen
		return l.surely(l.chosen())
	}, nil
}

// again is the input of a stored decision, as far as it is stored.
func again(l Logged, p research.Policy, params router.Params) router.Input {
	d := l.Decision
	in := router.Input{
		Policy: p, Role: l.Role, Progress: d.Progress, Candidates: d.Candidates, Spent: d.Spent,
		Queue: research.ToMicro(d.Queue), Allowance: research.ToMicro(d.Allowance), Params: params,
		Budget: research.Budget{
			Joules: research.Add(d.Remaining.Joules, known(d.Spent.Joules)), Dollars: research.Add(d.Remaining.Dollars, known(d.Spent.Dollars)),
		},
	}
	if d.Remaining.Seconds < research.NoLimitSeconds {
		s := d.Remaining.Seconds + max(0, d.Spent.Seconds)
		in.Budget.Seconds = &s
	}
	return in
}

func known(m *research.Micro) *research.Micro { return research.Known(max(0, research.OrZero(m))) }

func evenly(l Logged) []float64 {
	eligible := l.eligible()
	out := make([]float64, len(l.Decision.Candidates))
	for _, i := range eligible {
		out[i] = 1 / float64(len(eligible))
	}
	return out
}

// surely is the distribution of one candidate; nil for none.
func (l Logged) surely(i int) []float64 {
	if i < 0 {
		return nil
	}
	out := make([]float64, len(l.Decision.Candidates))
	out[i] = 1
	return out
}
