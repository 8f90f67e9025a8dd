package trial

import (
	"math"
	"slices"

	"github.com/progrouter/progrouter/eval/stats"
	"github.com/progrouter/progrouter/research"
)

// bootstrapSeed of every interval; fixed, so that figures repeat.
const bootstrapSeed = 20

// field is the policies over the same runs: a whole stream, its steady part, or a
// suite of it.
type field struct {
	policies []research.Policy
	cloud    stats.Cloud
	means    []stats.Point
	keeps    []bool // the allowance, on average, over whole streams
	fixed    []int
	oracle   int // -1 when it was not played
	large    int

	allowance float64
}

// newField tallies the rows of each policy by item. Rows of other policies than
// the first must be of the same items, which streams in the same order are.
func newField(policies []research.Policy, rows map[research.Policy][]Row, keeps map[research.Policy]bool, allowance float64) (field, error) {
	f := field{allowance: allowance, policies: policies, oracle: slices.Index(policies, research.Oracle), large: slices.Index(policies, research.FixedLarge)}
	at := map[string]int{}
	for _, p := range policies {
		for _, r := range rows[p] {
			if _, ok := at[r.key()]; !ok {
				at[r.key()] = len(at)
			}
		}
	}
	var tallies []stats.Tallies
	for i, p := range policies {
		t := make(stats.Tallies, len(at))
		for _, r := range rows[p] {
			t[at[r.key()]].Add(r.Quality(), r.Units)
		}
		tallies = append(tallies, t)
		f.means = append(f.means, t.Point(nil))
		f.keeps = append(f.keeps, keeps[p])
		if _, ok := p.FixedTier(); ok {
			f.fixed = append(f.fixed, i)
		}
	}
	var err error
	f.cloud, err = stats.NewCloud(bootstrapSeed, tallies...)
	return f, err
}

func (r Row) key() string { return r.Suite + "\x00" + r.Item }

// of says where a policy stands.
func (f field) of(i int) Standing {
	s := Standing{Against: map[research.Policy]Difference{}, BeatenBy: []research.Policy{}, DominatedBy: []research.Policy{}}
	if len(f.fixed) > 0 {
		s.AboveLine = f.interval(func(at []stats.Point) float64 { return stats.Above(at[i], f.pick(at, f.fixed)) })
	}
	if f.large >= 0 {
		s.OfLarge = f.shares(func(at []stats.Point) stats.Point {
			return stats.Point{Cost: at[i].Cost / at[f.large].Cost, Quality: at[i].Quality / at[f.large].Quality}
		})
	}
	if f.oracle >= 0 && i != f.oracle {
		s.Regret = f.shares(func(at []stats.Point) stats.Point {
			return stats.Point{Cost: at[i].Cost - at[f.oracle].Cost, Quality: at[f.oracle].Quality - at[i].Quality}
		})
		s.Headroom = f.headroom(i, f.bestFixed)
		s.OverMixture = f.headroom(i, f.mixture)
	}
	for j, other := range f.policies {
		if j == i {
			continue
		}
		d := f.shares(func(at []stats.Point) stats.Point {
			return stats.Point{Cost: at[i].Cost - at[j].Cost, Quality: at[i].Quality - at[j].Quality}
		})
		if d == nil {
			continue
		}
		s.Against[other] = Difference(*d)
		if other == research.Oracle {
			continue
		}
		if f.keeps[j] && d.Quality.High < 0 {
			s.BeatenBy = append(s.BeatenBy, other)
		}
		if a, b := f.means[i], f.means[j]; b.Quality >= a.Quality && b.Cost <= a.Cost && (b.Quality > a.Quality || b.Cost < a.Cost) {
			s.DominatedBy = append(s.DominatedBy, other)
		}
	}
	return s
}

// headroom is the share of what the oracle has above a base. Nil where there is no
// base, or the oracle is no better.
func (f field) headroom(i int, base func(at []stats.Point) float64) *stats.Interval {
	return f.interval(func(at []stats.Point) float64 {
		b := base(at)
		if !(at[f.oracle].Quality > b) {
			return math.NaN()
		}
		return (at[i].Quality - b) / (at[f.oracle].Quality - b)
	})
}

// bestFixed is the quality of the best fixed policy that keeps the allowance.
func (f field) bestFixed(at []stats.Point) float64 {
	best := math.NaN()
	for _, j := range f.fixed {
		if f.keeps[j] && !(at[j].Quality <= best) {
			best = at[j].Quality
		}
	}
	return best
}

// mixture is what tossing a coin between the fixed tiers has at the allowance.
func (f field) mixture(at []stats.Point) float64 {
	return stats.Hull(f.pick(at, f.fixed)).At(f.allowance)
}

func (f field) pick(at []stats.Point, which []int) []stats.Point {
	out := make([]stats.Point, len(which))
	for n, i := range which {
		out[n] = at[i]
	}
	return out
}

// interval is nil where the statistic has no answer on the items themselves.
func (f field) interval(stat func([]stats.Point) float64) *stats.Interval {
	iv := f.cloud.Interval(stat)
	if math.IsNaN(iv.Mean) || math.IsInf(iv.Mean, 0) {
		return nil
	}
	return &iv
}

func (f field) shares(stat func([]stats.Point) stats.Point) *Shares {
	q := f.interval(func(at []stats.Point) float64 { return stat(at).Quality })
	c := f.interval(func(at []stats.Point) float64 { return stat(at).Cost })
	if q == nil || c == nil {
		return nil
	}
	return &Shares{*q, *c}
}
