package stats

import (
	"cmp"
	"math"
	"slices"
)

// Interval is an estimate with the bounds of its 95 % interval.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Above reports whether all of the interval lies above x.
func (i Interval) Above(x float64) bool { return i.Low > x }

// Mean of the values; 0 for none.
func Mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// MinSeeds is how many repetitions an interval over them needs.
const MinSeeds = 5

// T is Student's 95 % interval of the mean of independent values, here one per
// seed: mean ± t₀.₉₇₅(n−1)·s/√n. Nil for fewer than MinSeeds values. Seeds
// shuffle and draw over the same items, so it tells how far another seed would
// differ, not other items; Resampler answers that.
func T(values []float64) *Interval {
	n := len(values)
	if n < MinSeeds {
		return nil
	}
	mean, sum := Mean(values), 0.0
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	half := t975(n-1) * math.Sqrt(sum/float64(n-1)/float64(n))
	return &Interval{mean, mean - half, mean + half}
}

// t975 is the 97.5 % quantile of Student's t: tabled to 30 degrees of freedom,
// beyond that the Cornish–Fisher expansion around the normal quantile.
func t975(df int) float64 {
	table := [...]float64{
		12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
		2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
		2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
	}
	if df < 1 {
		return math.Inf(1)
	}
	if df <= len(table) {
		return table[df-1]
	}
	const z = 1.959964
	return z + (z*z*z+z)/(4*float64(df)) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*float64(df*df))
}

// percentiles of draws; those without an answer are left out.
func percentiles(point float64, draws []float64) Interval {
	draws = slices.DeleteFunc(draws, func(x float64) bool { return !finite(x) })
	if len(draws) == 0 {
		return Interval{point, point, point}
	}
	slices.SortFunc(draws, cmp.Compare[float64])
	at := func(p float64) float64 { return draws[min(len(draws)-1, int(p*float64(len(draws))))] }
	return Interval{point, at(0.025), at(0.975)}
}
