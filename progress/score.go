package progress

import (
	"math"

	"github.com/progrouter/progrouter/research"
)

// Domain is what a kind of work must say about its state. Everything else in
// the score is the same for all of them.
type Domain interface {
	// Completion is r_t: the weighed share of milestones reached, 0 to 1.
	Completion() float64
	// Regime is c_t, by rules over the artefacts.
	Regime() research.Regime
	// LastTransition says what the last finished step changed.
	LastTransition() Transition
}

// Transition is the raw material of the state-quality view: how new and how
// well supported what the last step brought is, both 0 to 1.
type Transition struct {
	Novelty float64
	Support float64
}

// Weights are b(c), α_c, β_c and γ_c of one regime, all ≥ 0.
type Weights struct {
	Base       float64 // b(c)
	Completion float64 // α_c
	Trend      float64 // β_c
	Quality    float64 // γ_c
}

// WeightsFor returns the weights of a regime. The method leaves them open; ours
// follow from what each view can tell in it.
//
//	invalid      nothing usable: only milestones count, and less. What the last
//	             step changed and where it leads says nothing yet.
//	recoverable  few milestones are possible, so how good the last transition
//	             was tells most of what is to come of it: γ is largest.
//	partial      the long stretch: whether steps still bring anything decides
//	             whether it will be finished, so trend weighs as much as quality.
//	complete     done is done: no trend, and hardly the last transition, makes a
//	             finished state more or less finished.
//
// Milestones dominate everywhere (trend and quality move g by at most .06 and
// .08). A better regime never lowers g: the bases rise by more than the other
// weights may take away. A finished state is near 1 and nothing at all is 0;
// reaching the first answer and finishing are each worth a visible jump.
func WeightsFor(c research.Regime) Weights {
	switch c {
	case research.RegimeComplete:
		return Weights{Base: .38, Completion: .60, Quality: .02}
	case research.RegimePartial:
		return Weights{Base: .15, Completion: .60, Trend: .06, Quality: .06}
	case research.RegimeRecoverable:
		return Weights{Base: .05, Completion: .60, Trend: .04, Quality: .08}
	default:
		return Weights{Completion: .30}
	}
}

const (
	// trendSteps is how many finished steps the trend looks back.
	trendSteps = 3
	// trendScale is the mean gain per step that counts as fully improving.
	trendScale = 0.10
)

// Score is eq. 2: g = b(c) + α_c·r + β_c·d + γ_c·e, clamped to [0, 1]. Trend
// lies in [-1, 1] with 0 for stagnation. steps are the run's steps in order;
// those in flight are ignored.
//
// The stored progress of the last finished step is not used: while a step is
// being scored it does not exist yet, and the score must not change by being
// stored. Its gain is instead read from the state with a neutral trend.
func Score(d Domain, steps []research.Step) research.ProgressView {
	v := research.ProgressView{
		Regime:     d.Regime(),
		Completion: unit(d.Completion()),
		Quality:    quality(d.LastTransition()),
	}
	w := WeightsFor(v.Regime)
	neutral := w.Base + w.Completion*v.Completion + w.Quality*v.Quality
	v.Trend = trend(steps, neutral)
	v.G = unit(neutral + w.Trend*v.Trend)
	return v
}

func quality(t Transition) float64 { return (unit(t.Novelty) + unit(t.Support)) / 2 }

// trend is the mean gain over the last steps on the scale of trendScale.
func trend(steps []research.Step, now float64) float64 {
	sum, n := 0.0, 0
	for i := len(steps) - 1; i >= 0 && n < trendSteps; i-- {
		s := steps[i]
		if s.Outcome == research.InFlight {
			continue
		}
		after := s.ProgressAfter
		if n == 0 {
			after = now
		}
		sum += after - s.ProgressBefore
		n++
	}
	if n == 0 || math.IsNaN(sum) {
		return 0
	}
	return min(1, max(-1, sum/float64(n)/trendScale))
}

// Words for a trend.
const (
	Improving  = "improving"
	Stagnating = "stagnating"
	Regressing = "regressing"
)

// TrendWord names a trend: within ±0.1 (a hundredth of progress per step) it is
// stagnating.
func TrendWord(d float64) string {
	switch {
	case d > 0.1:
		return Improving
	case d < -0.1:
		return Regressing
	}
	return Stagnating
}

// unit clamps to [0, 1]; NaN is 0.
func unit(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}
