package live

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/eval/solver"
	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/eval/verify"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

type played struct {
	used  float64
	asked []string
	fail  bool
}

func (p *played) Joules() (research.Micro, bool) { return research.ToMicro(1 + p.used), true }

func (p *played) Call(_ context.Context, r chat.Request, _ chat.Watch) (chat.Outcome, error) {
	if p.fail {
		return chat.Outcome{}, &chat.Error{Kind: chat.Unreachable}
	}
	p.asked = append(p.asked, r.Messages[1].Text)
	p.used += 3
	return chat.Outcome{Tries: 1, Response: chat.Response{Text: "four", Usage: chat.Usage{Input: 9, Output: 2}}}, nil
}

type checker struct{}

func (checker) Check(_ context.Context, t verify.Task, text string) (verify.Verdict, error) {
	if text == t.Answer {
		return verify.Verdict{Code: trial.Passed, Share: 1}, nil
	}
	return verify.Verdict{Code: trial.Wrong, Said: "that is not it"}, nil
}

func world(t *testing.T, p *played, tell, gauge bool) *World {
	t.Helper()
	m := solver.Model{Name: "play/a", Tier: research.Small, Caller: p}
	if gauge {
		m.Gauge = energy.NewDevice(energy.DeviceConfig{Counter: p, Method: research.MethodCPU})
	}
	w, err := New(Config{
		Name: "play", Models: []solver.Model{m, {Name: "play/unpriced"}}, Check: checker{}, Tell: tell,
		Tasks:  []verify.Task{{ID: "1", Suite: "own", Kind: verify.Mathematics, Prompt: "Two and two?", Answer: "four"}, {ID: "2", Suite: "own", Kind: verify.Mathematics, Prompt: "Two and three?", Answer: "five"}},
		Priced: []trial.Model{{Name: "play/a", Tier: research.Small, Worst: trial.Cost{Units: 10}}, {Name: "play/gone"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestAttemptsAreMadeAndVerified(t *testing.T) {
	t.Parallel()
	p := &played{}
	w := world(t, p, true, true)
	if len(w.Models()) != 1 || w.Models()[0].Worst.Units != 13 || len(w.Items()) != 2 {
		t.Errorf("models %+v", w.Models())
	}
	r := rand.New(rand.NewPCG(1, 2))
	good, err := w.Attempt(t.Context(), w.Items()[0], "play/a", 0, "", r)
	if err != nil || !good.Solved() || good.Cost.Units != 3 || good.Tokens.Output != 2 {
		t.Errorf("%+v, %v", good, err)
	}
	bad, err := w.Attempt(t.Context(), w.Items()[1], "play/a", 1, "a hint", r)
	if err != nil || bad.Solved() || bad.Said == "" {
		t.Errorf("%+v, %v", bad, err)
	}
	if !strings.Contains(p.asked[1], "a hint") {
		t.Errorf("the retry does not hear what failed: %q", p.asked[1])
	}
	if _, known := w.Chance(w.Items()[0], "play/a"); known {
		t.Error("the world claims to know the future")
	}
}

func TestARetryHearsNothingUnlessTold(t *testing.T) {
	t.Parallel()
	p := &played{}
	if _, err := world(t, p, false, true).Attempt(t.Context(), trial.Item{ID: "2"}, "play/a", 1, "a hint", rand.New(rand.NewPCG(1, 2))); err != nil || strings.Contains(p.asked[0], "a hint") {
		t.Errorf("%v, %q", err, p.asked)
	}
}

func TestTroublesAreNamed(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	down, err := world(t, &played{fail: true}, false, true).Attempt(t.Context(), trial.Item{ID: "1"}, "play/a", 0, "", r)
	if err != nil || down.Verdict != trial.Failed {
		t.Errorf("a server that is down: %+v, %v", down, err)
	}
	if _, err := world(t, &played{}, false, false).Attempt(t.Context(), trial.Item{ID: "1"}, "play/a", 0, "", r); research.CodeOf(err) != research.EUnavailable {
		t.Errorf("energy that cannot be measured: %v", err)
	}
	if _, err := world(t, &played{}, false, true).Attempt(t.Context(), trial.Item{ID: "9"}, "play/a", 0, "", r); err == nil {
		t.Error("a task of another world is attempted")
	}
	for name, c := range map[string]Config{
		"nothing priced": {Models: []solver.Model{{Name: "a"}}, Tasks: []verify.Task{{ID: "1"}}},
		"no task":        {Models: []solver.Model{{Name: "a"}}, Priced: []trial.Model{{Name: "a"}}},
	} {
		if _, err := New(c); research.CodeOf(err) != research.EInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
