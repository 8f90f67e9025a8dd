package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/llm/calibrate"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// bench of models whose calls take known energy.
type playedBench struct {
	targets []calibrate.Target
	left    []string
	saved   map[string]research.Coefficients
}

func (b *playedBench) CalibrationTargets(context.Context) ([]calibrate.Target, []string, error) {
	return b.targets, b.left, nil
}

func (b *playedBench) SaveCoefficients(_ context.Context, model string, c research.Coefficients) error {
	b.saved[model] = c
	return nil
}

type playedModel struct {
	joules float64
	down   bool
}

func (p *playedModel) Joules() (research.Micro, bool) { return research.ToMicro(1 + p.joules), true }

func (p *playedModel) Call(_ context.Context, r chat.Request, _ chat.Watch) (chat.Outcome, error) {
	if p.down {
		return chat.Outcome{}, &chat.Error{Kind: chat.Unreachable}
	}
	in := len(strings.Fields(r.Messages[0].Text))
	p.joules += 1 + 0.1*float64(in) + 2*float64(r.MaxTokens)
	time.Sleep(time.Millisecond) // so that it takes time
	return chat.Outcome{Tries: 1, Response: chat.Response{Usage: chat.Usage{Input: in, Output: r.MaxTokens}}}, nil
}

func (p *playedModel) target(name string) calibrate.Target {
	return calibrate.Target{Model: research.LanguageModel{Name: name}, Caller: p, Device: "a play", Gauge: energy.NewDevice(energy.DeviceConfig{Counter: p, Method: research.MethodCPU})}
}

func newPlayedBench() *playedBench {
	return &playedBench{
		targets: []calibrate.Target{(&playedModel{}).target("play/a"), (&playedModel{down: true}).target("play/down"), (&playedModel{}).target("play/b")},
		left:    []string{"far/c is not measured: its server is elsewhere."}, saved: map[string]research.Coefficients{},
	}
}

func TestCalibratePrintsAndKeeps(t *testing.T) {
	t.Parallel()
	b, out := newPlayedBench(), filepath.Join(t.TempDir(), "c.json")
	var stdout, stderr bytes.Buffer
	err := calibrateFlags{calls: 12, out: out}.run(t.Context(), b, &stdout, &stderr)
	if err == nil || !strings.Contains(err.Error(), "play/down") {
		t.Errorf("the model that is down: %v", err)
	}
	for _, want := range []string{"write J/token", "play/a", "play/b", "modelled:cpu", "a play", "not measured", "error median"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %q in\n%s", want, stdout.String())
		}
	}
	if !strings.Contains(stderr.String(), "far/c") || !strings.Contains(stderr.String(), "play/a: call 1 of 13") {
		t.Errorf("stderr:\n%s", stderr.String())
	}
	if c := b.saved["play/b"]; len(b.saved) != 2 || c.Decode < 1.9 || c.Decode > 2.1 {
		t.Errorf("kept %+v", b.saved)
	}
	var file []calibrate.Result
	if data, err := os.ReadFile(out); err != nil || json.Unmarshal(data, &file) != nil || len(file) != 2 || len(file[0].Samples) != 12 {
		t.Errorf("file %+v, %v", file, err)
	}
}

func TestCalibrateChoosesModels(t *testing.T) {
	t.Parallel()
	b := newPlayedBench()
	var stdout, stderr bytes.Buffer
	if err := (calibrateFlags{calls: 12, models: []string{"play/b"}, dry: true}).run(t.Context(), b, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(stdout.String(), "play/a") || len(b.saved) != 0 {
		t.Errorf("a dry run of one model printed\n%s and kept %v", stdout.String(), b.saved)
	}
	err := calibrateFlags{calls: 12, models: []string{"play/x"}}.run(t.Context(), b, &stdout, &stderr)
	if research.CodeOf(err) != research.ENotFound || !strings.Contains(err.Error(), "play/x") || !strings.Contains(err.Error(), "play/a") || !strings.Contains(err.Error(), "far/c") {
		t.Errorf("an unknown model: %v", err)
	}
	err = calibrateFlags{calls: 12}.run(t.Context(), &playedBench{left: b.left}, &stdout, &stderr)
	if research.CodeOf(err) != research.ENotFound || !strings.Contains(err.Error(), "far/c") {
		t.Errorf("nothing to measure: %v", err)
	}
	err = calibrateFlags{calls: 12, models: []string{"play/a"}, out: filepath.Join(t.TempDir(), "no", "dir.json")}.run(t.Context(), b, &stdout, &stderr)
	if research.CodeOf(err) != research.EInvalid {
		t.Errorf("a file that cannot be written: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.targets[0].Caller = ended{}
	if err := (calibrateFlags{calls: 12}).run(ctx, b, &stdout, &stderr); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

type ended struct{}

func (ended) Call(ctx context.Context, _ chat.Request, _ chat.Watch) (chat.Outcome, error) {
	return chat.Outcome{}, ctx.Err()
}
