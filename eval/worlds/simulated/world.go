package simulated

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/research"
)

// World is one simulated benchmark. It is made by New and does not change.
type World struct {
	row     row
	seed    int
	tiers   map[string]research.Tier // of the models
	models  []trial.Model
	items   []trial.Item
	hidden  map[string]latent
	ability map[research.Tier]capacity
}

var _ trial.Staged = (*World)(nil)

// Names lists the benchmarks that can be simulated.
func Names() []string {
	var list []string
	for _, r := range rows() {
		list = append(list, r.name)
	}
	return list
}

// New simulates n tasks of a benchmark; 0 means as many as it was published for.
// The seed decides the tasks, the streams' own seeds the outcomes.
func New(name string, n, seed int) (*World, error) {
	for _, r := range rows() {
		if r.name == name {
			if n <= 0 {
				n = r.tasks
			}
			return build(r, n, seed), nil
		}
	}
	return nil, research.Errorf(research.EInvalid, "simulated_unknown",
		"There is no simulated benchmark %q. Choose among %s.", name, strings.Join(Names(), ", "))
}

func build(r row, n, seed int) *World {
	w := &World{row: r, seed: seed, tiers: map[string]research.Tier{}, hidden: map[string]latent{}, ability: capacities(r.name)}
	for _, t := range research.Tiers() {
		c, name := w.ability[t], "simulated-"+string(t)
		w.tiers[name] = t
		w.models = append(w.models, trial.Model{
			Name: name, Tier: t,
			Prior: trial.Cost{Units: rough(c.joules), Seconds: rough(c.seconds)},
			Worst: trial.Cost{Units: most * c.joules, Seconds: most * c.seconds},
		})
	}
	difficulty, wording := source(r.name, "difficulty", seed), source(r.name, "words", seed)
	for i, s := range draw(r, n, difficulty) {
		it := s.item(r, seed, i, wording)
		w.items = append(w.items, it)
		w.hidden[it.ID] = s.hidden
	}
	return w
}

// capacities are the fitted ones and the interpolated one between them.
func capacities(name string) map[research.Tier]capacity {
	s, l := fitted[name][research.Small], fitted[name][research.Large]
	between := func(a, b float64) float64 { return a * math.Pow(b/a, mediumCost) }
	return map[research.Tier]capacity{
		research.Small: s, research.Large: l,
		research.Medium: {s.ability + mediumAbility*(l.ability-s.ability), between(s.joules, l.joules), between(s.seconds, l.seconds)},
	}
}

// rough is a figure to two digits: what calibrating a model tells of its mean.
func rough(x float64) float64 {
	digit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return math.Round(x/digit) * digit
}

func source(name, what string, seed int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %s", name, what)
	return rand.New(rand.NewPCG(uint64(seed), h.Sum64())) //nolint:gosec // repeatable by design
}

// Name says that it is simulated.
func (w *World) Name() string { return "simulated " + w.row.name }

// Unit is the modelled, simulated joule.
func (w *World) Unit() trial.Unit {
	return trial.Unit{Symbol: "J", Method: research.MethodModel, Simulated: true}
}

// Models lists small, medium (interpolated) and large.
func (w *World) Models() []trial.Model { return slices.Clone(w.models) }

// Items lists the tasks, in an order without meaning.
func (w *World) Items() []trial.Item { return slices.Clone(w.items) }

// MaxAttempts is the number of attempts a task gets.
func (w *World) MaxAttempts() int { return Attempts }

// Budget is what MaxAttempts of the dearest attempts come to: with it nothing but
// the number of attempts ends a run, as in the workflow that the rows are fitted
// to.
func (w *World) Budget() trial.Limit {
	worst := w.models[len(w.models)-1].Worst
	return trial.Limit{Units: Attempts * worst.Units, Seconds: Attempts * worst.Seconds}
}

// Allowance is the published Ẽ, joules per task. On MATH-500 no policy can keep it
// here, see Notes.
func (w *World) Allowance() float64 { return w.row.allowance }

