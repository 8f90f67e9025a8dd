package records

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/research"
)

// recorded are three attempts of two models on each of so many tasks. Costs tell
// the attempts apart. The small one solves in its last attempt only.
func recorded(tasks int) []Record {
	var list []Record
	for i := range tasks {
		for n := range 3 {
			verdict := trial.Wrong
			if n == 2 {
				verdict = trial.Passed
			}
			small := attempt(fmt.Sprint("t", i), "s", n, verdict)
			small.Joules = float64(10*i + n + 1)
			large := attempt(fmt.Sprint("t", i), "l", n, trial.Passed)
			large.Tier, large.Joules = research.Large, 1000+small.Joules
			list = append(list, large, small)
		}
	}
	return list
}

func world(t *testing.T, list []Record, c Config) *World {
	t.Helper()
	w, err := New(list, c)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestWorld(t *testing.T) {
	t.Parallel()
	w := world(t, recorded(12), Config{Text: func(id string) string { return "words of " + id }})
	if w.Name() != "recorded" || w.Unit() != (trial.Unit{Symbol: "J", Method: research.MethodCPU}) {
		t.Errorf("%s in %+v", w.Name(), w.Unit())
	}
	if len(w.Items()) != 12 || w.Items()[3] != (trial.Item{ID: "t3", Suite: "mini", Kind: "code", Text: "words of t3"}) {
		t.Errorf("items %+v", w.Items())
	}
	m := w.Models()
	if len(m) != 2 || m[0].Name != "s" || m[1].Tier != research.Large {
		t.Errorf("models %+v", m)
	}
	out, err := w.Attempt(t.Context(), w.Items()[0], "s", 0, "", nil)
	if err != nil || out.Energy.Joules.Units() != out.Cost.Units || out.Energy.Method != research.MethodCPU ||
		out.Energy.Low.Units() != 5 || out.Cost.Seconds != 2 || out.Tokens.Output != 50 || out.Said == "" {
		t.Errorf("%+v, %v", out, err)
	}
	if p, ok := w.Chance(w.Items()[0], "s"); !ok || math.Abs(p-1./3) > 1e-9 {
		t.Errorf("chance %v, %v", p, ok)
	}
	if len(w.Notes()) != 0 {
		t.Errorf("notes %v", w.Notes())
	}
}

// A seed decides the order, and nothing else does.
func TestDraws(t *testing.T) {
	t.Parallel()
	w := world(t, recorded(12), Config{})
	costs := func(w trial.World, model string, item, n int) []float64 {
		var list []float64
		for k := range n {
			out, err := w.Attempt(t.Context(), w.Items()[item], model, k, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, out.Cost.Units)
		}
		return list
	}
	orders, repeats := map[string]bool{}, map[float64]int{}
	for seed := range 40 {
		first := costs(w.ForSeed(seed), "s", 0, 60)
		costs(w.ForSeed(seed), "l", 0, 3) // another model in between changes nothing
		if !slices.Equal(first, costs(w.ForSeed(seed), "s", 0, 60)) {
			t.Fatalf("seed %d: another order the second time", seed)
		}
		three := slices.Sorted(slices.Values(first[:3]))
		if !slices.Equal(three, []float64{1, 2, 3}) {
			t.Fatalf("seed %d: the first three attempts are %v", seed, first[:3])
		}
		orders[fmt.Sprint(first[:3])] = true
		for _, c := range first[3:] {
			repeats[c]++
		}
	}
	if len(orders) != 6 {
		t.Errorf("%d orders of three records in 40 seeds", len(orders))
	}
	for c := 1.; c <= 3; c++ { // 760 expected of each
		if n := repeats[c]; n < 660 || n > 860 {
			t.Errorf("the record of %v J was drawn %d times of 2280", c, n)
		}
	}
}

func TestPriors(t *testing.T) {
	t.Parallel()
	w := world(t, recorded(12), Config{})
	var sum, n float64
	for _, it := range w.Items() {
		if !development(it.ID) {
			continue
		}
		for k := range 3 {
			out, _ := w.Attempt(t.Context(), it, "s", k, "", nil)
			sum, n = sum+out.Cost.Units, n+1
		}
	}
	if n == 0 || n == 36 {
		t.Fatalf("%v attempts of development tasks", n)
	}
	m := w.Models()[0]
	if math.Abs(m.Prior.Units-sum/n) > 1e-9 || math.Abs(m.Worst.Units-1.05*113) > 1e-9 {
		t.Errorf("prior %v, worst %v; development mean %v", m.Prior, m.Worst, sum/n)
	}
	k := m.Kinds["code"]
	if math.Abs(k.Prior.Units-m.Prior.Units) > 1e-9 || k.Worst != m.Worst {
		t.Errorf("by kind %+v", m.Kinds)
	}
	if w := world(t, recorded(1), Config{}); !strings.Contains(strings.Join(w.Notes(), " "), "development split") && !development("t0") {
		t.Errorf("notes %v", w.Notes())
	}
}

func TestWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	list := recorded(2)
	alone := attempt("alone", "s", 0, trial.Passed)
	failed := attempt("t0", "s", 9, trial.Failed)
	unknown := attempt("t0", "s", 8, trial.Passed)
	unknown.Method = research.MethodUnknown
	other := attempt("else", "s", 0, trial.Passed)
	other.Suite = "else"
	list = append(list, alone, failed, unknown, other)
	w := world(t, list, Config{Suites: []string{"mini"}})
	notes := strings.Join(w.Notes(), " ")
	for _, want := range []string{
		"1 records are left out: the model's server", "1 records are left out: their joules", "1 tasks are left out", "2 tasks are played without",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is not in %q", want, notes)
		}
	}
	if len(w.Items()) != 2 || strings.Contains(w.Items()[0].Text, "t0") {
		t.Errorf("items %+v", w.Items())
	}
	if w := world(t, list, Config{Models: []string{"s"}}); len(w.Items()) != 4 || len(w.Models()) != 1 {
		t.Errorf("%d items of %d models", len(w.Items()), len(w.Models()))
	}
}

