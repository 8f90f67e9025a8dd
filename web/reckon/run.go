// Package reckon puts together what stored runs say about other choices of tiers:
// what a run would have cost, what routing saved over a period, and what single
// steps would have brought. Pages, exports and the API show the same figures. It
// is pure computation on domain types by package whatif, and must not know pages,
// markup, HTTP or storage.
package reckon

import (
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router/whatif"
)

// Run is what a stored run says about other assignments of tiers. Every figure
// but the run's own is an estimate.
type Run struct {
	Steps int `json:"steps"` // finished ones
	// Routed is false where the policy has one tier for every step: then nothing
	// was chosen, and nothing can have been saved by choosing.
	Routed bool `json:"routed"`
	// Savings is nil where nothing was routed or no step has finished. What learning
	// took is not in it: that serves all runs and is counted over periods.
	Savings *whatif.Statement `json:"savings"`
	// AsTaken is the run's own assignment, priced like the others: without what
	// deciding took.
	AsTaken whatif.Repriced `json:"as_taken"`
	// All has every step on one tier, ByRole those of one role alone.
	All    []Assigned `json:"all_steps"`
	ByRole []Assigned `json:"by_role"`
}

// Assigned is a run priced under another assignment.
type Assigned struct {
	Role research.Role `json:"role,omitempty"` // empty: all steps
	Tier research.Tier `json:"tier"`
	whatif.Repriced
}

// Routes says whether a policy chooses between tiers.
func Routes(p research.Policy) bool {
	_, fixed := p.FixedTier()
	return !fixed
}

// OfRun prices a run under other assignments.
func OfRun(l *research.Ledger) Run {
	done := make([]research.Step, 0, len(l.Steps))
	roles := map[research.Role]bool{}
	for _, s := range l.Steps {
		if s.Outcome != research.InFlight {
			done = append(done, s)
			roles[s.Role] = true
		}
	}
	out := Run{
		Steps: len(done), Routed: Routes(l.Run.Policy), All: []Assigned{}, ByRole: []Assigned{},
		AsTaken: whatif.Reprice(done, func(s research.Step) research.Tier { return s.Tier }),
	}
	if len(done) == 0 {
		return out
	}
	if out.Routed {
		s := whatif.State(0, done)
		out.Savings = &s
	}
	for _, t := range research.Tiers() {
		out.All = append(out.All, Assigned{Tier: t, Repriced: whatif.Reprice(done, whatif.Everywhere(t))})
	}
	for _, role := range research.Roles() {
		if !roles[role] {
			continue
		}
		for _, t := range research.Tiers() {
			only := whatif.ByRole(map[research.Role]research.Tier{role: t})
			out.ByRole = append(out.ByRole, Assigned{Role: role, Tier: t, Repriced: whatif.Reprice(done, only)})
		}
	}
	return out
}
