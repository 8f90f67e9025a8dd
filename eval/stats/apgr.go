package stats

import (
	"cmp"
	"math"
	"slices"
)

// SharePoint is what a router reached while giving a share of its calls to the
// strongest model.
type SharePoint struct{ Share, Quality float64 }

// APGR is the average performance gap recovered of RouteLLM:
//
//	PGR(s) = (q(s) − q_weak) / (q_strong − q_weak)
//	APGR   = ∫ PGR(s) ds over shares s from 0 to 1
//
// q(s) is read from the router's points by lines between neighbours, with the
// weakest model alone at 0 and the strongest alone at 1; the integral of these
// lines is exact, where the paper averages ten shares. Random mixing gives 0.5;
// more than 1 is possible where retries with several models beat each alone. NaN
// where the strongest is not better than the weakest.
func APGR(points []SharePoint, weak, strong float64) float64 {
	if !(strong > weak) {
		return math.NaN()
	}
	ps := slices.DeleteFunc(slices.Clone(points), func(p SharePoint) bool {
		return !finite(p.Quality) || !(p.Share > 0 && p.Share < 1)
	})
	ps = append(ps, SharePoint{0, weak}, SharePoint{1, strong})
	slices.SortStableFunc(ps, func(a, b SharePoint) int { return cmp.Compare(a.Share, b.Share) })
	ps = merged(ps)
	area := 0.0
	for i := 1; i < len(ps); i++ {
		area += ((ps[i-1].Quality+ps[i].Quality)/2 - weak) * (ps[i].Share - ps[i-1].Share)
	}
	return area / (strong - weak)
}

// merged averages points of the same share.
func merged(sorted []SharePoint) []SharePoint {
	var out []SharePoint
	for i := 0; i < len(sorted); {
		j, sum := i, 0.0
		for ; j < len(sorted) && sorted[j].Share == sorted[i].Share; j++ {
			sum += sorted[j].Quality
		}
		out = append(out, SharePoint{sorted[i].Share, sum / float64(j-i)})
		i = j
	}
	return out
}
