package router

import "github.com/progrouter/progrouter/research"

// triesFirst is how often a model is tried in a role before its record counts.
const triesFirst = 3

// educatedRule goes by the record of each model in the role: what its steps gained
// and cost on average, whatever the state they were taken in, and nothing of where
// this run stands. Models with fewer than triesFirst steps are tried first, the
// least tried and then the cheapest, since a record of nothing cannot be compared;
// after that it explores like progrouter's rule. The virtual queue counts, because
// it belongs to the stream and not to the run.
type educatedRule struct{}

func (educatedRule) lens(*Input) lens { return lens{blind: true} }

// believe gives the means of the record. What was never known of the costs is
// taken from the estimate.
func (educatedRule) believe(in *Input, i int, p costs) *research.Belief {
	s := in.record(in.Candidates[i].Model)
	if s.N <= 0 {
		return &research.Belief{Gain: finite(in.Candidates[i].Predicted.Gain), Cost: p.expected}
	}
	mean := research.Cost{Seconds: positive(s.Seconds) / float64(s.N)}
	if s.Joules > 0 {
		mean.Joules = research.Known(s.Joules / research.Micro(s.N))
	}
	if s.Dollars > 0 {
		mean.Dollars = research.Known(s.Dollars / research.Micro(s.N))
	}
	return &research.Belief{Gain: finite(s.Gain / float64(s.N)), Cost: known(mean, p.expected), Steps: s.N}
}

func (educatedRule) choose(in *Input, t table) choice {
	least := -1
	for _, i := range t.eligible {
		n := t.tried(i)
		if n < triesFirst && (least < 0 || n < t.tried(least) || n == t.tried(least) && t.cheaper(i, least) < 0) {
			least = i
		}
	}
	if least >= 0 {
		return in.exploring(t, choice{index: least, code: ReasonUntried})
	}
	return in.exploring(t, choice{index: t.best(t.eligible), code: ReasonBestRecord})
}

// record sums the rows of a model in this role.
func (in *Input) record(model string) research.GainStat {
	var sum research.GainStat
	for _, s := range in.Stats {
		if s.Model == model && s.Role == in.Role && s.N > 0 {
			sum.N += s.N
			sum.Gain += s.Gain
			sum.Joules += s.Joules
			sum.Dollars += s.Dollars
			sum.Seconds += s.Seconds
		}
	}
	return sum
}

// tried is how many steps a candidate's record has.
func (t table) tried(i int) int64 {
	if b := t.cs[i].Believed; b != nil {
		return b.Steps
	}
	return 0
}

// known fills the unknown amounts of a cost from another.
func known(c, other research.Cost) research.Cost {
	if c.Joules == nil {
		c.Joules = other.Joules
	}
	if c.Dollars == nil {
		c.Dollars = other.Dollars
	}
	return c
}
