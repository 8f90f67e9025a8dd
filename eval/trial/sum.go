package trial

import (
	"math"
	"slices"

	"github.com/progrouter/progrouter/eval/stats"
	"github.com/progrouter/progrouter/research"
)

// Document sums the rows.
func (r *Result) Document() (Document, error) {
	d := Document{
		World: r.World, Unit: UnitDocument(r.Unit), Suites: r.Suites, Split: r.Options.Split, Items: r.Items, Seeds: len(r.Options.Seeds), SeedList: r.Options.Seeds,
		Allowance: r.Allowance, Budgets: r.Limits, MaxAttempts: r.Options.MaxAttempts, Settling: r.Options.Stable,
		Params: r.Options.Params, Skipped: r.Skipped, Notes: r.Notes,
	}
	if r.Unit.Method != "" {
		d.AllowanceJoules = &r.Allowance
	}
	if r.Large > 0 {
		d.LargeUnits = &r.Large
	}
	for _, m := range r.Models {
		d.Models = append(d.Models, ModelDocument{m.Name, m.Tier})
	}
	all, err := r.scope(func(Row) bool { return true })
	if err != nil {
		return d, err
	}
	for i, p := range r.policies() {
		pd := all[i]
		pd.Policy, pd.BySuite = p, map[string]*PolicyDocument{}
		if pd.Predictor, err = predictorOf(r.rows(p)); err != nil {
			return d, err
		}
		d.Policies = append(d.Policies, pd)
	}
	for _, s := range r.Suites {
		one, err := r.scope(func(x Row) bool { return x.Suite == s })
		if err != nil {
			return d, err
		}
		for i := range d.Policies {
			d.Policies[i].BySuite[s] = &one[i]
		}
	}
	r.curves(&d)
	return d, nil
}

func (r *Result) policies() []research.Policy {
	var out []research.Policy
	for _, x := range r.Rows {
		if !slices.Contains(out, x.Policy) {
			out = append(out, x.Policy)
		}
	}
	return out
}

func (r *Result) rows(p research.Policy) []Row {
	return slices.DeleteFunc(slices.Clone(r.Rows), func(x Row) bool { return x.Policy != p })
}

// scope sums every policy over some of the runs, the steady state beside them.
func (r *Result) scope(in func(Row) bool) ([]PolicyDocument, error) {
	whole, err := r.figures(in)
	if err != nil {
		return nil, err
	}
	steady, err := r.figures(func(x Row) bool { return x.Steady && in(x) })
	if err != nil {
		return nil, err
	}
	out := make([]PolicyDocument, len(whole))
	for i := range whole {
		out[i] = PolicyDocument{Figures: whole[i], Steady: &steady[i]}
	}
	return out, nil
}

func (r *Result) figures(in func(Row) bool) ([]Figures, error) {
	policies := r.policies()
	rows, keeps := map[research.Policy][]Row{}, map[research.Policy]bool{}
	for _, x := range r.Rows {
		if in(x) {
			rows[x.Policy] = append(rows[x.Policy], x)
		}
	}
	for _, p := range policies {
		keeps[p] = kept(r.rows(p), r.Allowance).onAverage
	}
	f, err := newField(policies, rows, keeps, r.Allowance)
	if err != nil {
		return nil, err
	}
	out := make([]Figures, len(policies))
	for i, p := range policies {
		out[i] = r.sum(rows[p])
		if q, u := f.interval(func(at []stats.Point) float64 { return at[i].Quality }), f.interval(func(at []stats.Point) float64 { return at[i].Cost }); q != nil && u != nil {
			out[i].Quality.Interval, out[i].Units.Interval = *q, *u // else there are no runs
		}
		out[i].Standing = f.of(i)
	}
	return out, nil
}

