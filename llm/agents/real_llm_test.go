//go:build llm

package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/knadh/koanf/parsers/yaml"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/llm/embedded"
	"github.com/progrouter/progrouter/llm/openai"
	"github.com/progrouter/progrouter/llm/replay"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/rank"
)

// served is what `make models` prints, all four models on their usual ports.
// PROGROUTER_TEST_MODELS names a file in the same form to test others.
const served = `
providers:
  local-small: {base_url: "http://127.0.0.1:8091/v1"}
  local-medium: {base_url: "http://127.0.0.1:8092/v1"}
  local-large: {base_url: "http://127.0.0.1:8093/v1"}
  local-misfit: {base_url: "http://127.0.0.1:8094/v1"}
models:
  - {name: local/smollm2-135m, provider: local-small, id: smollm2-135m, tier: small, context: 4096, max_output: 512}
  - {name: local/qwen2.5-coder-0.5b, provider: local-medium, id: qwen2.5-coder-0.5b, tier: medium, context: 4096, max_output: 512}
  - {name: local/qwen2.5-coder-1.5b, provider: local-large, id: qwen2.5-coder-1.5b, tier: large, context: 4096, max_output: 512}
  - {name: local/gemma-3-270m-base, provider: local-misfit, id: gemma-3-270m-base, context: 4096, max_output: 512}
`

type connected struct {
	Providers map[string]research.Provider `json:"providers"`
	Models    []research.LanguageModel     `json:"models"`
}

