package router

import (
	"slices"

	"github.com/progrouter/progrouter/research"
)

// oneShotRule assesses the question once, when the run begins, and keeps what it
// chose for every step, in the way of MasRouter. The first choice explores like
// progrouter's, so that the outlook can be learned.
type oneShotRule struct{}

// lens: the first decision knows nothing but the question.
func (oneShotRule) lens(in *Input) lens { return lens{blind: in.keeps() == nil, once: true} }

func (oneShotRule) believe(in *Input, i int, p costs) *research.Belief {
	if in.keeps() != nil || i >= len(in.Outlook) {
		return nil
	}
	b := research.Belief{Gain: finite(in.Outlook[i]), Cost: p.expected}
	if i < len(in.OutlookCost) {
		b.Cost = known(in.OutlookCost[i], p.expected)
	}
	return &b
}

func (oneShotRule) choose(in *Input, t table) choice {
	first := in.keeps()
	if first == nil {
		return in.exploring(t, choice{index: t.best(t.eligible), code: ReasonAssessed})
	}
	for _, i := range t.eligible {
		if t.cs[i].Model == first.Decision.Chosen {
			return choice{index: i, propensity: 1, code: ReasonKept}
		}
	}
	for _, tier := range nearest(first.Tier) {
		if i := t.best(t.ofTier(tier)); i >= 0 {
			c := choice{index: i, propensity: 1, code: ReasonKept, why: first}
			if tier != first.Tier {
				c.code = ReasonNearest
			}
			return c
		}
	}
	return choice{index: t.best(t.eligible), propensity: 1, code: ReasonNearest, why: first}
}

// keeps is the step whose choice the run keeps; nil before there is one.
func (in *Input) keeps() *research.Step {
	for i := range in.Steps {
		if in.Steps[i].Tier != "" {
			return &in.Steps[i]
		}
	}
	return nil
}

// nearest are the tiers by their distance from one, the smaller first among
// equals.
func nearest(from research.Tier) []research.Tier {
	out := research.Tiers()
	at := slices.Index(out, from)
	if at < 0 {
		return out
	}
	away := func(t research.Tier) int {
		d := slices.Index(research.Tiers(), t) - at
		return max(d, -d)
	}
	slices.SortStableFunc(out, func(a, b research.Tier) int { return away(a) - away(b) })
	return out
}