func TestContradictions(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Record){
		"twice":       func(r *Record) {},
		"other tier":  func(r *Record) { r.Attempt, r.Tier = 7, research.Medium },
		"other suite": func(r *Record) { r.Attempt, r.Suite = 7, "else" },
		"unfit":       func(r *Record) { r.Attempt, r.Verdict = 7, "fine" },
	} {
		list := recorded(2)
		r := list[1]
		change(&r)
		if _, err := New(append(list, r), Config{}); research.CodeOf(err) != research.EInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(nil, Config{}); research.CodeOf(err) != research.EInvalid {
		t.Errorf("nothing: %v", err)
	}
}

func TestWhoWasNotRecorded(t *testing.T) {
	t.Parallel()
	w := world(t, recorded(1), Config{})
	if _, err := w.Attempt(t.Context(), w.Items()[0], "x", 0, "", nil); research.CodeOf(err) != research.ENotFound {
		t.Errorf("attempt: %v", err)
	}
	if _, ok := w.Chance(w.Items()[0], "x"); ok {
		t.Error("a chance of nobody")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := w.Attempt(ctx, w.Items()[0], "s", 0, "", nil); err == nil {
		t.Error("an attempt after the end")
	}
}

// What the oracle is told is what happens: over many seeds, of the runs in which
// so many draws failed, that share solves with the next.
func TestChanceAfterFailuresIsThatOfTheDraws(t *testing.T) {
	t.Parallel()
	list := []Record{
		attempt("t", "s", 0, trial.Wrong), attempt("t", "s", 1, trial.Passed), attempt("t", "s", 2, trial.Wrong), attempt("t", "s", 3, trial.Passed),
		attempt("u", "s", 0, trial.Wrong), attempt("u", "s", 1, trial.Wrong),
	}
	w := world(t, list, Config{})
	const seeds = 4000
	for _, it := range w.Items() {
		for failed := range 5 {
			n, solved := 0, 0
			for seed := range seeds {
				other, all := w.ForSeed(seed), true
				for k := range failed {
					out, err := other.Attempt(t.Context(), it, "s", k, "", nil)
					if err != nil {
						t.Fatal(err)
					}
					all = all && !out.Solved()
				}
				if out, _ := other.Attempt(t.Context(), it, "s", failed, "", nil); all {
					n++
					if out.Solved() {
						solved++
					}
				}
			}
			want, ok := w.ChanceAfter(it, "s", failed)
			if !ok || n > 0 && math.Abs(float64(solved)/float64(n)-want) > 0.05 {
				t.Errorf("%s after %d: %d of %d solve, the chance is said to be %g", it.ID, failed, solved, n, want)
			}
		}
	}
}