func realModels(t *testing.T) connected {
	t.Helper()
	text := []byte(served)
	if path := os.Getenv("PROGROUTER_TEST_MODELS"); path != "" {
		var err error
		if text, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	m, err := yaml.Parser().Unmarshal(text)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var c connected
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// answers says whether a server is there.
func answers(t *testing.T, base string) bool {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// tap notes what was asked and what came.
type tap struct {
	chat.Client
	mu    sync.Mutex
	over  []string
	calls int
}

func (p *tap) Chat(ctx context.Context, r chat.Request, onDelta func(chat.Delta)) (chat.Response, error) {
	out, err := p.Client.Chat(ctx, r, onDelta)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	if out.Usage.Counted == chat.FromServer && out.Usage.Output > r.MaxTokens {
		p.over = append(p.over, r.Name)
	}
	return out, err
}

// TestRealModels takes a run through the five roles with each model that is
// served. Small models fail often; what is asserted holds however they answer.
func TestRealModels(t *testing.T) {
	c := realModels(t)
	var store *replay.Store
	if dir := os.Getenv("PROGROUTER_TEST_ANSWERS"); dir != "" {
		var err error
		if store, err = replay.Open(dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range c.Models {
		t.Run(m.ID, func(t *testing.T) {
			base := c.Providers[m.Provider].BaseURL
			if !answers(t, base) {
				t.Skipf("No server answers at %s. Start it with `make models`, then run `make test-llm` again.", base)
			}
			var client chat.Client = openai.New(openai.Config{BaseURL: base, Model: m.ID, Schema: m.Schema})
			if store != nil {
				client = store.Client(replay.Config{Model: m.Name, Ask: client})
			}
			realRun(t, m, client)
		})
	}
	if store != nil {
		hits, misses := store.Counts()
		t.Logf("%d answers from %s, %d asked for", hits, os.Getenv("PROGROUTER_TEST_ANSWERS"), misses)
	}
}

func realRun(t *testing.T, m research.LanguageModel, client chat.Client) {
	m.Tier = cmp.Or(m.Tier, research.Small) // the misfit has none of its own
	tapped := &tap{Client: client}
	host := chat.NewHost(chat.HostConfig{Name: m.Provider, Concurrency: 1, First: 10 * time.Minute, Idle: 5 * time.Minute})
	seed := int64(1)
	e := New(Config{
		Seed: &seed, Mark: func() string { return "k7q2m9x4tb" },
		Models: []Model{{
			LanguageModel: m, Provider: research.Provider{Local: true}, Caller: chat.NewCaller(host, m.Name, tapped),
			Price:        &research.Price{Currency: "USD"},
			Coefficients: &research.Coefficients{Call: 1, Prefill: 0.2, Decode: 1, Method: research.MethodModel, Seconds: research.SpeedFit{Call: 1, Prefill: 0.1, Decode: 0.4}},
		}},
		Embedded: embedded.New(embedded.Config{Finder: &shelf{docs: lighthouses()}, Ranker: ranking{rank.New(bag{}, nil, nil)}, Encoder: bag{}}),
	})
	l := &research.Ledger{Run: research.Run{Request: research.Request{Question: built, Language: "en", Library: true}}}
	take := func(role research.Role, focus ...string) research.Result {
		task := research.Task{Role: role, Model: m.Name, Ledger: l, Focus: focus, Limits: research.LimitsFor(research.Quick), Step: len(l.Steps)}
		est := e.Estimate(t.Context(), m.Name, task)
		task.Reserved, task.Own = est.Worst, est.Own
		task.Until = time.Now().Add(15 * time.Minute)
		start := time.Now()
		r, err := e.Do(t.Context(), task)
		if err != nil {
			t.Fatalf("%s: %v", role, err)
		}
		l.Apply(research.Step{Index: task.Step, Role: role, Model: m.Name, Outcome: r.Outcome, Note: r.Note, Focus: focus, Actions: r.Actions}, r)
		honest(t, role, r, est)
		t.Logf("%-8s %-7s %5.1f s, %d tokens read, %d written: %s", role, r.Outcome, time.Since(start).Seconds(), r.Tokens.Input, r.Tokens.Output, r.Note)
		return r
	}
	take(research.Planner)
	if len(l.Plan.Subquestions) == 0 {
		t.Fatal("no plan: not even the question itself")
	}
	take(research.Searcher)
	for _, q := range l.Plan.Subquestions {
		take(research.Reader, q.ID)
	}
	take(research.Writer)
	take(research.Reviewer)
	if len(tapped.over) > 0 {
		t.Errorf("answers longer than their caps: %v", tapped.over)
	}
	if tapped.calls == 0 {
		t.Error("the model was never asked")
	}
	checkQuotes(t, l)
	checkReport(t, l)
}

// honest checks what a step says of itself.
func honest(t *testing.T, role research.Role, r research.Result, est research.Estimate) {
	t.Helper()
	known := []research.Outcome{research.OutcomeOK, research.OutcomeEmpty, research.OutcomeInvalid, research.OutcomeError}
	if !slices.Contains(known, r.Outcome) {
		t.Errorf("%s: outcome %q", role, r.Outcome)
	}
	var calls, tokens int
	for _, a := range r.Actions {
		if a.Call == nil {
			continue
		}
		calls++
		tokens += a.Call.Tokens.Input + a.Call.Tokens.Output
		if a.Call.Tries < 1 || a.Call.Finish == "" || a.Call.Prompt == "" || a.Call.Energy.Joules == nil || a.Call.Dollars == nil {
			t.Errorf("%s: incomplete record %+v", role, a.Call)
		}
		t.Logf("    %s %s, repair %v, %d+%d tokens (%s): %.200q", a.Call.Prompt, a.Call.Finish, a.Call.Repair, a.Call.Tokens.Input, a.Call.Tokens.Output, a.Call.Tokens.Counted, a.Call.Text)
	}
	if tokens != r.Tokens.Input+r.Tokens.Output {
		t.Errorf("%s: calls used %d tokens, the step says %d", role, tokens, r.Tokens.Input+r.Tokens.Output)
	}
	if calls > 0 && (r.Energy == nil || r.Energy.Joules == nil) {
		t.Errorf("%s: %d calls without energy", role, calls)
	}
	if r.Energy != nil && r.Energy.Joules != nil && *r.Energy.Joules+research.OrZero(est.Own) > *est.Worst.Joules {
		t.Errorf("%s: used %s J, %s J were reserved of which %s J are for work here", role, *r.Energy.Joules, *est.Worst.Joules, research.OrZero(est.Own))
	}
}

// checkReport wants a final report whose claims stand on evidence that is there.
func checkReport(t *testing.T, l *research.Ledger) {
	t.Helper()
	if !l.Report.Reviewed || len(l.Report.Claims) == 0 {
		t.Fatalf("no reviewed report: %+v", l.Report)
	}
	for _, c := range l.Report.Claims {
		if c.Verdict == "" {
			t.Errorf("%q was not judged", c.Text)
		}
		if c.Verdict == research.Supported && len(c.EvidenceIDs) == 0 {
			t.Errorf("%q is supported by nothing", c.Text)
		}
		for _, id := range c.EvidenceIDs {
			if !slices.ContainsFunc(l.Evidence, func(e research.Evidence) bool { return e.ID == id }) {
				t.Errorf("%q cites %s, which is not there", c.Text, id)
			}
		}
		if strings.Contains(c.Text, "<|") || strings.Contains(c.Text, "k7q2m9x4tb") {
			t.Errorf("the prompt shows in %q", c.Text)
		}
		t.Logf("    %s: %s", c.Verdict, c.Text)
	}
}
