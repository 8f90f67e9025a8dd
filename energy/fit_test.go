package energy

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

// synthetic makes calls of a known model with noise of a few per cent; outliers
// are calls beside which the machine did something else.
func synthetic(seed uint64, warm, cold, outliers int, noise float64) []Sample {
	rnd := rand.New(rand.NewPCG(seed, 9))
	var out []Sample
	for i := range warm + cold {
		u := CallUse{Input: []int{40, 200, 500, 1100}[i%4] + rnd.IntN(30), Output: []int{8, 60, 150, 20, 100}[i%5] + rnd.IntN(5), Cold: i >= warm}
		j := 0.8 + 0.16*u.read() + 1.1*u.written()
		s := 0.1 + 0.008*u.read() + 0.06*u.written()
		if u.Cold {
			j, s = j+45, s+3
		}
		j *= 1 + noise*rnd.NormFloat64()
		s *= 1 + noise*rnd.NormFloat64()
		if i < outliers {
			j, s = j*6, s*6
		}
		out = append(out, Sample{Use: u, Seconds: s, At: time.Unix(int64(1e9+i), 0), Energy: research.Energy{
			Joules: micro(j), Low: micro(j / 2), High: micro(j * 2), Method: research.MethodCPU,
		}})
	}
	rnd.Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] })
	return out
}

func TestFitFindsTheModel(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		outliers         int
		noise, tolerance float64
	}{
		"exact":    {0, 0, 1e-6},
		"noisy":    {0, .03, .06},
		"outliers": {4, .03, .06},
	} {
		for seed := range uint64(5) {
			c, err := Fit(synthetic(seed, 24, 2, tt.outliers, tt.noise))
			if err != nil {
				t.Fatal(err)
			}
			near(t, name+" prefill", c.Prefill, .16, tt.tolerance)
			near(t, name+" decode", c.Decode, 1.1, tt.tolerance)
			near(t, name+" load", c.Load, 45, max(tt.tolerance, tt.noise*10))
			near(t, name+" s per token", c.Seconds.Decode, .06, tt.tolerance)
			if tt.outliers == 0 && c.P90 > 4*tt.noise+1e-6 || c.Median > c.P90 || c.Samples != 26 || c.Method != research.MethodCPU || c.At != time.Unix(1e9+25, 0) {
				t.Errorf("%s: %+v", name, c)
			}
			if want := .5 / (1 + c.P90); math.Abs(c.Low-want) > 1e-3 || math.Abs(c.High-2*(1+c.P90)) > 1e-2 {
				t.Errorf("%s: range %v to %v", name, c.Low, c.High)
			}
		}
	}
}

func TestFitWithoutAColdCallSaysSo(t *testing.T) {
	t.Parallel()
	c, err := Fit(synthetic(1, 16, 0, 0, .02))
	if err != nil || c.Load != 0 || c.Note == "" || c.Note == "Fitted to measured calls." {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestFitIsNeverNegative(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 5))
	for range 100 {
		s := synthetic(rnd.Uint64(), 12, 1, 0, .6)
		c, err := Fit(s)
		if err != nil {
			continue
		}
		for _, v := range []float64{c.Load, c.Call, c.Prefill, c.Decode, c.Seconds.Load, c.Seconds.Call, c.Seconds.Prefill, c.Seconds.Decode} {
			if !(v >= 0) || math.IsInf(v, 0) {
				t.Fatalf("%+v", c)
			}
		}
	}
}

func TestFitRefusesWhatSaysTooLittle(t *testing.T) {
	t.Parallel()
	few := synthetic(1, 7, 3, 0, 0)
	unknown := synthetic(1, 20, 0, 0, 0)
	for i := range unknown {
		unknown[i].Energy = research.Energy{Method: research.MethodUnknown}
	}
	alike := synthetic(1, 20, 0, 0, 0)
	for i := range alike {
		alike[i].Use.Input = 100
	}
	bound := synthetic(1, 20, 0, 0, 0)
	for i := range bound {
		bound[i].Use.Output = bound[i].Use.Input / 5
	}
	for name, s := range map[string][]Sample{"none": nil, "few": few, "unknown": unknown, "one prompt length": alike, "answers as long as prompts": bound} {
		if c, err := Fit(s); research.CodeOf(err) != research.EInvalid {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

func TestFitErrorOnFreshCalls(t *testing.T) {
	t.Parallel()
	c, err := Fit(synthetic(1, 24, 2, 0, .03))
	if err != nil {
		t.Fatal(err)
	}
	if median, p90 := FitError(c, synthetic(2, 40, 0, 0, .03)); median <= 0 || median > .05 || p90 < median || p90 > .12 {
		t.Errorf("errors %v and %v", median, p90)
	}
	if median, p90 := FitError(c, nil); median != 0 || p90 != 0 {
		t.Errorf("of nothing: %v, %v", median, p90)
	}
}
