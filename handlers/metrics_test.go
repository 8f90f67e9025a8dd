package handlers

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

// Finished and RunCounts make the memory Metered.
func (m *memory) Finished(_ context.Context, after int64, _ int) (research.Finished, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken != nil {
		return research.Finished{}, m.broken
	}
	out := research.Finished{Last: m.next}
	for id, at := range m.events {
		if l := m.runs[id]; at > after {
			out.Steps = append(out.Steps, l.Steps...)
			if l.Run.Status.Final() {
				out.Runs = append(out.Runs, l.Run.Status)
			}
		}
	}
	return out, nil
}

func (m *memory) RunCounts(context.Context) (map[research.Status]int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[research.Status]int{}
	for _, l := range m.runs {
		out[l.Run.Status]++
	}
	return out, nil
}

func meteredStep() research.Step {
	usd, j := research.Micro(375), research.ToMicro(12.5)
	call := research.Action{Kind: "call", Seconds: 4, Call: &research.ModelCall{
		Model: "ollama/m", Finish: "stop", Tries: 3, Waited: 1.5, Dollars: &usd,
		Tokens: research.Tokens{Input: 1000, Cached: 100, Output: 100, Reasoning: 60},
		Energy: research.Energy{Joules: &j, Method: research.MethodCPU},
	}}
	lost := research.Action{Kind: "call", Seconds: 2, Error: "x", Call: &research.ModelCall{Model: "ollama/other", Finish: "error", Tries: 1}}
	return research.Step{
		Role: research.Writer, Model: "ollama/m", Outcome: research.OutcomeOK, Seconds: 7, Dollars: &usd,
		Energy:  research.Energy{Joules: research.Known(research.ToMicro(20)), Method: research.MethodMixed},
		Actions: []research.Action{{Kind: "fetch"}, call, lost},
	}
}

// wantMetrics looks for whole lines.
func (s *site) wantMetrics(body string, lines ...string) {
	s.Helper()
	for _, l := range lines {
		if !strings.Contains("\n"+body, "\n"+l+"\n") {
			s.Errorf("no line %q in\n%s", l, regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(body, ""))
		}
	}
}

func TestMetricsCountWhatFinishedSinceTheFirstScrape(t *testing.T) {
	t.Parallel()
	s := setup(t, func(c *Config, _ *Deps) { c.Version = "1.2.3" })
	s.store.add(&research.Ledger{Run: research.Run{ID: "old", Status: research.Complete}, Steps: []research.Step{meteredStep()}})
	first := s.get("/metrics")
	s.want(first, 200)
	if !strings.HasPrefix(first.Header.Get("Content-Type"), "text/plain") {
		t.Errorf("content type %q", first.Header.Get("Content-Type"))
	}
	s.wantMetrics(first.body, `progrouter_runs{status="complete"} 1`, `progrouter_runs_finished_total{status="complete"} 0`, "progrouter_queue_length 0")
	if strings.Contains(first.body, "progrouter_steps_total{") || !strings.Contains(first.body, `version="1.2.3"`) {
		t.Errorf("first scrape:\n%s", first.body)
	}
	s.store.add(&research.Ledger{Run: research.Run{ID: "new", Status: research.Partial}, Steps: []research.Step{meteredStep()}})
	s.store.add(&research.Ledger{Run: research.Run{ID: "waiting", Status: research.Queued}})
	want := []string{
		`progrouter_steps_total{model="ollama/m",outcome="ok",role="writer"} 1`,
		`progrouter_step_seconds_total{model="ollama/m",role="writer"} 7`,
		`progrouter_joules_total{method="mixed",model="ollama/m",role="writer"} 20`,
		`progrouter_dollars_total{model="ollama/m",role="writer"} 0.000375`,
		`progrouter_calls_total{finish="stop",model="ollama/m",role="writer"} 1`,
		`progrouter_calls_total{finish="error",model="ollama/other",role="writer"} 1`,
		`progrouter_call_failures_total{model="ollama/m",role="writer"} 0`,
		`progrouter_call_failures_total{model="ollama/other",role="writer"} 1`,
		`progrouter_call_retries_total{model="ollama/m",role="writer"} 2`,
		`progrouter_call_seconds_total{model="ollama/m",role="writer"} 4`,
		`progrouter_call_wait_seconds_total{model="ollama/m",role="writer"} 1.5`,
		`progrouter_call_joules_total{method="modelled:cpu",model="ollama/m",role="writer"} 12.5`,
		`progrouter_call_joules_unknown_total{model="ollama/other",role="writer"} 1`,
		`progrouter_call_dollars_unknown_total{model="ollama/other",role="writer"} 1`,
		`progrouter_tokens_total{kind="input",model="ollama/m",role="writer"} 1000`,
		`progrouter_tokens_total{kind="cached",model="ollama/m",role="writer"} 100`,
		`progrouter_tokens_total{kind="output",model="ollama/m",role="writer"} 100`,
		`progrouter_tokens_total{kind="reasoning",model="ollama/m",role="writer"} 60`,
		`progrouter_runs_finished_total{status="partial"} 1`,
		`progrouter_runs_finished_total{status="complete"} 0`,
		`progrouter_runs{status="queued"} 1`,
		"progrouter_queue_length 1",
	}
	s.wantMetrics(s.get("/metrics").body, want...)
	s.wantMetrics(s.get("/metrics").body, want...) // nothing counts twice
}

func TestMetricsNeedThePasswordAndTheRightHost(t *testing.T) {
	t.Parallel()
	s := setup(t, func(c *Config, _ *Deps) { c.Password = "secret words" })
	s.want(s.get("/metrics"), 401)
	s.want(s.get("/metrics", "Authorization", "Bearer wrong"), 401)
	s.want(s.get("/metrics", "Authorization", "Bearer secret words"), 200)
	s.want(s.get("/metrics", "Host", "evil.example", "Authorization", "Bearer secret words"), 421)
}

func TestMetricsWithoutADatabaseAreNoMetrics(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.broken = errors.New("gone")
	if a := s.get("/metrics"); a.StatusCode < 500 || strings.Contains(a.body, "progrouter_") {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
}

// A clock that ran backwards must not make a counter fall, which would panic.
func TestMetricsBearOddSteps(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.get("/metrics")
	odd := meteredStep()
	odd.Seconds, odd.Model = -3, "name with \"quotes\" and\nlines"
	odd.Actions[1].Call.Tries, odd.Energy.Joules = 0, nil
	s.store.add(&research.Ledger{Run: research.Run{ID: "odd", Status: research.Running}, Steps: []research.Step{odd}})
	a := s.get("/metrics")
	s.want(a, 200)
	s.wantMetrics(a.body, `progrouter_joules_unknown_total{model="name with \"quotes\" and\nlines",role="writer"} 1`)
}
