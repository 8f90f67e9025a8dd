package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"

	"github.com/progrouter/progrouter/eval/sandbox"
	"github.com/progrouter/progrouter/eval/solver"
	"github.com/progrouter/progrouter/eval/verify"
	"github.com/progrouter/progrouter/eval/worlds/records"
	"github.com/progrouter/progrouter/llm/calibrate"
	"github.com/progrouter/progrouter/research"
)

// recordAttempts makes attempts at tasks with the connected models and writes
// them down.
func (f benchFlags) recordAttempts(ctx context.Context, cfg Config, stdout, stderr io.Writer) error {
	tasks, err := f.tasks()
	if err != nil {
		return err
	}
	if f.attempts < 1 {
		return research.Errorf(research.EInvalid, "attempts", "--attempts must be at least 1.")
	}
	box, err := sandbox.New(ctx, sandbox.Config{})
	if err != nil {
		return err
	}
	r := solver.Recording{
		Check: &verify.Verifier{Sandbox: box}, Attempts: f.attempts, Settings: solver.DefaultSettings(),
		File: f.record, Progress: stderr, Watts: cfg.CPUWatts,
	}
	if f.recheck {
		n, err := r.Recheck(ctx, tasks)
		if err == nil {
			fmt.Fprintf(stdout, "%d verdicts changed.\n", n)
		}
		return err
	}
	return f.withModels(ctx, cfg, stderr, func(models []solver.Model) error {
		r.Models = models
		if err := r.Run(ctx, tasks); err != nil {
			return err
		}
		packed, err := records.Compress(f.record)
		if err == nil {
			fmt.Fprintf(stdout, "All attempts are recorded. %s is the record, compressed.\n", packed)
		}
		return err
	})
}

// tasks are the tasks of the suites, a sample of each where there is a limit.
func (f benchFlags) tasks() ([]verify.Task, error) {
	if len(f.suites) == 0 {
		return nil, research.Errorf(research.EInvalid, "suite", "Name at least one file of tasks: --suite FILE[,FILE].")
	}
	var out []verify.Task
	for _, path := range f.suites {
		ts, err := verify.Load(path)
		if err != nil {
			return nil, err
		}
		out = append(out, solver.Sample(ts, f.limit)...)
	}
	return out, nil
}

// withModels opens the connected models with what measures them, in a temporary
// folder: nothing of the user's is touched.
func (f benchFlags) withModels(ctx context.Context, cfg Config, stderr io.Writer, use func([]solver.Model) error) (err error) {
	f.models = true
	if cfg.connected, err = f.connected(ctx, cfg); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "progrouter-bench-")
	if err != nil {
		return fmt.Errorf("temporary folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cfg.Data, cfg.DatabaseURL = dir, ""
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return openWorkbench(ctx, cfg, log, func(w workbench) error {
		targets, left, err := w.CalibrationTargets(ctx)
		if err != nil {
			return err
		}
		models, err := f.chosenModels(targets, left)
		if err != nil {
			return err
		}
		return use(models)
	})
}

// chosenModels are those that --model names, else all that can be measured.
func (f benchFlags) chosenModels(targets []calibrate.Target, left []string) ([]solver.Model, error) {
	targets, err := calibrateFlags{models: f.only}.choose(targets, left)
	if err != nil {
		return nil, err
	}
	var out []solver.Model
	for _, t := range targets {
		out = append(out, solver.Model{Name: t.Model.Name, Tier: t.Model.Tier, Caller: t.Caller, Gauge: t.Gauge})
	}
	tiers := research.Tiers()
	slices.SortStableFunc(out, func(a, b solver.Model) int {
		return slices.Index(tiers, a.Tier) - slices.Index(tiers, b.Tier)
	})
	return out, nil
}
