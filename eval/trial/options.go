package trial

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/progrouter/progrouter/eval/stats"
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
)

// Options say what is played. The zero value of a field is its default.
type Options struct {
	Policies []research.Policy
	// Seeds of the streams: the order of the items, the outcomes and what the
	// policies draw. Seeds from 1 to 9 are the reported ones.
	Seeds []int
	// Allowance is Ẽ, units per run; by default AllowanceShare of what fixed-large
	// uses on the same streams.
	Allowance float64
	// Budget is the hard limit of a run in units and seconds; by default the world's
	// where it has one (Staged), else, for each kind of task, MaxAttempts of the
	// largest worst case: a smaller one would end runs of dear models earlier than
	// those of cheap ones, and so compare different patience.
	Budget Limit
	// MaxAttempts of a run; by default the world's where it has them (Staged), else
	// 3, as many as are recorded. Where each model answered once (Repeatable) it is 1, the setting of routers
	// of queries, which are not told whether an answer is right: with more, policies
	// that may not give up all end with the best answer there is and differ in cost
	// alone.
	MaxAttempts int
	// Limit takes a seeded sample of this many items per suite.
	Limit int
	// Split keeps one half of the items: stats.Development or stats.Reported.
	Split string
	// Stable is the share of a stream in which policies settle; what comes after
	// is the steady state. 0.3 by default.
	Stable float64
	// Sweep lists further allowances, as shares of what fixed-large uses, at which
	// the policies that route are played for their curve of quality over cost.
	Sweep []float64
	// Params of the score and the exploration; by default DefaultParams.
	Params router.Params
	// Embedder makes the vectors of the predictor's semantic path. Without one nothing
	// is learned but running means.
	Embedder progress.Embedder
	// Training of the predictor; nil is the product's.
	Training *progress.Config
	// Progress is told of every stream, and of every run where EveryRun is set.
	Progress io.Writer
	EveryRun bool
}

// Limit is a budget per run.
type Limit struct {
	Units   float64 `json:"units"`
	Seconds float64 `json:"seconds"`
}

// Defaults of the options.
const (
	AllowanceShare = 0.6
	maxAttempts    = 3
	settling       = 0.3
)

func (o Options) withDefaults() Options {
	if o.MaxAttempts <= 0 {
		o.MaxAttempts = maxAttempts
	}
	if o.Stable <= 0 || o.Stable >= 1 {
		o.Stable = settling
	}
	if len(o.Seeds) == 0 {
		o.Seeds = []int{1}
	}
	return o
}

// of takes what a world asks for where nothing else was said: its stages need so
// many attempts, or an answer that was recorded once is taken as it is.
func (o Options) of(w World) Options {
	if o.Params == (router.Params{}) {
		o.Params = DefaultParams(w)
	}
	if r, ok := w.(Repeatable); ok && !r.Repeatable() && o.MaxAttempts <= 0 {
		o.MaxAttempts = 1
	}
	staged, ok := w.(Staged)
	if !ok {
		return o
	}
	if o.MaxAttempts <= 0 {
		o.MaxAttempts = staged.MaxAttempts()
	}
	if o.Budget == (Limit{}) {
		o.Budget = staged.Budget()
	}
	return o
}

// limit is the budget of a run on a kind of task.
func (o Options) limit(models []Model, kind string) Limit {
	var worst Cost
	for _, m := range models {
		_, w := m.costs(kind)
		worst = Cost{Units: max(worst.Units, w.Units), Seconds: max(worst.Seconds, w.Seconds)}
	}
	n := float64(o.MaxAttempts)
	l := Limit{n * worst.Units, n * worst.Seconds}
	if o.Budget.Units > 0 {
		l.Units = o.Budget.Units
	}
	if o.Budget.Seconds > 0 {
		l.Seconds = o.Budget.Seconds
	}
	return l
}

// costs are what an attempt at a kind of task is thought to cost before any was
// seen, and the most it can.
func (m Model) costs(kind string) (prior, worst Cost) {
	if k, ok := m.Kinds[kind]; ok {
		return k.Prior, k.Worst
	}
	return m.Prior, m.Worst
}

// items lists what is played, before the order of a seed: of each suite the items
// of the split, and of those a seeded sample.
func (o Options) items(w World) []Item {
	var suites []string
	by := map[string][]Item{}
	for _, it := range w.Items() {
		if o.Split != "" && stats.SplitOf(it.ID) != o.Split {
			continue
		}
		if by[it.Suite] == nil {
			suites = append(suites, it.Suite)
		}
		by[it.Suite] = append(by[it.Suite], it)
	}
	var out []Item
	for _, s := range suites {
		list := by[s]
		if o.Limit > 0 && o.Limit < len(list) {
			chance("sample", s).Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
			list = list[:o.Limit]
		}
		out = append(out, list...)
	}
	return out
}

// inOrder is the stream of a seed: the same for every policy.
func inOrder(items []Item, seed int) []Item {
	out := slices.Clone(items)
	chance("order", strconv.Itoa(seed)).Shuffle(len(out), func(a, b int) { out[a], out[b] = out[b], out[a] })
	return out
}

// chance is a source of random numbers that depends on the names alone.
func chance(names ...string) *rand.Rand {
	h := fnv.New128a()
	for _, n := range names {
		_, _ = h.Write([]byte(n)) // never fails
		_, _ = h.Write([]byte{0})
	}
	var a, b uint64
	for i, x := range h.Sum(nil) {
		if i < 8 {
			a = a<<8 | uint64(x)
		} else {
			b = b<<8 | uint64(x)
		}
	}
	return rand.New(rand.NewPCG(a, b)) //nolint:gosec // reproducible, nothing secret
}
