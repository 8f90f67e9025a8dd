package trial

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/progrouter/progrouter/research"
)

// desk is a made-up world: the words of a task tell which model solves it.
type desk struct {
	mu       sync.Mutex
	items    []Item
	models   []Model
	once     bool
	secret   bool // does not know its chances
	outcomes map[string]bool
}

// newDesk has n tasks: half are chores that the small model does as well as any,
// half are riddles that only the large one solves.
func newDesk(n int) *desk {
	w := &desk{outcomes: map[string]bool{}}
	cost := func(u float64) (Cost, Cost) {
		return Cost{Units: u, Dollars: u / 1000, Seconds: u / 10}, Cost{Units: 2 * u, Dollars: u / 500, Seconds: u / 5}
	}
	for _, m := range []struct {
		name  string
		tier  research.Tier
		units float64
	}{{"desk/small", research.Small, 10}, {"desk/medium", research.Medium, 40}, {"desk/large", research.Large, 100}} {
		prior, worst := cost(m.units)
		w.models = append(w.models, Model{Name: m.name, Tier: m.tier, Prior: prior, Worst: worst})
	}
	for i := range n {
		word := "chore sweep the floor and carry the bins out"
		if i%2 == 1 {
			word = "riddle prove the theorem about prime numbers"
		}
		w.items = append(w.items, Item{ID: fmt.Sprintf("t%03d", i), Suite: "desk", Kind: "words", Text: fmt.Sprintf("%s number %d", word, i)})
	}
	return w
}

func (w *desk) Name() string     { return "desk" }
func (w *desk) Unit() Unit       { return Unit{Symbol: "J", Method: research.MethodCPU, Simulated: true} }
func (w *desk) Models() []Model  { return w.models }
func (w *desk) Items() []Item    { return w.items }
func (w *desk) Repeatable() bool { return !w.once }

func (w *desk) Chance(it Item, model string) (float64, bool) {
	if w.secret {
		return 0, false
	}
	return w.chance(it, model), true
}

func (w *desk) chance(it Item, model string) float64 {
	riddle := strings.HasPrefix(it.Text, "riddle")
	switch {
	case model == "desk/large":
		return 0.95
	case !riddle:
		return 0.9
	case model == "desk/medium":
		return 0.1
	}
	return 0.02
}

func (w *desk) Attempt(_ context.Context, it Item, model string, n int, _ string, r *rand.Rand) (Outcome, error) {
	out := Outcome{Verdict: Wrong}
	if r.Float64() < w.chance(it, model) {
		out.Verdict, out.Share = Passed, 1
	}
	for _, m := range w.models {
		if m.Name == model {
			f := 0.5 + r.Float64()
			out.Cost = Cost{m.Prior.Units * f, m.Prior.Dollars * f, m.Prior.Seconds * f}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.outcomes[fmt.Sprint(it.ID, model, n, out.Cost.Units, out.Verdict)] = true
	return out, nil
}
