package main

import (
	"context"
	"testing"

	"github.com/progrouter/progrouter/research"
)

// searching agents make two queries in a step.
type searching struct{ dollars *research.Micro }

func (s searching) Estimates(context.Context, research.Task) []research.Estimate {
	return []research.Estimate{{Model: "m", Eligible: true, Expected: research.Cost{Dollars: s.dollars}, Worst: research.Cost{Dollars: s.dollars}}}
}

func (s searching) Do(context.Context, research.Task) (research.Result, error) {
	return research.Result{Dollars: s.dollars, Queries: []research.Query{{Provider: "library"}, {Provider: "paid"}, {Provider: "free"}, {Provider: "paid"}}}, nil
}

func TestSearchServicesAreCharged(t *testing.T) {
	t.Parallel()
	price := func(p string) (research.Micro, bool) {
		return map[string]research.Micro{"paid": 5000, "free": 0}[p], p != "secret"
	}
	task := func(web bool, role research.Role) research.Task {
		return research.Task{Role: role, Focus: []string{"q1", "q2"}, Ledger: &research.Ledger{Run: research.Run{Request: research.Request{Web: web}}}}
	}
	cases := []struct {
		name      string
		providers []string
		agent     *research.Micro
		task      research.Task
		worst     *research.Micro
		spent     *research.Micro
	}{
		{"two services", []string{"paid", "free"}, research.Known(1), task(true, research.Searcher), research.Known(20_001), research.Known(10_001)},
		{"free ones", []string{"free"}, research.Known(1), task(true, research.Searcher), research.Known(1), research.Known(1)},
		{"no web", []string{"paid"}, research.Known(1), task(false, research.Searcher), research.Known(1), research.Known(10_001)},
		{"another role", []string{"paid"}, research.Known(1), task(true, research.Writer), research.Known(1), research.Known(10_001)},
		{"an unknown price", []string{"secret", "paid"}, research.Known(1), task(true, research.Searcher), nil, research.Known(10_001)},
		{"an unknown model", []string{"paid"}, nil, task(true, research.Searcher), nil, nil},
	}
	same := func(a, b *research.Micro) bool {
		return (a == nil) == (b == nil) && research.OrZero(a) == research.OrZero(b)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := searchCharges{searching{c.agent}, c.providers, price}
			if got := s.Estimates(t.Context(), c.task)[0].Worst.Dollars; !same(got, c.worst) {
				t.Errorf("at worst $%v, want $%v", got, c.worst)
			}
			r, err := s.Do(t.Context(), c.task)
			if err != nil || !same(r.Dollars, c.spent) {
				t.Errorf("spent $%v, want $%v (%v)", r.Dollars, c.spent, err)
			}
		})
	}
	secret := searchCharges{searching{research.Known(1)}, []string{"paid"}, func(string) (research.Micro, bool) { return 0, false }}
	if r, _ := secret.Do(t.Context(), task(true, research.Searcher)); r.Dollars != nil {
		t.Errorf("queries of unknown price cost $%v", r.Dollars)
	}
}
