package simulated

import (
	"math"
	"testing"

	"github.com/progrouter/progrouter/research"
)

// best plays the policy that knows every chance and weighs a solved task as so
// many joules, exactly: backwards over attempts and stages.
func best(w *World, worth float64) (f figures) {
	n := float64(len(w.items))
	for _, it := range w.items {
		h := w.hidden[it.ID]
		// value and what follows at each stage, with so many attempts left.
		type ahead struct{ value, solved, joules float64 }
		now := [Stages + 1]ahead{Stages: {value: worth, solved: 1}}
		for range Attempts {
			next := now
			for s := range Stages {
				now[s].value = math.Inf(-1)
				for _, t := range research.Tiers() {
					p, e := logistic(w.logit(h, t, s)), w.ability[t].joules*dearer(h.difficulty)
					if v := p*next[s+1].value + (1-p)*next[s].value - e; v > now[s].value {
						now[s] = ahead{v, p*next[s+1].solved + (1-p)*next[s].solved, p*next[s+1].joules + (1-p)*next[s].joules + e}
					}
				}
			}
		}
		f.solved += now[0].solved / n
		f.joules += now[0].joules / n
	}
	return f
}

// Where the published router was, there is a policy here that is as good within
// its allowance; but for MATH-500, and that is said.
func TestThePublishedRouterIsWithinReach(t *testing.T) {
	t.Parallel()
	for _, r := range rows() {
		w := simulate(t, r.name, 400, 101)
		reached := figures{}
		for worth := 500.; worth < 1e6; worth *= 1.4 {
			if f := best(w, worth); f.joules <= r.allowance {
				reached = f
			}
		}
		least := best(w, 0)
		t.Logf("%s: published %.1f %% at %.0f J; within %.0f J %.1f %% can be had, at %.0f J; the least is %.0f J", r.name,
			100*r.routed.solved, r.routed.joules, r.allowance, 100*reached.solved, reached.joules, least.joules)
		switch {
		case r.floor == 0 && reached.solved < r.routed.solved:
			t.Errorf("%s: no policy comes to the published router's success", r.name)
		case r.floor > 0 && math.Abs(least.joules/r.floor-1) > 0.02:
			t.Errorf("%s: the least is %.0f J and said to be %.0f J", r.name, least.joules, r.floor)
		}
	}
}
