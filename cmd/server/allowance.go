package main

import (
	"context"

	"github.com/progrouter/progrouter/research"
)

// allowanceShare of what runs on the dearest tier cost is the allowance where
// none was set and language models take the steps: what suits the embedded
// engine would leave them no step.
const allowanceShare = 0.6

// allowance is the mean energy per run that the router defends.
func (a *app) allowance() research.Micro { return research.Micro(a.allowed.Load()) }

// allow sets the allowance for the models that are connected now.
func (a *app) allow(ctx context.Context) {
	e := research.ToMicro(a.cfg.Allowance)
	if a.cfg.From["allowance"] == "default" && a.languageModels() {
		f := a.forecaster(ctx).Forecast(ctx, research.Request{Question: "?", Language: "en", Depth: research.Standard, Policy: research.ProgRouter, Library: true})
		if f.High.Joules != nil {
			e = max(e, research.ToMicro(allowanceShare*f.High.Joules.Units()))
		}
	}
	a.allowed.Store(int64(e))
	a.store.SetAllowance(e)
}
