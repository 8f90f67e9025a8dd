package progress

import (
	"math"

	"github.com/progrouter/progrouter/progress/boost"
)

// gateStrength is how many average samples hold the trust at one half.
const gateStrength = 20

// learnGate learns the trust w in the semantic path from predictions that both
// made of samples they had not seen. The squared error of
// ŷ = str + w·(sem − str) is, but for what w cannot change,
//
//	(sem − str)²·(t − w)²,  t = (y − str) / (sem − str)
//
// so w is a regression on t weighed by the square of the disagreement; t is
// clipped to [0, 1], between which w must lie. It is held near one half by
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
	c := t.c.Gate
	c.Seed = t.c.Seed + 2
	if f, err := boost.Fit(m, t.c.Bins, tg, c); err == nil {
		d.gate = f
	}
	return d
}
