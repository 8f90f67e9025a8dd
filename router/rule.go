package router

import "github.com/progrouter/progrouter/research"

// rule is what makes a policy: what it believes about a candidate, which parts of
// the score it looks at, and what it chooses of the scored candidates.
type rule interface {
	lens(in *Input) lens
	// believe is what the policy goes by instead of the prediction and the
	// estimate of this step; nil where it goes by those. p is the candidate's cost
	// with stand-ins for what is unknown.
	believe(in *Input, i int, p costs) *research.Belief
	// choose picks among the eligible candidates; there are two at least, but for
	// a fixed tier.
	choose(in *Input, t table) choice
}

// lens says which parts of the score (see terms) a policy leaves out.
type lens struct {
	blind     bool // to where the run stands: no (1 − g), nothing spent so far
	noQueue   bool // no term of the virtual queue
	noPenalty bool // no terms of the run's budgets
	once      bool // takes the step as if no other of its kind could follow
}

// ruleFor is the registry. An unknown policy routes like progrouter: a run with
// one does not get this far, because requests are validated.
func ruleFor(p research.Policy) rule {
	if tier, ok := p.FixedTier(); ok {
		return fixedRule{tier: tier}
	}
	switch p {
	case research.Cascade:
		return cascadeRule{}
	case research.OneShot:
		return oneShotRule{}
	case research.Educated:
		return educatedRule{}
	case research.Greedy:
		return greedyRule{}
	case research.Random:
		return randomRule{}
	case research.Oracle:
		return oracleRule{}
	case research.NoQueue:
		return scoreRule{lens{noQueue: true}}
	case research.NoPenalty:
		return scoreRule{lens{noPenalty: true}}
	}
	// The other ablations differ in what the caller predicts or reads as progress.
	return scoreRule{}
}

// plain looks at the whole score and believes the predictions.
type plain struct{}

func (plain) lens(*Input) lens { return lens{} }

func (plain) believe(*Input, int, costs) *research.Belief { return nil }

// scoreRule is progrouter: the best score, and now and then any model. Its lens
// makes it one of the ablations.
type scoreRule struct{ view lens }

func (r scoreRule) lens(*Input) lens { return r.view }

func (scoreRule) believe(*Input, int, costs) *research.Belief { return nil }

func (scoreRule) choose(in *Input, t table) choice {
	best := t.best(t.eligible)
	code := ReasonBestValue
	if t.cheapest(t.eligible) == best {
		code = ReasonCheapestEnough
	}
	return in.exploring(t, choice{index: best, code: code})
}

// fixedRule takes the best-scored model of a tier, or none.
type fixedRule struct {
	plain
	tier research.Tier
}

func (r fixedRule) choose(_ *Input, t table) choice {
	if i := t.best(t.ofTier(r.tier)); i >= 0 {
		return choice{index: i, propensity: 1, code: ReasonFixed}
	}
	return choice{index: -1, code: ReasonTierUnavailable}
}

// randomRule draws with equal chance.
type randomRule struct{ plain }

func (randomRule) choose(in *Input, t table) choice {
	n := len(t.eligible)
	if in.Rand == nil {
		return choice{index: t.eligible[0], propensity: 1, code: ReasonRandom}
	}
	return choice{
		index: t.eligible[in.Rand.IntN(n)], propensity: 1 / float64(n), explored: true, code: ReasonRandom,
	}
}

// oracleRule is progrouter with the true expected gain in place of the predicted
// one. It has nothing to explore.
type oracleRule struct{ plain }

func (oracleRule) believe(in *Input, i int, p costs) *research.Belief {
	if i >= len(in.Truth) {
		return nil
	}
	return &research.Belief{Gain: finite(in.Truth[i]), Cost: p.expected}
}

func (oracleRule) choose(_ *Input, t table) choice {
	c := choice{index: t.best(t.eligible), propensity: 1, code: ReasonTruth}
	if t.cs[c.index].Believed == nil { // nobody told it anything
		c.code = ReasonBestValue
	}
	return c
}
