package whatif

import (
	"math"

	"github.com/progrouter/progrouter/research"
)

// Below these an estimate is refused: its interval would not hold what it says.
const (
	MinSample = 30 // effective sample size
	MinRuns   = 10 // runs that count
)

// z95 is the two-sided 95 % point of the normal distribution.
const z95 = 1.959964

// Figure is an estimated mean per step with its 95 % interval.
type Figure struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	N    int     `json:"n"`                     // decisions that count
	ESS  float64 `json:"effective_sample_size"` // (Σw)²/Σw², as many evenly weighted ones would say as much
}

// OneStep is what single steps would have brought and cost, had another rule
// chosen them. Gain and Joules are nil where too little is known.
type OneStep struct {
	Decisions int `json:"decisions"` // whose outcome and chance are known
	// Support is the share of these in which the logged policy could have taken
	// what the target takes. The figures are about them alone.
	Support float64 `json:"support"`
	// Weight is the mean weight of those; where the logged chances are right it is
	// 1 but for chance.
	Weight float64        `json:"mean_weight"`
	Gain   *Figure        `json:"gain"`
	Joules *Figure        `json:"joules"`
	Why    *research.Note `json:"why,omitempty"` // there is no figure
	Note   research.Note  `json:"note"`          // what the figures do not say
}

// Estimate weighs what logged steps brought by how much more or less likely the
// target would have taken them (self-normalised importance sampling):
//
//	ŷ = Σ w·y / Σ w,  w = π(chosen) / p(chosen),
//
// with an interval by the delta method in which the steps of one run count as one
// observation. It is about single steps, each in the state that the logged policy
// had led to: not about whole runs.
func Estimate(log []Logged, target Target) OneStep {
	out := OneStep{Note: note(NoteOneStep, nil,
		"An estimate for single steps, each in a state that the recorded policy had led to. It does not say how whole runs would have ended, since other choices lead to other states.")}
	var gains, joules []observation
	weight := 0.0
	for _, l := range log {
		if !l.usable() {
			continue
		}
		out.Decisions++
		chances := target(l)
		if len(chances) != len(l.Decision.Candidates) || !l.supported(chances) {
			continue
		}
		w, r := chances[l.chosen()]/l.Decision.Propensity, l.Decision.Realised
		weight += w
		gains = append(gains, observation{l.Run, w, r.Gain})
		if r.Joules != nil {
			joules = append(joules, observation{l.Run, w, r.Joules.Units()})
		}
	}
	if out.Decisions > 0 {
		out.Support = float64(len(gains)) / float64(out.Decisions)
	}
	if len(gains) > 0 {
		out.Weight = weight / float64(len(gains))
	}
	out.Gain, out.Why = mean(gains)
	if out.Gain != nil {
		out.Joules, _ = mean(joules)
	}
	return out
}

// observation is a weighted outcome of a step.
type observation struct {
	run string
	w,
	y float64
}

// mean is the self-normalised mean, or why there is none.
func mean(obs []observation) (*Figure, *research.Note) {
	var sum, squares, weighted float64
	counted := 0
	for _, o := range obs {
		sum, squares, weighted = sum+o.w, squares+o.w*o.w, weighted+o.w*o.y
		if o.w > 0 {
			counted++
		}
	}
	f := &Figure{N: counted}
	if squares > 0 {
		f.ESS, f.Mean = sum*sum/squares, weighted/sum
	}
	switch {
	case counted < MinSample:
		n := note(NoteTooFew, map[string]any{"Count": counted, "Least": MinSample},
			"Only %d stored steps were taken as this rule would have taken them; at least %d are needed for an estimate.", counted, MinSample)
		return nil, &n
	case f.ESS < MinSample:
		n := note(NoteTooUneven, map[string]any{"Count": counted, "Size": int(f.ESS), "Least": MinSample},
			"The %d stored steps taken as this rule would have taken them say as much as %d evenly weighted ones; at least %d are needed for an estimate.", counted, int(f.ESS), MinSample)
		return nil, &n
	}
	spread, runs := deviation(obs, f.Mean)
	if runs < MinRuns {
		n := note(NoteFewRuns, map[string]any{"Count": runs, "Least": MinRuns},
			"The stored steps that count come from %d runs; at least %d are needed for an estimate.", runs, MinRuns)
		return nil, &n
	}
	half := z95 * spread / sum
	f.Low, f.High = f.Mean-half, f.Mean+half
	return f, nil
}

// deviation is √(c/(c−1)·Σ(Σ w·(y − ŷ))²), the inner sum over the steps of a run,
// and c, how many runs have weight.
func deviation(obs []observation, mean float64) (float64, int) {
	byRun, heavy, total := map[string]float64{}, map[string]bool{}, 0.0
	runs := 0
	for _, o := range obs {
		d := o.w * (o.y - mean)
		if o.run == "" { // a run of its own
			total += d * d
			if o.w > 0 {
				runs++
			}
			continue
		}
		byRun[o.run] += d
		heavy[o.run] = heavy[o.run] || o.w > 0
	}
	for run, d := range byRun {
		total += d * d
		if heavy[run] {
			runs++
		}
	}
	if runs < 2 {
		return 0, runs
	}
	return math.Sqrt(total * float64(runs) / float64(runs-1)), runs
}
