package main

import (
	"context"

	"github.com/progrouter/progrouter/orchestrator"
	"github.com/progrouter/progrouter/research"
)

// searchCharges adds to steps what search services ask for their queries, so
// that it counts against the dollars of a run like every call of a model.
type searchCharges struct {
	orchestrator.Agents
	providers []string // that search the web
	price     func(provider string) (research.Micro, bool)
}

// mostQueries is how many wordings a step searches for a sub-question.
const mostQueries = 2

// Estimates adds the queries that a step may make at most.
func (s searchCharges) Estimates(ctx context.Context, t research.Task) []research.Estimate {
	es := s.Agents.Estimates(ctx, t)
	each, known := s.round()
	n := queriesOf(t)
	if n == 0 || known && each == 0 {
		return es
	}
	more := func(d *research.Micro, n int) *research.Micro {
		if d == nil || !known {
			return nil
		}
		return research.Known(*d + each*research.Micro(n))
	}
	for i := range es {
		es[i].Expected.Dollars = more(es[i].Expected.Dollars, (n+1)/2)
		es[i].Worst.Dollars = more(es[i].Worst.Dollars, n)
	}
	return es
}

// round is what one wording costs at all providers; false when one of them does
// not say.
func (s searchCharges) round() (research.Micro, bool) {
	var sum research.Micro
	for _, p := range s.providers {
		d, ok := s.price(p)
		if !ok {
			return 0, false
		}
		sum += d
	}
	return sum, true
}

// queriesOf is how many wordings a step may search the web for.
func queriesOf(t research.Task) int {
	if t.Ledger == nil || !t.Ledger.Run.Web || t.Role != research.Searcher {
		return 0
	}
	n := len(t.Focus)
	if n == 0 {
		n = len(t.Ledger.Plan.Subquestions)
	}
	return mostQueries * max(1, n)
}

// Do adds the queries that were made. One whose price is not known makes the
// step's dollars unknown.
func (s searchCharges) Do(ctx context.Context, t research.Task) (research.Result, error) {
	r, err := s.Agents.Do(ctx, t)
	for _, q := range r.Queries {
		if r.Dollars == nil || !s.charges(q.Provider) {
			continue
		}
		d, ok := s.price(q.Provider)
		if !ok {
			r.Dollars = nil
			continue
		}
		r.Dollars = research.Known(*r.Dollars + d)
	}
	return r, err
}

func (s searchCharges) charges(provider string) bool {
	for _, p := range s.providers {
		if p == provider {
			return true
		}
	}
	return false
}
