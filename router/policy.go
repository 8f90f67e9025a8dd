package router

import (
	"slices"

	"github.com/progrouter/progrouter/research"
)

// choose applies the policy. An unknown policy routes like progrouter: a run
// with one does not get this far, because requests are validated.
func (in *Input) choose(t table) choice {
	if tier, ok := in.Policy.FixedTier(); ok {
		return fixed(t, tier)
	}
	switch {
	case len(t.eligible) == 0:
		return choice{index: -1, code: ReasonNothingFits}
	case len(t.eligible) == 1:
		return choice{index: t.eligible[0], propensity: 1, code: ReasonOnlyFits}
	}
	switch in.Policy {
	case research.Random:
		return in.draw(t)
	case research.Cascade:
		return in.cascade(t)
	}
	return in.epsilonGreedy(t)
}

// fixed takes the best-scored model of the tier, or none.
func fixed(t table, tier research.Tier) choice {
	if i := t.best(t.ofTier(tier)); i >= 0 {
		return choice{index: i, propensity: 1, code: ReasonFixed}
	}
	return choice{index: -1, code: ReasonTierUnavailable}
}

// draw is uniform over the eligible models.
func (in *Input) draw(t table) choice {
	n := len(t.eligible)
	if in.Rand == nil {
		return choice{index: t.eligible[0], propensity: 1, code: ReasonRandom}
	}
	return choice{
		index: t.eligible[in.Rand.IntN(n)], propensity: 1 / float64(n), explored: true, code: ReasonRandom,
	}
}

// epsilonGreedy takes the best score, and with probability ε any eligible model
// with equal chance, the best included; so the logged propensity is ε/n, plus
// 1 − ε for the best.
func (in *Input) epsilonGreedy(t table) choice {
	best, n := t.best(t.eligible), len(t.eligible)
	epsilon := 0.0
	if in.Rand != nil {
		epsilon = in.params().Epsilon(in.Decisions)
	}
	c := choice{index: best, code: ReasonBestValue}
	if t.cheapest(t.eligible) == best {
		c.code = ReasonCheapestEnough
	}
	if epsilon > 0 && in.Rand.Float64() < epsilon {
		c = choice{index: t.eligible[in.Rand.IntN(n)], explored: true, code: ReasonExplored}
	}
	c.propensity = epsilon / float64(n)
	if c.index == best {
		c.propensity += 1 - epsilon
	}
	return c
}

// cascade starts with the smallest tier and climbs one tier each time a step of
// the same role fails, finds nothing or stalls; it does not climb down again.
// Where the tier it has reached cannot take the step, the next smaller one that
// can does, else the next larger one.
func (in *Input) cascade(t table) choice {
	level, why := in.climbed()
	tiers := research.Tiers()
	order := append(backwards(tiers[:level+1]), tiers[level+1:]...)
	for _, tier := range order {
		if i := t.best(t.ofTier(tier)); i >= 0 {
			c := choice{index: i, propensity: 1, code: ReasonStartedSmall}
			switch {
			case why != nil && slices.Index(tiers, tier) < level:
				c.code, c.why = ReasonHeldBack, why
			case why != nil:
				c.code, c.why = ReasonEscalated, why
			}
			return c
		}
	}
	// Tiers beyond the three we know: take the best of what is there.
	return choice{index: t.best(t.eligible), propensity: 1, code: ReasonStartedSmall}
}

func backwards(tiers []research.Tier) []research.Tier {
	out := slices.Clone(tiers)
	slices.Reverse(out)
	return out
}

// climbed is the tier the cascade has reached for this role, as an index into
// Tiers, and the last step that made it climb.
func (in *Input) climbed() (level int, why *research.Step) {
	tiers := research.Tiers()
	for i := range in.Steps {
		s := &in.Steps[i]
		if s.Role != in.Role || !in.stalled(*s) {
			continue
		}
		if next := min(slices.Index(tiers, s.Tier)+1, len(tiers)-1); next > level {
			level, why = next, s
		}
	}
	return level, why
}

// stalled: interrupted and cancelled steps say nothing about the model.
func (in *Input) stalled(s research.Step) bool {
	switch s.Outcome {
	case research.OutcomeEmpty, research.OutcomeInvalid, research.OutcomeError:
		return true
	case research.OutcomeOK:
		return s.ProgressAfter-s.ProgressBefore < in.params().StallGain
	}
	return false
}
