package chart

import "math"

// NiceTicks returns 0 and up to n round steps that reach at least top. The last
// one is the end of the axis. Non-positive or undefined tops give 0 and 1.
func NiceTicks(top float64, n int) []float64 {
	if !(top > 0) || math.IsInf(top, 0) || n < 1 {
		return []float64{0, 1}
	}
	step := niceStep(top / float64(n))
	var out []float64
	for i := 0; ; i++ {
		v := float64(i) * step
		out = append(out, v)
		if v >= top*(1-1e-9) {
			return out
		}
	}
}

// niceStep rounds up to 1, 2, 2.5 or 5 times a power of ten.
func niceStep(raw float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if raw <= m*power*(1+1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// labelled turns values into ticks.
func labelled(values []float64, format func(float64) string) []Tick {
	out := make([]Tick, len(values))
	for i, v := range values {
		out[i] = Tick{Value: v, Label: format(v)}
	}
	return out
}
