package router

import (
	"cmp"
	"slices"

	"github.com/progrouter/progrouter/research"
)

// Reason codes. Pages translate by them; the other fields of the decision hold
// the numbers.
const (
	ReasonFixed           = "fixed"            // the policy names the tier
	ReasonTierUnavailable = "tier_unavailable" // …and that tier cannot take the step
	ReasonNothingFits     = "nothing_fits"     // no candidate is eligible
	ReasonOnlyFits        = "only_fits"        // one candidate is eligible
	ReasonExplored        = "explored"         // drawn at random to keep learning
	ReasonBestValue       = "best_value"       // dearer than another, and worth it
	ReasonCheapestEnough  = "cheapest_enough"  // the cheapest has the best score
	ReasonStartedSmall    = "started_small"    // cascade: nothing went wrong so far
	ReasonEscalated       = "escalated"        // cascade: an earlier step stalled
	ReasonHeldBack        = "held_back"        // cascade: …but no larger tier can take the step
	ReasonRandom          = "random"           // the policy draws
	ReasonAssessed        = "assessed"         // one-shot: judged by the question alone
	ReasonKept            = "kept"             // one-shot: as chosen when the run began
	ReasonNearest         = "nearest_tier"     // one-shot: …but that tier cannot take the step
	ReasonUntried         = "untried"          // educated: its record is too short to compare
	ReasonBestRecord      = "best_record"      // educated: the best by its earlier steps
	ReasonGainPerCost     = "gain_per_cost"    // greedy: the most progress per joule
	ReasonTruth           = "truth"            // oracle
)

// choice is what a policy made of the eligible candidates.
type choice struct {
	index      int // in Candidates, -1 for none
	propensity float64
	explored   bool
	code       string
	own        int            // when explored: what the policy would have taken
	why        *research.Step // cascade: the step that made it escalate; one-shot: the run's first
}

// Decide chooses a model for a step. With no choice Chosen is empty and the
// reason says why. The input is not changed.
func Decide(in Input) research.Decision {
	d := research.Decision{
		Policy: in.Policy, Progress: in.Progress,
		Queue: max(0, in.Queue).Units(), Allowance: max(0, in.Allowance).Units(),
		Spent: in.Spent, Remaining: in.Budget.Left(in.Spent),
		Candidates: append([]research.Candidate{}, in.Candidates...),
	}
	r, params := ruleFor(in.Policy), in.params()
	t, _ := in.weigh(&params, r, d.Candidates)
	ch := in.choose(r, t)
	if ch.index >= 0 {
		d.Chosen, d.Propensity, d.Explored = d.Candidates[ch.index].Model, ch.propensity, ch.explored
	}
	in.explain(&d, t, ch)
	return d
}

// weigh admits and scores the candidates, in place. in is the caller's own copy.
func (in *Input) weigh(p *Params, r rule, cs []research.Candidate) (table, []course) {
	view := r.lens(in)
	ps, standIn := prices(cs)
	gains, costs := make([]float64, len(cs)), make([]research.Cost, len(cs))
	left := in.Budget.Left(in.Spent)
	for i := range cs {
		c := &cs[i]
		c.StandIn, c.Believed = standIn[i], r.believe(in, i, ps[i])
		in.admit(c, ps[i], left)
		gains[i] = finite(c.Predicted.Gain)
		if b := c.Believed; b != nil {
			gains[i], ps[i].expected = b.Gain, b.Cost
			in.After = nil // what the predictor says of later steps is not what this policy believes
		}
		costs[i] = ps[i].expected
	}
	t := table{cs: cs, prices: ps, eligible: in.ready(cs)}
	// Who may take the steps after this one: of a fixed tier nobody else.
	tier, fixed := in.Policy.FixedTier()
	follows := func(i int) bool { return slices.Contains(t.eligible, i) && (!fixed || cs[i].Tier == tier) }
	courses := in.courses(p, view, follows, gains, costs)
	for i, x := range courses {
		if in.Again > 1 {
			cs[i].Attempts = x.steps
		}
		cs[i].Terms, cs[i].Score = x.terms, x.terms.Sum()
	}
	return t, courses
}

// table is the scored candidates.
type table struct {
	cs       []research.Candidate
	prices   []costs
	eligible []int // indices into cs
}

// best is the argmax of the score; equal scores go to the cheaper, then to the
// earlier one.
func (t table) best(from []int) int {
	top := -1
	for _, i := range from {
		if top < 0 || t.cs[i].Score > t.cs[top].Score || (t.cs[i].Score == t.cs[top].Score && t.cheaper(i, top) < 0) {
			top = i
		}
	}
	return top
}

// cheaper compares expected joules, then dollars, then seconds.
func (t table) cheaper(a, b int) int {
	x, y := t.prices[a].expected, t.prices[b].expected
	return cmp.Or(
		cmp.Compare(research.OrZero(x.Joules), research.OrZero(y.Joules)),
		cmp.Compare(research.OrZero(x.Dollars), research.OrZero(y.Dollars)),
		cmp.Compare(x.Seconds, y.Seconds),
	)
}

func (t table) cheapest(from []int) int {
	low := -1
	for _, i := range from {
		if low < 0 || t.cheaper(i, low) < 0 {
			low = i
		}
	}
	return low
}

// ofTier lists the eligible candidates of a tier.
func (t table) ofTier(tier research.Tier) []int {
	var out []int
	for _, i := range t.eligible {
		if t.cs[i].Tier == tier {
			out = append(out, i)
		}
	}
	return out
}