// Notes tells what a reader of the figures must know.
func (w *World) Notes() []string {
	r := w.row
	list := []string{
		fmt.Sprintf("Simulated: no model ran. With %d stages and at most %d attempts a task the small and the large model alone are calibrated to the published %.1f %% (%s) at %.0f J and %.1f s, and %.1f %% at %.0f J and %.1f s.",
			Stages, Attempts, 100*r.small.solved, r.measure, r.small.joules, r.small.seconds, 100*r.large.solved, r.large.joules, r.large.seconds),
		"The medium model is interpolated: two thirds of the way in ability, half of it in the logarithm of cost. Stages, spread of difficulty, noise and hints are assumptions.",
	}
	if floor := w.row.floor; floor > r.allowance {
		list = append(list, fmt.Sprintf("The published allowance is %.0f J; here even a policy that knew every chance would need about %.0f J a task, since a task is never given up.", r.allowance, floor))
	}
	return list
}

// Chance is the exact chance of getting the item's crux done, which decides it. A
// whole task takes several attempts, so what the next one does is Foresee's.
func (w *World) Chance(it trial.Item, model string) (float64, bool) {
	h, t, err := w.find(it, model)
	if err != nil {
		return 0, false
	}
	return logistic(w.logit(h, t, h.crux)), true
}

// Foresee is the exact chance that an attempt gets the next stage done, and what
// it comes to then. said is what the verifier said last.
func (w *World) Foresee(it trial.Item, model, said string) (chance float64, then trial.Outcome, ok bool) {
	h, t, err := w.find(it, model)
	done := reached(said)
	if err != nil || done >= Stages {
		return 0, trial.Outcome{}, false
	}
	return logistic(w.logit(h, t, done)), advance(done), true
}

func (w *World) find(it trial.Item, model string) (latent, research.Tier, error) {
	h, known := w.hidden[it.ID]
	t, ours := w.tiers[model]
	if !known || !ours {
		return h, t, research.Errorf(research.ENotFound, "simulated_missing",
			"%s knows no task %s or no model %s. Choose among its own.", w.Name(), it.ID, model)
	}
	return h, t, nil
}

// logit is the log-odds of getting a stage done.
func (w *World) logit(h latent, t research.Tier, stage int) float64 {
	if stage != h.crux {
		return routine(t) - ease*h.difficulty
	}
	return w.ability[t].ability - spread*h.difficulty + knack*h.knack[t]
}

// Attempt simulates one attempt at the next open stage of the item. How far it is
// stands in said, the verifier's words on the attempt before; other words, or
// none, are a fresh start.
func (w *World) Attempt(ctx context.Context, it trial.Item, model string, _ int, said string, r *rand.Rand) (trial.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return trial.Outcome{}, err
	}
	h, t, err := w.find(it, model)
	if err != nil {
		return trial.Outcome{}, err
	}
	// Drawn always and in one order, whatever comes of them.
	luck, fate, near, length, time := r.Float64(), r.Float64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
	done := min(reached(said), Stages-1)
	z := w.logit(h, t, done)
	out := advance(done)
	if luck >= logistic(z) {
		out = judge(w.row.kind, done, z, near, fate)
	}
	factor := dearer(h.difficulty) * lognormal(noise, length)
	out.Cut = factor > most && luck >= logistic(z)
	c := w.ability[t]
	out.Cost.Units = c.joules * min(most, factor)
	out.Cost.Seconds = c.seconds * min(most, factor*lognormal(pace, time))
	joules := research.Known(research.ToMicro(out.Cost.Units))
	out.Energy = research.Energy{Joules: joules, Low: joules, High: joules, Method: research.MethodModel}
	out.Tokens.Counted = "none"
	return out, nil
}

// lognormal has mean 1.
func lognormal(sigma, x float64) float64 { return math.Exp(sigma*x - sigma*sigma/2) }
