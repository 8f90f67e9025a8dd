package simulated

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/research"
)

func simulate(t *testing.T, name string, n, seed int) *World {
	t.Helper()
	w, err := New(name, n, seed)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// alone works on every item with one model until it is solved or Attempts are spent.
func alone(t *testing.T, w *World, m trial.Model, rng *rand.Rand) figures {
	t.Helper()
	var f figures
	n := float64(len(w.Items()))
	for _, it := range w.Items() {
		said := ""
		for k := range Attempts {
			out, err := w.Attempt(t.Context(), it, m.Name, k, said, rng)
			if err != nil {
				t.Fatal(err)
			}
			if out.Cost.Units > m.Worst.Units || out.Cost.Seconds > m.Worst.Seconds || *out.Energy.Joules > research.ToMicro(m.Worst.Units) {
				t.Fatalf("%s costs %+v, at worst %+v", m.Name, out.Cost, m.Worst)
			}
			said = out.Said
			f.joules += out.Cost.Units / n
			f.seconds += out.Cost.Seconds / n
			if out.Solved() {
				f.solved += 1 / n
				break
			}
		}
	}
	return f
}

// Fixed policies come out at the published rows, in a world as large as the
// benchmark on average over streams, and in a large one at once.
func TestRows(t *testing.T) {
	t.Parallel()
	for _, r := range rows() {
		for _, n := range []int{0, 8000} {
			w := simulate(t, r.name, n, 101)
			rng := rand.New(rand.NewPCG(101, uint64(n)))
			for i, m := range w.Models() {
				var got figures
				const streams = 6
				for range streams {
					f := alone(t, w, m, rng)
					got.solved += f.solved / streams
					got.joules += f.joules / streams
					got.seconds += f.seconds / streams
					if n > 0 {
						got = f
						break
					}
				}
				want := r.large
				switch i {
				case 0:
					want = r.small
				case 1: // interpolated: nothing to compare with
					t.Logf("%-10s %5d  medium %5.1f %%  %6.0f J  %5.1f s", r.name, len(w.Items()), 100*got.solved, got.joules, got.seconds)
					continue
				}
				t.Logf("%-10s %5d  %-6s %5.1f %%  %6.0f J  %5.1f s   published %5.1f %%  %6.0f J  %5.1f s", r.name, len(w.Items()), m.Tier,
					100*got.solved, got.joules, got.seconds, 100*want.solved, want.joules, want.seconds)
				tolerance := 1.0 // of a large world
				if n == 0 {
					tolerance = 2 // the knacks of so few items are what they are
				}
				if math.Abs(got.solved-want.solved) > .015*tolerance || math.Abs(got.joules/want.joules-1) > .05*tolerance || math.Abs(got.seconds/want.seconds-1) > .05*tolerance {
					t.Errorf("%s, %s: %+v is not near %+v", r.name, m.Tier, got, want)
				}
			}
		}
	}
}

// What is foreseen at any stage is what comes of attempts, and Chance is that of
// the crux.
func TestForeseenIsTheTruth(t *testing.T) {
	t.Parallel()
	w := simulate(t, "mbpp", 200, 101)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, m := range w.Models() {
		bins := [10][3]float64{}
		for _, it := range w.Items() {
			for done := range Stages {
				said := progressed(done)
				p, then, ok := w.Foresee(it, m.Name, said)
				if crux, _ := w.Chance(it, m.Name); !ok || p < 0 || p > 1 || done == w.hidden[it.ID].crux && p != crux {
					t.Fatalf("stage %d: %v, %v, crux %v", done, p, ok, crux)
				}
				b := &bins[min(9, int(10*p))]
				for range 20 {
					out, _ := w.Attempt(t.Context(), it, m.Name, 0, said, rng)
					b[0]++
					b[1] += p
					if out.Said == then.Said {
						b[2]++
						if out.Share != then.Share || out.Verdict != then.Verdict || out.Solved() != (done == Stages-1) {
							t.Fatalf("%+v was foreseen, %+v came", then, out)
						}
					} else if out.Said != said || out.Share >= then.Share || out.Solved() {
						t.Fatalf("a failure at stage %d: %+v", done, out)
					}
				}
			}
		}
		for i, b := range bins {
			if math.Abs(b[1]-b[2]) > 4*math.Sqrt(b[0])/2+1 {
				t.Errorf("%s, bin %d: %v got on of %v, %v expected", m.Name, i, b[2], b[0], b[1])
			}
		}
	}
	if _, _, ok := w.Foresee(w.Items()[0], "simulated-small", progressed(Stages)); ok {
		t.Error("a solved task goes on")
	}
}

// Verdicts tell something of the chance of a further attempt, and not all.
func TestVerdictsLeakAPart(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		w := simulate(t, name, 3000, 101)
		rng := rand.New(rand.NewPCG(1, 1))
		var seen, truth []float64
		for _, it := range w.Items() {
			h := w.hidden[it.ID]
			if h.crux != 2 {
				continue
			}
			out, _ := w.Attempt(t.Context(), it, "simulated-medium", 0, progressed(h.crux), rng)
			if out.Said != progressed(h.crux) {
				continue // it got on
			}
			if out.Share < 0 || out.Share >= 1 {
				t.Fatalf("a failure with the share %v", out.Share)
			}
			seen = append(seen, out.Share)
			truth = append(truth, w.logit(h, research.Large, h.crux))
		}
		r := correlation(seen, truth)
		t.Logf("%s: verdict against truth %.2f over %d failures", name, r, len(seen))
		if r < 0.05 || r > 0.8 {
			t.Errorf("%s: verdicts tell %.2f of the truth", name, r)
		}
	}
}

