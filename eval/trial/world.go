// Package trial plays streams of tasks with a checkable answer: attempt, verify,
// try again until it is solved or the budget is spent. Before every attempt a
// policy picks the model. Where outcomes come from (live models, records,
// a simulation) is a World; the stream, the router and the predictor are the
// same for all of them. It must not know files of suites or servers of models.
package trial

import (
	"context"
	"math/rand/v2"

	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
)

// World is where attempts happen.
type World interface {
	Name() string
	// Unit is what costs are counted in. The router's joule fields carry it:
	// queue, allowance and budgets work the same for any unit.
	Unit() Unit
	Models() []Model
	Items() []Item
	// Attempt makes the n-th attempt of a run by this model (from 0, counted for
	// each model by itself). Chance comes from r alone, so that a seed repeats it:
	// r is fresh for every attempt and depends on the seed, the item, the model and
	// n, so that policies which ask the same model as often see the same outcome. A
	// world whose attempts hang together over n is a Reseeded one. said is what the
	// verifier said of the last attempt; worlds that play records ignore it.
	Attempt(ctx context.Context, it Item, model string, n int, said string, r *rand.Rand) (Outcome, error)
	// Chance is how likely a further attempt by the model is to solve the item, as
	// only a world can know. Nobody but the oracle may ask; false where a world
	// cannot tell.
	Chance(it Item, model string) (float64, bool)
}

// Reseeded is a world that arranges something once per seed, such as the order in
// which records are drawn without replacement. Each stream is played in the world
// that ForSeed gives for its seed; the same seed must give the same arrangement.
type Reseeded interface {
	World
	ForSeed(seed int) World
}

// Repeatable is implemented by worlds that may know no second chance. Where it
// is false the same model on the same item always comes to the same (recorded
// answers of hosted models), so a model that had its try is not eligible again.
// A world without it is repeatable.
type Repeatable interface {
	Repeatable() bool
}

// Drawn is a world whose attempts are drawn from a few that are known, so that
// one that failed makes the next more likely to be one that did not.
type Drawn interface {
	World
	// ChanceAfter is Chance where so many attempts by the model failed in the run.
	ChanceAfter(it Item, model string, failed int) (float64, bool)
}

// Staged is a world whose tasks are solved a stage at a time: what an attempt can
// bring depends on what was reached, which said tells.
type Staged interface {
	World
	// Foresee is the chance that the next attempt by the model gets on, and what it
	// comes to then (verdict and share). Like Chance it is for the oracle alone;
	// false where the world cannot tell.
	Foresee(it Item, model, said string) (chance float64, then Outcome, ok bool)
	// MaxAttempts is the number of attempts that a task of so many stages gets, and
	// Budget what ends no run before that.
	MaxAttempts() int
	Budget() Limit
}

// Unit names what is counted.
type Unit struct {
	Symbol string // J, m$ …
	// Method is an energy method (research.MethodCPU …) for joules, else empty.
	Method string
	// Simulated worlds say so wherever their figures go.
	Simulated bool
}

// Model is a candidate of every attempt.
type Model struct {
	Name string
	Tier research.Tier
	// Prior is what an attempt is thought to cost before any was seen, and Worst
	// the most it can; per kind of task where Kinds has it.
	Prior, Worst Cost
	Kinds        map[string]ModelKind
}

// ModelKind is a model's cost on one kind of task.
type ModelKind struct{ Prior, Worst Cost }

// Cost of an attempt in the world's unit, with dollars and seconds where known.
type Cost struct {
	Units   float64
	Dollars float64
	Seconds float64
}

// Item is a task as a policy may see it.
type Item struct {
	ID    string
	Suite string
	Kind  string // code, mathematics … what verifies it, not how hard it is
	Text  string // the task's words
}

// Verdicts of an attempt.
const (
	Passed  = progress.Passed
	Wrong   = progress.Wrong
	Partly  = progress.Partly
	Broken  = progress.Broken
	Syntax  = progress.Syntax
	Timeout = progress.Timeout
	Missing = progress.Missing
	Failed  = progress.Failed
)

// Outcome is what an attempt came to.
type Outcome struct {
	Verdict string
	Share   float64 // of the checks that passed; 1 when solved, less where a world calls a score solved
	Cut     bool    // the answer ended at its token limit
	Said    string  // what the verifier said, for a retry; may be empty
	Tokens  research.Tokens
	Cost    Cost
	// Energy is given by worlds that count joules.
	Energy research.Energy
}

// Solved reports whether the task is done.
func (o Outcome) Solved() bool { return o.Verdict == Passed }
