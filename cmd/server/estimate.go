package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"

	"github.com/progrouter/progrouter/handlers"
	"github.com/progrouter/progrouter/orchestrator"
	"github.com/progrouter/progrouter/research"
)

// forecaster estimates from the models and from what their steps really cost.
func (a *app) forecaster(ctx context.Context) orchestrator.Forecaster {
	stats, err := a.store.GainStats(ctx, routerKey)
	if err != nil {
		warn(ctx, a.log, "gain statistics cannot be read", err)
	}
	return orchestrator.Forecaster{Agents: a.agents(), Spent: func(model string, role research.Role) (research.Cost, bool) {
		for _, s := range stats {
			if s.Model == model && s.Role == role && s.N >= enoughSteps {
				return research.Cost{
					Joules:  research.Known(s.Joules / research.Micro(s.N)),
					Dollars: research.Known(s.Dollars / research.Micro(s.N)),
					Seconds: s.Seconds / float64(s.N),
				}, true
			}
		}
		return research.Cost{}, false
	}}
}

// enoughSteps is how many steps a mean cost must rest on.
const enoughSteps = 5

// EstimateRun says what a run will cost about.
func (a *app) EstimateRun(ctx context.Context, r research.Request, b research.Budget) (handlers.Estimate, error) {
	f := a.forecaster(ctx).Forecast(ctx, r)
	b = f.Widen(r.Given, b)
	if err := f.CheckBudget(b); err != nil {
		return handlers.Estimate{}, err
	}
	state, err := a.store.RouterState(ctx, routerKey)
	if err != nil {
		return handlers.Estimate{}, fmt.Errorf("read router state: %w", err)
	}
	method := research.MethodCPU
	if a.languageModels() {
		method = research.MethodModel // of calls; the work here is the least of it
	}
	return handlers.Estimate{Budget: b, Low: f.Low, Expected: f.Expected, High: f.High, Method: method, PastRuns: int(state.Runs)}, nil
}

// sessionKey is kept in the database, so that a restart signs nobody out.
func (a *app) sessionKey(ctx context.Context) ([]byte, error) {
	const name = "session_key"
	var text string
	found, err := a.store.GetSetting(ctx, name, &text)
	if err != nil {
		return nil, fmt.Errorf("read session key: %w", err)
	}
	if key, err := base64.StdEncoding.DecodeString(text); found && err == nil && len(key) == 32 {
		return key, nil
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	if err := a.store.SetSetting(ctx, name, base64.StdEncoding.EncodeToString(key)); err != nil {
		return nil, fmt.Errorf("store session key: %w", err)
	}
	return key, nil
}