func TestSeeds(t *testing.T) {
	t.Parallel()
	a, b, other := simulate(t, "asqa", 0, 101), simulate(t, "asqa", 0, 101), simulate(t, "asqa", 0, 102)
	if !slices.Equal(a.Items(), b.Items()) {
		t.Error("the same seed gives other items")
	}
	if slices.Equal(a.Items(), other.Items()) || a.Items()[0].ID == other.Items()[0].ID {
		t.Error("another seed gives the same items")
	}
	for _, it := range a.Items() {
		p, _ := a.Chance(it, "simulated-large")
		q, _ := b.Chance(it, "simulated-large")
		x, errX := a.Attempt(t.Context(), it, "simulated-large", 0, "", rand.New(rand.NewPCG(1, 2)))
		y, errY := b.Attempt(t.Context(), it, "simulated-large", 4, "other words", rand.New(rand.NewPCG(1, 2)))
		if p != q || errX != nil || errY != nil || x.Verdict != y.Verdict || x.Cost != y.Cost {
			t.Fatalf("%s differs", it.ID)
		}
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	for _, r := range rows() {
		w := simulate(t, r.name, 0, 101)
		if u := w.Unit(); !u.Simulated || u.Method != research.MethodModel || u.Symbol != "J" || w.Name() != "simulated "+r.name {
			t.Errorf("%s in %+v", w.Name(), u)
		}
		if len(w.Items()) != r.tasks || len(w.Notes()) < 2 || w.Allowance() != r.allowance {
			t.Errorf("%s: %d items", r.name, len(w.Items()))
		}
		m := w.Models()
		if len(m) != 3 || !(m[0].Prior.Units < m[1].Prior.Units && m[1].Prior.Units < m[2].Prior.Units) || w.Budget().Units != float64(w.MaxAttempts())*m[2].Worst.Units {
			t.Errorf("%s: models %+v, budget %+v", r.name, m, w.Budget())
		}
	}
}

func TestWhatIsUnknown(t *testing.T) {
	t.Parallel()
	if _, err := New("chess", 1, 1); research.CodeOf(err) != research.EInvalid {
		t.Errorf("chess: %v", err)
	}
	w := simulate(t, "mbpp", 1, 101)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct{ item, model string }{{"none", "simulated-small"}, {w.Items()[0].ID, "none"}} {
		if _, err := w.Attempt(t.Context(), trial.Item{ID: c.item}, c.model, 0, "", rng); research.CodeOf(err) != research.ENotFound {
			t.Errorf("%v: %v", c, err)
		}
		if _, ok := w.Chance(trial.Item{ID: c.item}, c.model); ok {
			t.Errorf("%v has a chance", c)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := w.Attempt(ctx, w.Items()[0], "simulated-small", 0, "", rng); err == nil {
		t.Error("an attempt after the end")
	}
}
