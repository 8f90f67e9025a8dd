package orchestrator

import (
	"slices"

	"github.com/progrouter/progrouter/research"
)

// spent is what the run has used: finished steps and active time.
func spent(l *research.Ledger, active float64) research.Cost {
	t := l.Totals()
	return research.Cost{Joules: research.Known(t.Joules), Dollars: research.Known(t.Dollars), Seconds: active}
}

// add sums two costs; unknown stays unknown.
func add(a, b research.Cost) research.Cost {
	return research.Cost{
		Joules: research.Add(a.Joules, b.Joules), Dollars: research.Add(a.Dollars, b.Dollars),
		Seconds: a.Seconds + b.Seconds,
	}
}

// rolesAfter are the steps that must still fit once a step of this role is
// done, so that what was found becomes a reviewed report.
func rolesAfter(r research.Role) []research.Role {
	switch r {
	case research.Writer:
		return []research.Role{research.Reviewer}
	case research.Reviewer:
		return nil
	}
	return []research.Role{research.Writer, research.Reviewer}
}

// served says whether a fixed policy may use a model: it is of its tier, and no
// substitute unless the tier has nothing else.
func served(p research.Policy, es []research.Estimate, e research.Estimate) bool {
	tier, _ := p.FixedTier()
	if e.Tier != tier || !e.Standby {
		return e.Tier == tier
	}
	return !slices.ContainsFunc(es, func(o research.Estimate) bool { return o.Tier == tier && !o.Standby })
}

// cheapestWorst is the smallest worst case among the eligible models the
// policy may use: its own tier for a fixed policy, else any.
func cheapestWorst(p research.Policy, es []research.Estimate) (research.Cost, bool) {
	_, fixed := p.FixedTier()
	var best research.Cost
	ok := false
	for _, e := range es {
		if !e.Eligible || fixed && !served(p, es, e) {
			continue
		}
		if !ok || cheaper(e.Worst, best) {
			best, ok = e.Worst, true
		}
	}
	return best, ok
}

func cheaper(a, b research.Cost) bool {
	if (a.Joules == nil) != (b.Joules == nil) {
		return a.Joules != nil
	}
	if aj, bj := research.OrZero(a.Joules), research.OrZero(b.Joules); aj != bj {
		return aj < bj
	}
	if ad, bd := research.OrZero(a.Dollars), research.OrZero(b.Dollars); ad != bd {
		return ad < bd
	}
	return a.Seconds < b.Seconds
}
