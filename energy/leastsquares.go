package energy

import (
	"math"
	"slices"
)

// terms of a call's energy: load, call, prefill, decode.
const terms = 4

type (
	row struct {
		x [terms]float64
		y float64
	}
	coefficients [terms]float64
)

func rowsOf(samples []Sample, y func(Sample) float64) []row {
	out := make([]row, len(samples))
	for i, s := range samples {
		out[i] = row{x: [terms]float64{0, 1, s.Use.read(), s.Use.written()}, y: y(s)}
		if s.Use.Cold {
			out[i].x[0] = 1
		}
	}
	return out
}

func (b coefficients) of(r row) float64 {
	sum := 0.0
	for i, v := range r.x {
		sum += b[i] * v
	}
	return sum
}

// Constants of robust regression with 95 % efficiency on normal residuals
// (Huber 1964; Beaton and Tukey 1974), and of the scale by the median absolute
// residual.
const (
	huberAt    = 1.345
	tukeyAt    = 4.685
	madToSigma = 1.4826
	leastScale = 1e-3 // a tenth of a per cent: residuals below are equal
	huberTurns = 20
	tukeyTurns = 10
)

// solve is iteratively reweighted non-negative least squares on relative
// residuals, first by Huber's weights, which have one optimum, then from there
// by Tukey's, which forget outliers altogether.
func solve(rows []row) coefficients {
	base := make([]float64, len(rows))
	floor := leastOf(rows)
	for i, r := range rows {
		base[i] = 1 / (max(r.y, floor) * max(r.y, floor))
	}
	weights := slices.Clone(base)
	beta := nonNegative(rows, weights)
	for turn := range huberTurns + tukeyTurns {
		rel := make([]float64, len(rows))
		for i, r := range rows {
			rel[i] = math.Abs(r.y-beta.of(r)) * math.Sqrt(base[i])
		}
		scale := max(leastScale, madToSigma*quantile(rel, 0.5))
		for i := range rows {
			weights[i] = base[i] * trust(rel[i]/scale, turn < huberTurns)
		}
		beta = nonNegative(rows, weights)
	}
	return beta
}

// leastOf keeps the smallest calls from ruling the fit.
func leastOf(rows []row) float64 {
	ys := make([]float64, len(rows))
	for i, r := range rows {
		ys[i] = r.y
	}
	return max(quantile(ys, 0.5)/4, math.SmallestNonzeroFloat32)
}

func trust(residual float64, huber bool) float64 {
	if huber {
		return min(1, huberAt/max(residual, huberAt))
	}
	u := residual / tukeyAt
	if u >= 1 {
		return 0
	}
	return (1 - u*u) * (1 - u*u)
}

// nonNegative tries every set of terms that may be above 0 and keeps the best
// solution without a negative one: with four terms that is exact and quick.
func nonNegative(rows []row, weights []float64) coefficients {
	var best coefficients
	least := loss(rows, weights, best)
	for set := 1; set < 1<<terms; set++ {
		beta, ok := solveSet(rows, weights, set)
		if !ok || slices.Min(beta[:]) < 0 {
			continue
		}
		if l := loss(rows, weights, beta); l < least {
			best, least = beta, l
		}
	}
	return best
}

func loss(rows []row, weights []float64, b coefficients) float64 {
	sum := 0.0
	for i, r := range rows {
		d := r.y - b.of(r)
		sum += weights[i] * d * d
	}
	return sum
}

// solveSet solves the normal equations of the terms in the set, columns scaled to
// one; false when they cannot be told apart.
func solveSet(rows []row, weights []float64, set int) (coefficients, bool) {
	var idx []int
	for t := range terms {
		if set&(1<<t) != 0 {
			idx = append(idx, t)
		}
	}
	n := len(idx)
	scale := make([]float64, n)
	for k, t := range idx {
		for i, r := range rows {
			scale[k] += weights[i] * r.x[t] * r.x[t]
		}
		if scale[k] = math.Sqrt(scale[k]); scale[k] == 0 {
			return coefficients{}, false
		}
	}
	a := make([][]float64, n)
	for k := range idx {
		a[k] = make([]float64, n+1)
		for i, r := range rows {
			v := weights[i] * r.x[idx[k]] / scale[k]
			for l := range idx {
				a[k][l] += v * r.x[idx[l]] / scale[l]
			}
			a[k][n] += v * r.y
		}
	}
	z, ok := eliminate(a)
	if !ok {
		return coefficients{}, false
	}
	var b coefficients
	for k, t := range idx {
		b[t] = z[k] / scale[k]
	}
	return b, true
}

// eliminate solves a small symmetric system, given with its right side as last
// column, by Gauss with pivots.
func eliminate(a [][]float64) ([]float64, bool) {
	const singular = 1e-9
	n := len(a)
	for c := range n {
		p := c
		for r := c + 1; r < n; r++ {
			if math.Abs(a[r][c]) > math.Abs(a[p][c]) {
				p = r
			}
		}
		if math.Abs(a[p][c]) < singular {
			return nil, false
		}
		a[c], a[p] = a[p], a[c]
		for r := range n {
			if r == c {
				continue
			}
			f := a[r][c] / a[c][c]
			for k := c; k <= n; k++ {
				a[r][k] -= f * a[c][k]
			}
		}
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = a[i][n] / a[i][i]
	}
	return out, true
}

// quantile interpolates; of nothing it is 0.
func quantile(v []float64, q float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Clone(v)
	slices.Sort(s)
	at := q * float64(len(s)-1)
	i := int(at)
	if i+1 >= len(s) {
		return s[len(s)-1]
	}
	return s[i] + (at-float64(i))*(s[i+1]-s[i])
}

func correlation(a, b []float64) float64 {
	n := float64(len(a))
	var sa, sb, saa, sbb, sab float64
	for i := range a {
		sa, sb = sa+a[i], sb+b[i]
		saa, sbb, sab = saa+a[i]*a[i], sbb+b[i]*b[i], sab+a[i]*b[i]
	}
	va, vb := saa-sa*sa/n, sbb-sb*sb/n
	if va <= 0 || vb <= 0 {
		return 1 // a column that does not change cannot be told apart either
	}
	return (sab - sa*sb/n) / math.Sqrt(va*vb)
}
