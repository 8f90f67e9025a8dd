package records

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/research"
)

// World replays records. It is made by New and does not change.
type World struct {
	name   string
	seed   int
	unit   trial.Unit
	models []trial.Model
	items  []trial.Item
	plays  map[pair][]Record
	notes  []string
}

var (
	_ trial.Reseeded = (*World)(nil)
	_ trial.Drawn    = (*World)(nil)
)

// pair is a model on a task.
type pair struct{ task, model string }

// Config says what is replayed.
type Config struct {
	Name string // "recorded" when empty
	// Text gives the words of a task by its id. Without it, or where it gives
	// none, the words are the suite and the kind, and Notes says so.
	Text func(id string) string
	// Suites and Models leave everything else out; nil takes all. Fewer models
	// may mean more tasks: one that lacks a model is left out.
	Suites, Models []string
}

// New makes a world of records. Tasks are in the order of their first record;
// those without a record of every model are left out, as are attempts that came
// to nothing because a server failed or whose joules are unknown. Notes counts
// them. Records that contradict each other are an error.
func New(list []Record, c Config) (*World, error) {
	w := &World{name: c.Name, plays: map[pair][]Record{}}
	if w.name == "" {
		w.name = "recorded"
	}
	kept := w.choose(list, c)
	if err := agree(kept); err != nil {
		return nil, broken(w.name, 0, err)
	}
	w.rank(kept)
	w.take(kept, c.Text)
	if len(w.items) == 0 {
		return nil, broken(w.name, 0, errors.New("no task has a record of every model"))
	}
	w.price()
	return w, nil
}

// choose leaves out what is not asked for and what cannot be played.
func (w *World) choose(list []Record, c Config) []Record {
	var kept []Record
	failed, unknown := 0, 0
	for _, r := range list {
		switch {
		case c.Suites != nil && !slices.Contains(c.Suites, r.Suite), c.Models != nil && !slices.Contains(c.Models, r.Model):
		case r.Verdict == trial.Failed:
			failed++
		case !r.Metered():
			unknown++
		default:
			kept = append(kept, r)
		}
	}
	w.noteIf(failed, "records are left out: the model's server failed.")
	w.noteIf(unknown, "records are left out: their joules are unknown.")
	return kept
}

// agree says where records contradict each other.
func agree(list []Record) error {
	keys, tiers, suites := map[Key]bool{}, map[string]research.Tier{}, map[string]Record{}
	for _, r := range list {
		if err := r.check(); err != nil {
			return fmt.Errorf("task %s, model %s: %w", r.Task, r.Model, err)
		}
		if keys[r.Key()] {
			return fmt.Errorf("attempt %d of %s on %s is recorded twice", r.Attempt, r.Model, r.Task)
		}
		keys[r.Key()] = true
		if t, ok := tiers[r.Model]; ok && t != r.Tier {
			return fmt.Errorf("%s is recorded as %s and as %s", r.Model, t, r.Tier)
		}
		tiers[r.Model] = r.Tier
		if s, ok := suites[r.Task]; ok && (s.Suite != r.Suite || s.Kind != r.Kind) {
			return fmt.Errorf("the task %s is of %s (%s) and of %s (%s)", r.Task, s.Suite, s.Kind, r.Suite, r.Kind)
		}
		suites[r.Task] = r
	}
	return nil
}

// take makes the items and the plays of each model on them.
func (w *World) take(list []Record, text func(string) string) {
	var tasks []Record // the first of each
	seen := map[string]bool{}
	for _, r := range list {
		if !seen[r.Task] {
			seen[r.Task] = true
			tasks = append(tasks, r)
		}
		at := pair{r.Task, r.Model}
		w.plays[at] = append(w.plays[at], r)
	}
	wordless, partial := 0, 0
	for _, r := range tasks {
		if !w.complete(r.Task) {
			partial++
			continue
		}
		it := trial.Item{ID: r.Task, Suite: r.Suite, Kind: r.Kind}
		if text != nil {
			it.Text = text(r.Task)
		}
		if it.Text == "" {
			wordless++
			it.Text = fmt.Sprintf("A task of %s, verified as %s.", r.Suite, r.Kind)
		}
		w.items = append(w.items, it)
	}
	w.noteIf(partial, "tasks are left out: not every model has a record of them.")
	w.noteIf(wordless, "tasks are played without their words, so that nothing can be learnt from the text.")
}

