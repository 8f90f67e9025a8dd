package router

import (
	"slices"

	"github.com/progrouter/progrouter/research"
)

// cascadeRule starts with the smallest tier and climbs one tier each time a step
// of the same role fails, finds nothing or stalls; it does not climb down again.
// Where the tier it has reached cannot take the step, the next smaller one that
// can does, else the next larger one.
type cascadeRule struct{ plain }

func (cascadeRule) choose(in *Input, t table) choice {
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
