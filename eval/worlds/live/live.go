// Package live is the world in which attempts are really made: language models
// are asked and their answers verified as they come. It must not know how models
// are chosen.
package live

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/progrouter/progrouter/eval/solver"
	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/eval/verify"
	"github.com/progrouter/progrouter/research"
)

// Config of a world.
type Config struct {
	Name   string
	Tasks  []verify.Task
	Models []solver.Model
	// Priced gives what an attempt by each of the models is thought to cost, such
	// as the models of a world of records; a model that is not in it is left out.
	Priced   []trial.Model
	Check    solver.Checker
	Settings solver.Settings
	// Tell puts what the verifier said of the last attempt into the next one.
	Tell bool
}

// World asks models. One at a time.
type World struct {
	c      Config
	models []trial.Model
	ask    map[string]solver.Model
	tasks  map[string]verify.Task
	method string
}

var _ trial.World = (*World)(nil)

// spare is how much more than the dearest priced attempt one may cost: prompts
// that tell what failed are longer.
const spare = 1.3

// New makes a world of the models that are both connected and priced.
func New(c Config) (*World, error) {
	w := &World{c: c, ask: map[string]solver.Model{}, tasks: map[string]verify.Task{}, method: research.MethodCPU}
	for _, m := range c.Priced {
		at := slices.IndexFunc(c.Models, func(s solver.Model) bool { return s.Name == m.Name })
		if at < 0 {
			continue
		}
		w.ask[m.Name] = c.Models[at]
		m.Worst = more(m.Worst)
		kinds := map[string]trial.ModelKind{}
		for k, x := range m.Kinds {
			kinds[k] = trial.ModelKind{Prior: x.Prior, Worst: more(x.Worst)}
		}
		m.Kinds = kinds
		w.models = append(w.models, m)
	}
	for _, t := range c.Tasks {
		w.tasks[t.ID] = t
	}
	switch {
	case len(w.models) == 0:
		return nil, research.Errorf(research.EInvalid, "live_models", "None of the connected models is in the record, so nothing is known of what an attempt costs. Record some attempts first: bench --record FILE.")
	case len(w.tasks) == 0:
		return nil, research.Errorf(research.EInvalid, "live_tasks", "There is no task outside of the record.")
	}
	return w, nil
}

func more(c trial.Cost) trial.Cost {
	return trial.Cost{Units: spare * c.Units, Dollars: spare * c.Dollars, Seconds: spare * c.Seconds}
}

// Name of the world.
func (w *World) Name() string { return w.c.Name }

// Unit is the joule, as the gauges of the models give it.
func (w *World) Unit() trial.Unit { return trial.Unit{Symbol: "J", Method: w.method} }

// Models lists the candidates.
func (w *World) Models() []trial.Model { return slices.Clone(w.models) }

// Items lists the tasks.
func (w *World) Items() []trial.Item {
	out := make([]trial.Item, 0, len(w.c.Tasks))
	for _, t := range w.c.Tasks {
		out = append(out, trial.Item{ID: t.ID, Suite: t.Suite, Kind: t.Kind, Text: t.Prompt})
	}
	return out
}

// Attempt asks the model and verifies its answer.
func (w *World) Attempt(ctx context.Context, it trial.Item, model string, _ int, said string, r *rand.Rand) (trial.Outcome, error) {
	t, known := w.tasks[it.ID]
	m, connected := w.ask[model]
	if !known || !connected {
		return trial.Outcome{}, fmt.Errorf("%s by %s is not of this world", it.ID, model)
	}
	if !w.c.Tell {
		said = ""
	}
	a, err := solver.Ask(ctx, m, t, said, int64(r.Uint32()>>1), w.c.Settings)
	if err != nil {
		return trial.Outcome{}, err
	}
	out := trial.Outcome{
		Verdict: trial.Failed, Cut: a.Cut, Tokens: a.Tokens, Energy: a.Energy,
		Cost: trial.Cost{Units: research.OrZero(a.Energy.Joules).Units(), Seconds: a.Seconds},
	}
	if a.Failed != "" {
		return out, nil
	}
	if a.Energy.Joules == nil {
		return out, research.Errorf(research.EUnavailable, "live_gauge", "What %s used could not be measured. Run its server on this machine, outside of a container.", model).
			With(map[string]any{"Model": model})
	}
	v, err := w.c.Check.Check(ctx, t, a.Text)
	if err != nil {
		return out, fmt.Errorf("verify %s: %w", t.ID, err)
	}
	out.Verdict, out.Share, out.Said = v.Code, v.Share, v.Said
	return out, nil
}

// Chance is not known here.
func (w *World) Chance(trial.Item, string) (float64, bool) { return 0, false }
