package stats

import (
	"cmp"
	"math"
	"slices"
)

// Point is a policy in the plane of quality over cost.
type Point struct {
	Label   string  `json:"label,omitempty"`
	Cost    float64 `json:"cost"`
	Quality float64 `json:"quality"`
}

// Front is a concave, non-decreasing curve of quality over cost: what can be had
// by running the points and tossing a coin between them for every task.
type Front []Point

// Hull is the front above the points: the non-decreasing upper convex hull.
// Points without finite coordinates are ignored; it starts at the cheapest point
// (among equals the best) and ends at the best quality (among equals the
// cheapest).
func Hull(points []Point) Front {
	ps := slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return !finite(p.Cost) || !finite(p.Quality) })
	slices.SortStableFunc(ps, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.Cost, b.Cost), cmp.Compare(b.Quality, a.Quality))
	})
	var h Front
	for _, p := range ps {
		if len(h) > 0 && p.Quality <= h[len(h)-1].Quality {
			continue // dearer and no better
		}
		for len(h) > 1 && !turnsDown(h[len(h)-2], h[len(h)-1], p) {
			h = h[:len(h)-1]
		}
		h = append(h, p)
	}
	return h
}

// turnsDown: b lies above the line from a to c.
func turnsDown(a, b, c Point) bool {
	return (b.Quality-a.Quality)*(c.Cost-a.Cost) > (c.Quality-a.Quality)*(b.Cost-a.Cost)
}

// At is the quality to be had at a cost: on the line between neighbours, level
// beyond the dearest, and below the cheapest on the line to the origin, which is
// to answer only some of the tasks. NaN for an empty front.
func (f Front) At(cost float64) float64 {
	if len(f) == 0 || !finite(cost) {
		return math.NaN()
	}
	a := Point{}
	for _, b := range f {
		if cost <= b.Cost {
			if b.Cost == a.Cost {
				return b.Quality
			}
			return a.Quality + (b.Quality-a.Quality)*(cost-a.Cost)/(b.Cost-a.Cost)
		}
		a = b
	}
	return a.Quality
}

// CostOf is the least cost of a quality on the front: the inverse of At. NaN when
// the front does not reach it.
func (f Front) CostOf(quality float64) float64 {
	a := Point{}
	for _, b := range f {
		if quality <= b.Quality {
			if b.Quality == a.Quality {
				return b.Cost
			}
			return a.Cost + (b.Cost-a.Cost)*(quality-a.Quality)/(b.Quality-a.Quality)
		}
		a = b
	}
	return math.NaN()
}

// Above is how far a point lies above what mixing the others gives at its cost:
// its quality less the hull's. It is negative below and NaN without others.
func Above(p Point, others []Point) float64 { return p.Quality - Hull(others).At(p.Cost) }

// AIQ is the average improvement in quality of RouterBench: the area under the
// non-decreasing convex hull of a router's points between two costs, divided by
// their distance,
//
//	AIQ = 1/(c₁ − c₀) · ∫ hull(c) dc over [c₀, c₁]
//
// The hull takes in the router that does nothing (0, 0), as there, so a router
// whose cheapest point is dearer than c₀ is charged for it. NaN without points or
// for an empty range.
func AIQ(points []Point, c0, c1 float64) float64 {
	if len(points) == 0 || !(c1 > c0) {
		return math.NaN()
	}
	f := Hull(append(slices.Clone(points), Point{}))
	cuts := []float64{c0, c1}
	for _, p := range f {
		if p.Cost > c0 && p.Cost < c1 {
			cuts = append(cuts, p.Cost)
		}
	}
	slices.Sort(cuts)
	area := 0.0
	for i := 1; i < len(cuts); i++ {
		area += (f.At(cuts[i-1]) + f.At(cuts[i])) / 2 * (cuts[i] - cuts[i-1])
	}
	return area / (c1 - c0)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