func (w *World) complete(task string) bool {
	return !slices.ContainsFunc(w.models, func(m trial.Model) bool { return len(w.plays[pair{task, m.Name}]) == 0 })
}

func (w *World) noteIf(n int, what string) {
	if n > 0 {
		w.notes = append(w.notes, strconv.Itoa(n)+" "+what)
	}
}

// ForSeed is the same world with its records drawn in the order of a seed.
func (w *World) ForSeed(seed int) trial.World {
	other := *w
	other.seed = seed
	return &other
}

// Name is the world's name.
func (w *World) Name() string { return w.name }

// Unit is the joule, by the method of the records.
func (w *World) Unit() trial.Unit { return w.unit }

// Models lists the recorded models, small first.
func (w *World) Models() []trial.Model { return slices.Clone(w.models) }

// Items lists the tasks.
func (w *World) Items() []trial.Item { return slices.Clone(w.items) }

// Notes tells what a reader of the figures must know.
func (w *World) Notes() []string { return slices.Clone(w.notes) }

// Attempt draws a record of the model on the item, its n-th in a run. The draw
// depends on the world's seed, the item, the model and n alone, so that every
// policy meets the same luck. Within a run the first draws are without replacement, in an order
// that the seed shuffles; further ones are with replacement.
func (w *World) Attempt(ctx context.Context, it trial.Item, model string, n int, _ string, _ *rand.Rand) (trial.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return trial.Outcome{}, err
	}
	plays := w.plays[pair{it.ID, model}]
	if len(plays) == 0 {
		return trial.Outcome{}, research.Errorf(research.ENotFound, "record_missing",
			"%s holds no attempt of %s on %s. Choose among the models and tasks of the records.", w.name, model, it.ID)
	}
	return plays[w.draw(it.ID, model, n, len(plays))].outcome(), nil
}

// draw chooses one of so many records.
func (w *World) draw(task, model string, n, of int) int {
	if 0 <= n && n < of {
		return w.rng(task, model, -1).Perm(of)[n]
	}
	return w.rng(task, model, n).IntN(of)
}

func (w *World) rng(task, model string, n int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q %d", task, model, n)
	return rand.New(rand.NewPCG(uint64(w.seed), h.Sum64())) //nolint:gosec // repeatable by design
}

func (r Record) outcome() trial.Outcome {
	known := func(joules float64) *research.Micro { return research.Known(research.ToMicro(joules)) }
	return trial.Outcome{
		Verdict: r.Verdict, Share: r.Share, Cut: r.Cut, Said: r.Said,
		Tokens: research.Tokens{Input: r.Tokens.Input, Output: r.Tokens.Output, Counted: "server"},
		Cost:   trial.Cost{Units: r.Joules, Seconds: r.Seconds},
		Energy: research.Energy{Joules: known(r.Joules), Low: known(r.Low), High: known(r.High), Method: r.Method},
	}
}

// Chance is the share of the model's records of the item that passed, which is
// the truth of the replay before any was drawn and so is not smoothed; of the model
// itself a few records are a rough estimate.
func (w *World) Chance(it trial.Item, model string) (float64, bool) {
	return w.ChanceAfter(it, model, 0)
}

// ChanceAfter is the same where so many draws of a run failed: what passed is among
// those that are left. When all were drawn and failed there is nothing to hope for.
func (w *World) ChanceAfter(it trial.Item, model string, failed int) (float64, bool) {
	plays := w.plays[pair{it.ID, model}]
	if len(plays) == 0 {
		return 0, false
	}
	passed := 0
	for _, r := range plays {
		if r.Verdict == trial.Passed {
			passed++
		}
	}
	return min(1, float64(passed)/float64(max(1, len(plays)-failed))), true
}
