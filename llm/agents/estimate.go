package agents

import (
	"context"
	"fmt"

	"github.com/progrouter/progrouter/llm/embedded"
	"github.com/progrouter/progrouter/research"
)

// waiting is how many seconds more than its work a step may take, for a place at
// the server and for attempts after failures.
const waiting = 30.0

// Estimate says what a step would cost: the engine's own work, and every call
// that the step may make. Its worst case is what calls are then held to.
func (e *Engine) Estimate(ctx context.Context, name string, t research.Task) research.Estimate {
	m := e.find(name)
	if m == nil || t.Ledger == nil {
		return research.Estimate{Model: name, WhyCode: "unknown_model", WhyNot: fmt.Sprintf("No language model named %q is connected.", name)}
	}
	t.Model = name
	own := e.base.EstimateGuided(ctx, t, e.base.Base(m.Tier, t.Ledger.Run.Language))
	out := research.Estimate{Model: name, Tier: m.Tier, Own: own.Worst.Joules, Patience: own.Patience}
	now := e.now()
	out.WhyCode, out.WhyNot = m.canAnswer(t.Role, sizes[t.Role].least(m, e.fixed(t.Role, t.Ledger.Run.Question)), now)
	out.Eligible = out.WhyCode == ""
	out.Expected, out.Worst = own.Expected, own.Worst
	calls := e.callsOf(t)
	if calls == 0 {
		out.Switching = research.Known(0)
		return out
	}
	l := m.lessons(now)
	w, loading := m.workload(e, t, l), m.switching(l)
	out.Switching = loading.Joules
	out.Expected = sum(sum(out.Expected, times(w.expected, calls)), loading)
	out.Worst = sum(out.Worst, times(w.worst, calls))
	if l.warm { // else every call's worst case has it already
		out.Worst.Seconds += loading.Seconds
	}
	out.Worst = sum(out.Worst, research.Cost{Joules: w.repair.Joules, Dollars: w.repair.Dollars})
	out.Patience += waiting + w.repair.Seconds
	return out
}

// callsOf is how many calls a step makes, repair turns aside.
func (e *Engine) callsOf(t research.Task) int {
	switch t.Role {
	case research.Searcher:
		if open, _ := e.base.Unplanned(t); len(open) == 0 {
			return 0 // the plan's own wordings are searched first
		}
	case research.Reader:
		return max(1, len(e.base.Working(t)))
	case research.Reviewer:
		if t.Ledger.Report.Draft > 0 && len(t.Ledger.Evidence) <= t.Ledger.Report.EvidenceSeen && len(embedded.Written(t.Ledger)) == 0 {
			return 0 // quotes are checked without a model
		}
	}
	return 1
}

// load is what one call of a role costs.
type load struct {
	expected, worst research.Cost
	repair          research.Cost // at worst; one per step
}

// workload sizes a role's call. Its data are as large as the prompt has room
// for, unless the ledger shows that there is less.
func (m *model) workload(e *Engine, t research.Task, l lessons) load {
	s := sizes[t.Role]
	answer := s.output(m, t.Ledger.Run.Language)
	think := m.think(l, answer)
	most := answer + think
	fixed, _ := m.learned.tokens(e.fixed(t.Role, t.Ledger.Run.Question))
	expected := fixed + min(s.prompt(m, l, most, fixed), e.dataOf(t, m))
	worst := expected
	if mean, bad := m.learned.tokens(1); mean > 0 {
		worst = expected * max(1, bad/mean) // the same text, by its upper bound
	}
	worst = min(worst, float64(m.window(l)))
	usual := m.learned.usual(t.Role, s.usual*float64(answer)) + float64(think)
	half := max(s.leastOutput, answer/2) + think
	return load{
		expected: m.usually(expected, min(usual, float64(most)), l),
		worst:    m.cost(worst, float64(most+spareTokens), l),
		repair:   m.cost(worst+repairTokens, float64(half+spareTokens), l),
	}
}

// repairTokens are what a repair turn adds to the prompt, at most.
const repairTokens = 90

// dataOf bounds the tokens of data that a step can show, by what there is.
func (e *Engine) dataOf(t research.Task, m *model) float64 {
	const unknown = 1e9
	bytes := bound(t.Ledger.Run.Question)
	switch t.Role {
	case research.Planner, research.Searcher:
		n, _ := m.learned.tokens(bytes)
		return 60 + 2*n
	case research.Writer:
		if len(t.Ledger.Evidence) == 0 {
			return unknown
		}
		for _, ev := range t.Ledger.Evidence {
			bytes += 12 + bound(clip(ev.Quote, 320))
		}
	case research.Reviewer:
		if t.Ledger.Report.Draft == 0 || len(t.Ledger.Evidence) > t.Ledger.Report.EvidenceSeen {
			return unknown // it is about to be written
		}
		for _, c := range embedded.Written(t.Ledger) {
			bytes += 12 + bound(c.Text)
			for _, q := range c.Quotes {
				bytes += 12 + bound(clip(q, 300))
			}
		}
	default:
		return unknown
	}
	n, _ := m.learned.tokens(bytes)
	return n + 20
}
