package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Resamples is how many resamples a bootstrap interval rests on.
const Resamples = 2000

// Tally sums the rows of one item: how many, and what they came to.
type Tally struct{ N, Quality, Cost float64 }

// Add counts a row.
func (t *Tally) Add(quality, cost float64) {
	t.N++
	t.Quality += quality
	t.Cost += cost
}

// Tallies are one policy's rows by item; the same index is the same item in every
// policy that is compared.
type Tallies []Tally

// Point is the policy's mean quality and cost over the items at the indices; nil
// means all of them once.
func (t Tallies) Point(at []int32) Point {
	var s Tally
	add := func(x Tally) { s = Tally{s.N + x.N, s.Quality + x.Quality, s.Cost + x.Cost} }
	if at == nil {
		for _, x := range t {
			add(x)
		}
	} else {
		for _, i := range at {
			add(t[i])
		}
	}
	if s.N == 0 {
		return Point{Cost: math.NaN(), Quality: math.NaN()}
	}
	return Point{Cost: s.Cost / s.N, Quality: s.Quality / s.N}
}

// Cloud is every policy's point in every resample of the items, computed once so
// that any number of statistics can be read from it. The first of each is the
// estimate on the items themselves.
//
// All policies are resampled together, so a difference of two is taken on the
// same items. What belongs to one item (all of its seeds) is drawn together,
// because seeds of an item are no independent evidence about other items.
type Cloud struct{ points [][]Point }

// NewCloud resamples; the same seed gives the same draws. It fails when the
// policies do not have the same items.
func NewCloud(seed uint64, policies ...Tallies) (Cloud, error) {
	c := Cloud{points: make([][]Point, len(policies))}
	if len(policies) == 0 {
		return c, nil
	}
	n := len(policies[0])
	for p, t := range policies {
		if len(t) != n {
			return Cloud{}, fmt.Errorf("resample: policy %d has %d items, the first has %d", p, len(t), n)
		}
		c.points[p] = append(make([]Point, 0, Resamples+1), t.Point(nil))
	}
	rng := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)) //nolint:gosec // reproducible intervals
	draw := make([]int32, n)
	for range Resamples {
		for i := range draw {
			draw[i] = int32(rng.IntN(n))
		}
		for p, t := range policies {
			c.points[p] = append(c.points[p], t.Point(draw))
		}
	}
	return c, nil
}

// Interval of a statistic of the policies' points. A statistic that has no answer
// in a resample gives NaN and the resample is left out.
func (c Cloud) Interval(stat func(at []Point) float64) Interval {
	if len(c.points) == 0 {
		return Interval{}
	}
	row := make([]Point, len(c.points))
	var point float64
	draws := make([]float64, 0, Resamples)
	for i := range c.points[0] {
		for p := range c.points {
			row[p] = c.points[p][i]
		}
		if v := stat(row); i == 0 {
			point = v
		} else {
			draws = append(draws, v)
		}
	}
	return percentiles(point, draws)
}