// sum is what needs no other policy.
func (r *Result) sum(rows []Row) Figures {
	f := Figures{
		Runs: len(rows), Score: mean(rows, func(x Row) float64 { return x.Share }), Attempts: mean(rows, func(x Row) float64 { return float64(len(x.Steps)) }),
		Dollars: mean(rows, func(x Row) float64 { return x.Dollars }), Seconds: mean(rows, func(x Row) float64 { return x.Seconds }),
		Shares: map[string]float64{}, Stopped: map[string]int{},
	}
	f.Quality.Metric = r.Metric
	if r.Metric == "" {
		f.Quality.Metric = Metric
	}
	f.Quality.Seeds, f.Units.Seeds = stats.T(bySeed(rows, Row.Quality)), stats.T(bySeed(rows, Row.units))
	if r.Unit.Method != "" {
		f.Joules = &JouleRange{
			mean(rows, Row.units), mean(rows, func(x Row) float64 { return x.Low }), mean(rows, func(x Row) float64 { return x.High }), r.Unit.Method,
		}
	}
	attempts := 0
	for _, x := range rows {
		f.Stopped[x.Stopped]++
		f.Beyond += x.Beyond
		if x.Overrun {
			f.Overruns++
		}
		for _, s := range x.Steps {
			attempts++
			f.Shares[s.Model]++
			if s.Explored {
				f.Explored++
			}
		}
	}
	for m := range f.Shares {
		f.Shares[m] *= 100 / float64(attempts)
	}
	f.Explored *= 100 / math.Max(1, float64(attempts))
	k := kept(rows, r.Allowance)
	f.AllowanceKept, f.StreamsKept, f.KeptOnAverage = k.streams == k.of && k.of > 0, k.streams, k.onAverage
	return f
}

// bySeed is the mean of each stream.
func bySeed(rows []Row, value func(Row) float64) []float64 {
	by := map[int][]float64{}
	var seeds []int
	for _, x := range rows {
		if by[x.Seed] == nil {
			seeds = append(seeds, x.Seed)
		}
		by[x.Seed] = append(by[x.Seed], value(x))
	}
	var out []float64
	for _, s := range seeds {
		out = append(out, stats.Mean(by[s]))
	}
	return out
}

// curves adds what is read from several allowances and from all policies.
func (r *Result) curves(d *Document) {
	var fixed, all []stats.Point
	for _, p := range d.Policies {
		at := stats.Point{Label: string(p.Policy), Cost: p.Units.Mean, Quality: p.Quality.Mean}
		if _, ok := p.Policy.FixedTier(); ok {
			fixed = append(fixed, at)
		}
		if p.Policy != research.Oracle {
			all = append(all, at)
		}
	}
	d.FixedLine, d.Hull = stats.Hull(fixed), stats.Hull(all)
	d.FixedAIQ = known(aiq(fixed, fixed))
	for i := range d.Policies {
		p := &d.Policies[i]
		p.Curve = r.curve(p)
		p.AIQ = known(aiq(points(p.Curve), fixed))
		if _, ok := p.Policy.FixedTier(); !ok { // a fixed tier has no curve between the two
			p.APGR = known(r.apgr(p.Curve, d))
		}
	}
}

// curve is the policy at the allowance that was set and at those of the sweep.
func (r *Result) curve(p *PolicyDocument) []CurvePoint {
	out := []CurvePoint{{r.Allowance, p.Quality.Mean, p.Units.Mean, r.strong(r.rows(p.Policy)), p.KeptOnAverage}}
	for _, s := range r.Sweep {
		if s.Policy == p.Policy {
			out = append(out, CurvePoint{s.Allowance, s.Quality, s.Cost, s.Strong, s.Kept})
		}
	}
	slices.SortStableFunc(out, func(a, b CurvePoint) int {
		switch {
		case a.Allowance < b.Allowance:
			return -1
		case a.Allowance > b.Allowance:
			return 1
		}
		return 0
	})
	return out
}

// aiq goes from the cheapest fixed tier's cost to the dearest's, the same for
// every policy.
func aiq(of, fixed []stats.Point) float64 {
	if len(fixed) == 0 {
		return math.NaN()
	}
	low, high := fixed[0].Cost, fixed[0].Cost
	for _, p := range fixed {
		low, high = min(low, p.Cost), max(high, p.Cost)
	}
	return stats.AIQ(of, low, high)
}

func points(curve []CurvePoint) []stats.Point {
	var out []stats.Point
	for _, c := range curve {
		out = append(out, stats.Point{Cost: c.Units, Quality: c.Quality})
	}
	return out
}

// apgr is between fixed-small and fixed-large.
func (r *Result) apgr(curve []CurvePoint, d *Document) float64 {
	weak, strong := math.NaN(), math.NaN()
	for _, p := range d.Policies {
		switch p.Policy {
		case research.FixedSmall:
			weak = p.Quality.Mean
		case research.FixedLarge:
			strong = p.Quality.Mean
		}
	}
	var points []stats.SharePoint
	for _, c := range curve {
		points = append(points, stats.SharePoint{Share: c.Strong, Quality: c.Quality})
	}
	return stats.APGR(points, weak, strong)
}

func known(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}
