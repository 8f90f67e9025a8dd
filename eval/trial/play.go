package trial

import (
	"context"
	"fmt"
	"slices"

	"github.com/progrouter/progrouter/research"
)

// Result is what was played.
type Result struct {
	World     string
	Metric    string // of quality; Metric when empty
	Unit      Unit
	Models    []Model
	Suites    []string
	Items     int
	Options   Options
	Allowance float64
	Large     float64 // what fixed-large uses per run, 0 where it was not played
	Limits    map[string]Limit
	Rows      []Row
	Sweep     []SweepRow
	// Skipped policies cannot be played in this world, with the reason.
	Skipped map[research.Policy]string
	Notes   []string
}

// SweepRow is one policy at one further allowance.
type SweepRow struct {
	Policy    research.Policy
	Share     float64 // of what fixed-large uses
	Allowance float64
	Quality   float64
	Cost      float64
	Strong    float64 // share of attempts by the strongest model
	Kept      bool
}

// Play runs every policy on the stream of every seed. When it ends before its
// time, because of an error or because ctx did, the result holds what was played
// so far.
func Play(ctx context.Context, w World, o Options) (*Result, error) {
	o = o.of(w).withDefaults()
	items := o.items(w)
	if len(items) == 0 {
		return nil, research.Errorf(research.EInvalid, "trial_empty",
			"%s has no tasks to play. Check the files, the split and the limit.", w.Name())
	}
	res := &Result{
		World: w.Name(), Unit: w.Unit(), Models: w.Models(), Items: len(items), Options: o, Allowance: o.Allowance,
		Limits: map[string]Limit{}, Skipped: map[research.Policy]string{},
	}
	for _, it := range items {
		if !slices.Contains(res.Suites, it.Suite) {
			res.Suites = append(res.Suites, it.Suite)
		}
		res.Limits[it.Kind] = o.limit(res.Models, it.Kind)
	}
	if n, ok := w.(interface{ Notes() []string }); ok {
		res.Notes = n.Notes()
	}
	for _, p := range o.order() {
		if why := unplayable(w, items, p); why != "" {
			res.Skipped[p] = why
			continue
		}
		if err := res.play(ctx, w, items, p); err != nil {
			return res, err
		}
	}
	if len(res.Rows) == 0 {
		return nil, research.Errorf(research.EInvalid, "trial_policies",
			"None of the policies can be played in %s. Name one whose tier it has.", w.Name())
	}
	return res, res.sweep(ctx, w, items)
}

// order puts fixed-large first where something is measured by it.
func (o Options) order() []research.Policy {
	if o.Allowance > 0 && len(o.Sweep) == 0 {
		return o.Policies
	}
	rest := slices.DeleteFunc(slices.Clone(o.Policies), func(p research.Policy) bool { return p == research.FixedLarge })
	return append([]research.Policy{research.FixedLarge}, rest...)
}

// unplayable says why a policy makes no sense in a world.
func unplayable(w World, items []Item, p research.Policy) string {
	if tier, fixed := p.FixedTier(); fixed && !slices.ContainsFunc(w.Models(), func(m Model) bool { return m.Tier == tier }) {
		return fmt.Sprintf("no %s model takes part", tier)
	}
	if p != research.Oracle {
		return ""
	}
	for _, m := range w.Models() {
		if _, _, ok := foresee(w, items[0], m.Name, "", 0); !ok {
			return "this world cannot tell what would have happened"
		}
	}
	return ""
}

func (r *Result) play(ctx context.Context, w World, items []Item, p research.Policy) error {
	rows, err := r.streams(ctx, w, items, p, r.Allowance)
	r.Rows = append(r.Rows, rows...)
	if err != nil {
		return err
	}
	if p == research.FixedLarge {
		r.Large = mean(rows, Row.units)
		if r.Allowance <= 0 {
			r.Allowance = AllowanceShare * r.Large
		}
	}
	return nil
}

// streams plays a policy on every seed.
func (r *Result) streams(ctx context.Context, w World, items []Item, p research.Policy, allowance float64) ([]Row, error) {
	var all []Row
	for _, seed := range r.Options.Seeds {
		rows, err := newStream(w, r.Options, p, seed, allowance).play(ctx, inOrder(items, seed))
		all = append(all, rows...)
		if err != nil {
			return all, err
		}
		if out := r.Options.Progress; out != nil {
			fmt.Fprintf(out, "%-24s seed %d  %d runs  solved %.3f  %.4g %s a run\n", p, seed, len(rows), mean(rows, Row.Quality), mean(rows, Row.units), r.Unit.Symbol)
		}
	}
	return all, nil
}

// sweep plays the policies that route at further allowances.
func (r *Result) sweep(ctx context.Context, w World, items []Item) error {
	for _, share := range r.Options.Sweep {
		if !(share > 0) || r.Large <= 0 {
			continue
		}
		for _, p := range r.Options.Policies {
			if _, fixed := p.FixedTier(); fixed || r.Skipped[p] != "" {
				continue
			}
			rows, err := r.streams(ctx, w, items, p, share*r.Large)
			if err != nil {
				return err
			}
			r.Sweep = append(r.Sweep, SweepRow{
				Policy: p, Share: share, Allowance: share * r.Large, Quality: mean(rows, Row.Quality), Cost: mean(rows, Row.units),
				Strong: r.strong(rows), Kept: kept(rows, share*r.Large).onAverage,
			})
		}
	}
	return nil
}

// strong is the share of attempts by the models of the highest tier.
func (r *Result) strong(rows []Row) float64 {
	top := map[string]bool{}
	high := -1
	for _, m := range r.Models {
		high = max(high, slices.Index(research.Tiers(), m.Tier))
	}
	for _, m := range r.Models {
		top[m.Name] = slices.Index(research.Tiers(), m.Tier) == high
	}
	n, strong := 0.0, 0.0
	for _, x := range rows {
		for _, s := range x.Steps {
			n++
			if top[s.Model] {
				strong++
			}
		}
	}
	if n == 0 {
		return 0
	}
	return strong / n
}

// adherence is how streams kept an allowance.
type adherence struct {
	onAverage bool // the mean over all streams
	streams   int  // how many of them by themselves
	of        int
}

// keptWithin is how far a stream's mean may lie above its allowance, as a factor.
const keptWithin = 1.01

func kept(rows []Row, allowance float64) adherence {
	sum, n := map[int]float64{}, map[int]float64{}
	for _, x := range rows {
		sum[x.Seed] += x.Units
		n[x.Seed]++
	}
	a := adherence{of: len(n), onAverage: len(rows) > 0 && mean(rows, Row.units) <= keptWithin*allowance}
	for seed := range n {
		if sum[seed]/n[seed] <= keptWithin*allowance {
			a.streams++
		}
	}
	return a
}

func (r Row) units() float64 { return r.Units }

func mean(rows []Row, f func(Row) float64) float64 {
	if len(rows) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range rows {
		sum += f(x)
	}
	return sum / float64(len(rows))
}
