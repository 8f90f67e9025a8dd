package orchestrator

import (
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

// cheapestWorst is the smallest worst case among the eligible models the
// policy may use: its own tier for a fixed policy, else any.
func cheapestWorst(p research.Policy, es []research.Estimate) (research.Cost, bool) {
	tier, fixed := p.FixedTier()
	var best research.Cost
	ok := false
	for _, e := range es {
		if !e.Eligible || fixed && (e.Tier != tier || e.Standby) {
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
