package orchestrator

import (
	"context"
	"testing"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
)

// remote agents use a server beside the work on this process.
type remote struct {
	*scripted
	used   *research.Energy
	change func(*research.Result)
	tasks  []research.Task
	limits []time.Duration
}

func (a *remote) Estimates(ctx context.Context, t research.Task) []research.Estimate {
	es := a.scripted.Estimates(ctx, t)
	es[0].Own = research.Known(1_500_000)
	return es
}

func (a *remote) Do(ctx context.Context, t research.Task) (research.Result, error) {
	a.tasks = append(a.tasks, t)
	a.limits = append(a.limits, energy.AccountFrom(ctx).Limit())
	if t.Live != nil {
		t.Live(research.Live{Text: "writing"})
	}
	r, err := a.scripted.Do(ctx, t)
	r.Energy = a.used
	if a.change != nil {
		a.change(&r)
	}
	return r, err
}

// What an agent says it does not know is not taken for nothing, as the price of
// a search service; what it never began costs nothing.
func TestUnknownDollarsStayUnknown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tokens research.Tokens
		want   *research.Micro
	}{
		"no word of it":   {research.Tokens{}, research.Known(0)},
		"unknown":         {research.Tokens{Counted: "none"}, nil},
		"unknown of some": {research.Tokens{Input: 7, Counted: "server"}, nil},
	} {
		b := setup(t, 1000, 1000)
		b.o.Agents = &remote{scripted: b.agents, change: func(r *research.Result) { r.Dollars, r.Tokens = nil, c.tokens }}
		if err := b.o.Work(t.Context(), "r1"); err != nil {
			t.Fatal(err)
		}
		for _, s := range b.store.l.Steps {
			if (s.Dollars == nil) != (c.want == nil) {
				t.Errorf("%s: a step of $%v", name, s.Dollars)
			}
		}
	}
}

func TestServersAreCountedBesideOwnWork(t *testing.T) {
	t.Parallel()
	used := research.Energy{Joules: research.Known(300_000), Low: research.Known(100_000), High: research.Known(900_000), Method: research.MethodModel}
	cases := []struct {
		name   string
		used   *research.Energy
		joules *research.Micro
		method string
	}{
		{"no server asked", nil, research.Known(1_000_000), research.MethodCPU},
		{"a server used", &used, research.Known(1_300_000), research.MethodMixed},
		{"a server used something unknown", &research.Energy{Method: research.MethodUnknown}, nil, research.MethodUnknown},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, 1000, 1000)
			a := &remote{scripted: b.agents, used: c.used}
			b.o.Agents = a
			var live []research.Live
			b.o.Live = func(_ string, l research.Live) { live = append(live, l) }
			if err := b.o.Work(t.Context(), "r1"); err != nil {
				t.Fatal(err)
			}
			s := b.store.l.Steps[1]
			// What the decision took comes on top, so compare from below.
			if (s.Energy.Joules == nil) != (c.joules == nil) || research.OrZero(s.Energy.Joules) < research.OrZero(c.joules) ||
				research.OrZero(s.Energy.Joules) > research.OrZero(c.joules)+500_000 || s.Energy.Method != c.method {
				t.Errorf("energy %v by %s, want about %v by %s", s.Energy.Joules, s.Energy.Method, c.joules, c.method)
			}
			if got := b.store.l.Totals().UnknownSteps; (got > 0) != (c.joules == nil) {
				t.Errorf("%d unknown steps", got)
			}
			// The reservation is 2 J; 1.5 J of it, 150 ms at 10 W, may be spent here.
			if got := a.limits[1]; got < 150*time.Millisecond || got >= 200*time.Millisecond {
				t.Errorf("own work is held to %v", got)
			}
			if r := a.tasks[1].Reserved; r.Joules == nil || *r.Joules > 2_000_000 || *r.Joules < 1_900_000 {
				t.Errorf("the agent may spend %v", r.Joules)
			}
			if n := len(live); n == 0 || live[n-1].Text != "" || live[0].Text != "writing" {
				t.Errorf("live updates %+v: the last must clear the board", live)
			}
		})
	}
}
