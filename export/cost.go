package export

import (
	"github.com/progrouter/progrouter/research"
)

// costTotals is research.Totals with unknown kept apart from zero: a sum to
// which no step contributed is nil.
type costTotals struct {
	Joules          *research.Micro `json:"joules"`
	Low             *research.Micro `json:"low"`
	High            *research.Micro `json:"high"`
	Method          string          `json:"method"`
	RouterJoules    *research.Micro `json:"router_joules"`
	RetrievalJoules *research.Micro `json:"retrieval_joules"`
	Dollars         *research.Micro `json:"dollars"`
	Seconds         float64         `json:"seconds"` // active wall time, not a sum
	Tokens          research.Tokens `json:"tokens"`
	Steps           int             `json:"steps"`
	UnknownSteps    int             `json:"unknown_steps"` // joules unknown, not in the sum
	UnknownDollars  int             `json:"unknown_dollar_steps"`
}

// add sums known amounts: unknown ones are counted beside the sum.
func add(sum, more *research.Micro) *research.Micro {
	if more == nil {
		return sum
	}
	return research.Known(research.OrZero(sum) + *more)
}

func (t *costTotals) addStep(s research.Step) {
	t.Steps++
	if s.Energy.Joules == nil {
		t.UnknownSteps++
	} else {
		t.Joules = add(t.Joules, s.Energy.Joules)
		t.Low = add(t.Low, s.Energy.Low)
		t.High = add(t.High, s.Energy.High)
		t.Method = research.MixMethods(t.Method, s.Energy.Method)
	}
	if s.Dollars == nil {
		t.UnknownDollars++
	}
	t.Dollars = add(t.Dollars, s.Dollars)
	t.RouterJoules = add(t.RouterJoules, s.RouterJoules)
	t.RetrievalJoules = add(t.RetrievalJoules, s.RetrievalJoules)
	t.Tokens.Input += s.Tokens.Input
	t.Tokens.Cached += s.Tokens.Cached
	t.Tokens.Output += s.Tokens.Output
	t.Tokens.Reasoning += s.Tokens.Reasoning
	t.Tokens.Counted = research.MixMethods(t.Tokens.Counted, s.Tokens.Counted)
}

// totalsOf sums the finished steps, exactly as research.Ledger.Totals does. A
// run without steps has spent nothing, which is known.
func totalsOf(steps []research.Step, seconds float64) costTotals {
	t := costTotals{Seconds: seconds}
	for _, s := range steps {
		if s.Outcome != research.InFlight {
			t.addStep(s)
		}
	}
	if t.Steps == 0 {
		zero := research.Micro(0)
		t.Joules, t.Low, t.High, t.Dollars = &zero, &zero, &zero, &zero
	}
	return t
}

// costTable is the short table a report ends with: one row per tier.
type costTable struct {
	Rows  []costRow
	Total costRow
	Notes []string
}

type costRow struct{ Name, Steps, Joules, Dollars, Seconds string }

func newCostTable(l *research.Ledger, w words) costTable {
	var t costTable
	for _, tier := range research.Tiers() {
		var steps []research.Step
		var seconds float64
		for _, s := range l.Steps {
			if s.Tier == tier && s.Outcome != research.InFlight {
				steps = append(steps, s)
				seconds += s.Seconds
			}
		}
		if len(steps) > 0 {
			t.Rows = append(t.Rows, newCostRow(w.tier(tier), totalsOf(steps, seconds), w))
		}
	}
	all := totalsOf(l.Steps, l.Run.ActiveSeconds)
	t.Total = newCostRow(w.Say("total"), all, w)
	if all.Joules != nil && all.Method != "" {
		t.Notes = append(t.Notes, w.Say("range", "Low", w.amount(all.Low), "High", w.amount(all.High), "Method", w.method(all.Method)))
	}
	if all.UnknownSteps > 0 {
		t.Notes = append(t.Notes, w.Count("unknown_steps", all.UnknownSteps))
	}
	if all.UnknownDollars > 0 {
		t.Notes = append(t.Notes, w.Count("unpriced_steps", all.UnknownDollars))
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, w.Say("seconds_note"))
	}
	t.Notes = append(t.Notes, savingsNotes(l, w)...)
	t.Notes = append(t.Notes, w.Say("cost_by"))
	return t
}

func newCostRow(name string, t costTotals, w words) costRow {
	return costRow{name, w.Int(t.Steps), w.amount(t.Joules), w.amount(t.Dollars), w.Short(t.Seconds)}
}
