package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/progrouter/progrouter/llm/calibrate"
	"github.com/progrouter/progrouter/research"
)

// openWorkbench lets calibrating use the program as it is wired for serving.
func openWorkbench(ctx context.Context, cfg Config, log *slog.Logger, use func(workbench) error) (err error) {
	a, err := newApp(ctx, cfg, log, hooks{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	return use(a)
}

var _ workbench = (*app)(nil)

// CalibrationTargets are the models in use whose servers run on this machine.
func (a *app) CalibrationTargets(ctx context.Context) (targets []calibrate.Target, left []string, err error) {
	set, err := a.works.source.load(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("read models: %w", err)
	}
	for _, m := range set.inUse() {
		p, _ := set.provider(m.Provider)
		if !p.Local {
			left = append(left, fmt.Sprintf("%s is not measured: its server %s is not marked as one on this machine.", m.Name, p.Name))
			continue
		}
		gauge, device, ok := a.works.opener(p)(ctx)
		if !ok {
			left = append(left, fmt.Sprintf("%s is not measured: no server that this user may look at listens at %s.", m.Name, p.BaseURL))
			continue
		}
		t := calibrate.Target{Model: m, Caller: a.works.caller(p, m), Gauge: gauge, Device: device}
		if c, ok := newClient(p, m).(interface{ Unload(context.Context) error }); ok {
			t.Unload = c.Unload
		}
		targets = append(targets, t)
	}
	return targets, left, nil
}

// SaveCoefficients keeps what a calibration found.
func (a *app) SaveCoefficients(ctx context.Context, model string, c research.Coefficients) error {
	return a.store.SaveCoefficients(ctx, model, c)
}
