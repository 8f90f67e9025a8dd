package progress

import (
	"math"

	"github.com/progrouter/progrouter/progress/boost"
)

// gateStrength is how many average samples hold the trust at one half.
const gateStrength = 20

// learnGate learns the trust w in the semantic path from predictions that both
// made of samples they had not seen. The error of ŷ = str + w·(sem − str) is
//
//	|sem − str| · |t − w|,  t = (y − str) / (sem − str)
//
// so w is a regression on t, clipped to [0, 1] between which w must lie, that
// weighs a sample by how much the paths disagree. It is held near one half by
// imagined samples, first as a constant and then in every leaf.
func (t *trainer) learnGate(d *learned, str, sem []float64) *learned {
	m := boost.Matrix{Cols: gateCols, Data: make([]float32, 0, gateCols*len(str))}
	tg := boost.Targets{Y: make([]float64, len(str)), Weight: make([]float64, len(str)), Base: make([]float64, len(str))}
	total := 0.0
	for i, s := range t.samples {
		m.Data = gateRow(s.Features, str[i], sem[i], t.readings[i], m.Data)
		apart := sem[i] - str[i]
		tg.Y[i] = 0.5
		if math.Abs(apart) > 1e-6 {
			tg.Y[i] = unit((s.Gain - str[i]) / apart)
		}
		tg.Weight[i] = t.weights[i] * math.Abs(apart)
		total += tg.Weight[i]
	}
	d.trust, d.gate = 0.5, &boost.Forest{}
	if !(total > 0) {
		return d
	}
	sum, w := 0.5*gateStrength, float64(gateStrength)
	for i := range tg.Weight {
		tg.Weight[i] *= float64(len(str)) / total
		sum, w = sum+tg.Weight[i]*tg.Y[i], w+tg.Weight[i]
	}
	d.trust = sum / w
	for i := range tg.Base {
		tg.Base[i] = d.trust
	}
	c := sized(t.c.Gate, len(str))
	c.Seed = t.c.Seed + 2
	if f, err := boost.Fit(m, t.c.Bins, tg, c); err == nil {
		d.gate = f
	}
	return d
}

// sharpened squares the odds of the trust. A realised gain mostly lies beyond
// both predictions, so that the regression says how often the semantic path is
// the nearer one; to follow only that often the one that is nearer more often
// would be half-hearted. On the invented streams this took 1.5 % off the mean
// absolute error and added 0.3 % to the squared one; cubes went further both ways.
func sharpened(w float64) float64 {
	a, b := w*w, (1-w)*(1-w)
	return a / (a + b)
}
