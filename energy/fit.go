package energy

import (
	"math"
	"slices"
	"time"

	"github.com/progrouter/progrouter/research"
)

// Sample is a measured call.
type Sample struct {
	Use     CallUse         `json:"use"`
	Energy  research.Energy `json:"energy"`  // as measured; samples without joules are left out
	Seconds float64         `json:"seconds"` // wall time; 0 is not known
	At      time.Time       `json:"at"`
}

// What a fit needs at least.
const (
	FitCalls = 8 // calls of a loaded model
	fitSpan  = 2 // the longest prompt, and the longest answer, over the shortest
	fitFolds = 4 // every call is kept aside once, with every fourth other
	// fitLikeness is the correlation of prompt and answer lengths from which
	// their costs cannot be told apart.
	fitLikeness = 0.98
)

// Fit finds the per-call coefficients of a model in measured calls: non-negative
// least squares of joules, and of seconds, on (load, call, prefill, decode). The
// residuals are relative ones, and calls far from the others (a machine that was
// busy with something else) lose their weight. Load is 0, and says so, without a
// cold call.
//
// Median and P90 are relative errors of warm calls that were kept aside: of four
// fits that each left out another quarter. Low and High are the meter's range,
// widened by P90. At is the newest sample's time.
//
// Too few calls, or calls too alike to tell the terms apart, are an EInvalid
// error.
func Fit(samples []Sample) (research.Coefficients, error) {
	used := measured(samples)
	if err := enough(used); err != nil {
		return research.Coefficients{}, err
	}
	joules := func(s Sample) float64 { return s.Energy.Joules.Units() }
	beta := solve(rowsOf(used, joules))
	c := research.Coefficients{
		Load: beta[0], Call: beta[1], Prefill: beta[2], Decode: beta[3],
		Samples: len(used), Method: used[0].Energy.Method,
	}
	if c.Call+c.Prefill+c.Decode <= 0 {
		return research.Coefficients{}, research.Errorf(research.EInvalid, "fit_nothing", "The measured calls took no energy that grows with their length. Measure again, with longer answers.")
	}
	for _, s := range used {
		c.Method = research.MixMethods(c.Method, s.Energy.Method)
		if s.At.After(c.At) {
			c.At = s.At
		}
	}
	c.Median, c.P90 = keptAside(used, joules)
	c.Low, c.High = meterRange(used)
	c.Low, c.High = c.Low/(1+c.P90), c.High*(1+c.P90)
	c.Note = "Fitted to measured calls."
	if !slices.ContainsFunc(used, func(s Sample) bool { return s.Use.Cold }) {
		c.Note = "Fitted to measured calls; loading the model was not measured and counts as 0."
	}
	c.Seconds = fitSeconds(used)
	return c, nil
}

// FitError is the error of coefficients on calls: median and 90th percentile of
// |estimated − measured| ÷ measured joules.
func FitError(c research.Coefficients, samples []Sample) (median, p90 float64) {
	var errs []float64
	for _, s := range measured(samples) {
		if e := CallEnergy(c, s.Use); e.Joules != nil {
			errs = append(errs, math.Abs(e.Joules.Units()/s.Energy.Joules.Units()-1))
		}
	}
	return quantile(errs, 0.5), quantile(errs, 0.9)
}

func measured(samples []Sample) []Sample {
	var out []Sample
	for _, s := range samples {
		if s.Energy.Joules != nil && *s.Energy.Joules > 0 {
			out = append(out, s)
		}
	}
	return out
}

func enough(samples []Sample) error {
	var read, written []float64
	for _, s := range samples {
		if !s.Use.Cold {
			read, written = append(read, s.Use.read()), append(written, s.Use.written())
		}
	}
	if len(read) < FitCalls {
		return research.Errorf(research.EInvalid, "fit_calls", "%d measured calls of the loaded model are needed, there are %d. Measure more calls.", FitCalls, len(read)).
			With(map[string]any{"Needed": FitCalls, "Given": len(read)})
	}
	if !spans(read) || !spans(written) || math.Abs(correlation(read, written)) > fitLikeness {
		return research.Errorf(research.EInvalid, "fit_alike", "The measured calls are too alike to tell reading from writing. Measure prompts and answers of various lengths, independently of each other.")
	}
	return nil
}

func spans(v []float64) bool {
	return slices.Max(v) >= fitSpan*max(1, slices.Min(v))
}

func fitSeconds(samples []Sample) research.SpeedFit {
	timed := slices.DeleteFunc(slices.Clone(samples), func(s Sample) bool { return s.Seconds <= 0 })
	if enough(timed) != nil {
		return research.SpeedFit{}
	}
	b := solve(rowsOf(timed, func(s Sample) float64 { return s.Seconds }))
	return research.SpeedFit{Load: b[0], Call: b[1], Prefill: b[2], Decode: b[3]}
}

// keptAside fits without a quarter of the warm calls and predicts them, for every
// quarter. Cold calls are too few to be left out.
func keptAside(samples []Sample, y func(Sample) float64) (median, p90 float64) {
	var errs []float64
	for fold := range fitFolds {
		var train, aside []Sample
		warm := 0
		for _, s := range samples {
			if s.Use.Cold {
				train = append(train, s)
				continue
			}
			if warm%fitFolds == fold {
				aside = append(aside, s)
			} else {
				train = append(train, s)
			}
			warm++
		}
		beta := solve(rowsOf(train, y))
		for _, r := range rowsOf(aside, y) {
			errs = append(errs, math.Abs(beta.of(r)-r.y)/r.y)
		}
	}
	return quantile(errs, 0.5), quantile(errs, 0.9)
}

// meterRange is the middle of the samples' own ranges, as factors.
func meterRange(samples []Sample) (low, high float64) {
	var lows, highs []float64
	for _, s := range samples {
		j := s.Energy.Joules.Units()
		lows = append(lows, bound(s.Energy.Low, s.Energy.Joules).Units()/j)
		highs = append(highs, bound(s.Energy.High, s.Energy.Joules).Units()/j)
	}
	return min(1, quantile(lows, 0.5)), max(1, quantile(highs, 0.5))
}
