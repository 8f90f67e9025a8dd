package router

import (
	"fmt"
	"math"
	"slices"

	"github.com/progrouter/progrouter/research"
)

// Codes of WhyCode that the router sets; models set others ("language" …).
const (
	WhyJoules         = "joules"
	WhyDollars        = "dollars"
	WhySeconds        = "seconds"
	WhyUnknownJoules  = "unknown_joules"
	WhyUnknownDollars = "unknown_dollars"
	WhyUnable         = "unable"
	WhyStandby        = "standby" // a substitute, not needed here
)

// positive clamps to ≥ 0; NaN is 0.
func positive(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return x
}

// costs are a candidate's prices with stand-ins for unknown ones. Nil means
// that no candidate's price is known.
type costs struct {
	expected, worst research.Cost
}

// prices fills unknown joules and dollars with the dearest known candidate's
// value, and says which candidates that happened to.
func prices(cs []research.Candidate) (out []costs, standIn []bool) {
	top := costs{}
	for _, c := range cs {
		top.expected.Joules = dearer(top.expected.Joules, c.Expected.Joules)
		top.expected.Dollars = dearer(top.expected.Dollars, c.Expected.Dollars)
		top.worst.Joules = dearer(top.worst.Joules, c.Worst.Joules)
		top.worst.Dollars = dearer(top.worst.Dollars, c.Worst.Dollars)
	}
	for _, c := range cs {
		p := costs{expected: c.Expected, worst: c.Worst}
		used := false
		for _, u := range []struct{ own, other **research.Micro }{
			{&p.expected.Joules, &top.expected.Joules}, {&p.expected.Dollars, &top.expected.Dollars},
			{&p.worst.Joules, &top.worst.Joules}, {&p.worst.Dollars, &top.worst.Dollars},
		} {
			if *u.own == nil && *u.other != nil {
				*u.own, used = *u.other, true
			}
		}
		out, standIn = append(out, p), append(standIn, used)
	}
	return out, standIn
}

func dearer(a, b *research.Micro) *research.Micro {
	if a == nil || (b != nil && *b > *a) {
		return b
	}
	return a
}

// admit marks the candidate ineligible when its worst case and the reserve do
// not fit what is left, in words.
func (in *Input) admit(c *research.Candidate, p costs, left research.Cost) {
	if !c.Eligible {
		if c.WhyNot == "" {
			c.WhyNot = "This model cannot take this step."
		}
		if c.WhyCode == "" {
			c.WhyCode = WhyUnable
		}
		return
	}
	c.WhyNot, c.WhyCode = "", ""
	refuse := func(code, why string) {
		if c.Eligible {
			c.Eligible, c.WhyCode, c.WhyNot = false, code, why
		}
	}
	if in.Given.Joules != nil && c.Worst.Joules == nil {
		refuse(WhyUnknownJoules, "What it would use in joules is unknown, and this run has a joule budget.")
	}
	if in.Given.Dollars != nil && c.Worst.Dollars == nil {
		refuse(WhyUnknownDollars, "Its price is unknown, and this run has a dollar budget.")
	}
	if !fits(p.worst.Joules, left.Joules, in.Reserve.Joules) {
		refuse(WhyJoules, tooMuch(joules(p.worst.Joules), joules(left.Joules), joules(in.Reserve.Joules)))
	}
	if !fits(p.worst.Dollars, left.Dollars, in.Reserve.Dollars) {
		refuse(WhyDollars, tooMuch(dollars(p.worst.Dollars), dollars(left.Dollars), dollars(in.Reserve.Dollars)))
	}
	if s := c.Worst.Seconds; math.IsNaN(s) || positive(s) > left.Seconds-positive(in.Reserve.Seconds) {
		refuse(WhySeconds, tooMuch(seconds(s), seconds(left.Seconds), seconds(in.Reserve.Seconds)))
	}
}

// ready lists the candidates that may be chosen: the eligible ones, those on
// standby only when there is no other and the policy leaves the choice free, or
// when it asks for a tier that has nothing else.
func (in *Input) ready(cs []research.Candidate) []int {
	var first, standby []int
	for i, c := range cs {
		switch {
		case !c.Eligible:
		case c.Standby:
			standby = append(standby, i)
		default:
			first = append(first, i)
		}
	}
	tier, fixed := in.Policy.FixedTier()
	if !fixed && len(first) == 0 {
		return standby
	}
	// Where a tier has nothing else, a policy that asks for it asks for its
	// substitute.
	served := slices.ContainsFunc(cs, func(c research.Candidate) bool { return c.Tier == tier && !c.Standby })
	for _, i := range standby {
		if fixed && !served && cs[i].Tier == tier {
			first = append(first, i)
			continue
		}
		cs[i].Eligible, cs[i].WhyCode = false, WhyStandby
		cs[i].WhyNot = "It stands by for steps that no other model can take."
	}
	return first
}

// fits: unknown amounts and open budgets always do; unknown ones under a budget
// that the user set were refused before.
func fits(worst, left, reserve *research.Micro) bool {
	if worst == nil || left == nil {
		return true
	}
	return max(0, *worst) <= *left-max(0, research.OrZero(reserve))
}

func tooMuch(worst, left, reserve string) string {
	return fmt.Sprintf("It could need up to %s; %s are left, of which %s are kept for finishing the report.", worst, left, reserve)
}
