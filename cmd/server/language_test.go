package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/llm/faulty"
	"github.com/progrouter/progrouter/orchestrator"
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
)

// obliging answers every role in the form its prompt asks for.
func obliging(r faulty.Request) string {
	p := r.Text()
	switch {
	case strings.Contains(p, `"subquestions"`):
		return `{"subquestions":[],"queries":["joules measured","energy of a step"]}`
	case strings.Contains(p, `"use"`):
		return `{"use":[1,2,3]}`
	case strings.Contains(p, `"claims"`):
		return `{"claims":[{"text":"Every joule figure in ProgRouter carries the method by which it was found.","cite":["e1"]}],"summary":""}`
	case strings.Contains(p, `"not_supported"`):
		return `{"not_supported":[]}`
	}
	return `{"queries":[]}`
}

// languageApp is the whole program with models of a server, by tier, and the
// handbook to search. Waits are a thousandth of what they are in earnest.
func languageApp(t *testing.T, url string, tiers ...research.Tier) *app {
	t.Helper()
	cfg := testConfig(t.TempDir())
	cfg.From = map[string]string{"allowance": "default"}
	cfg.connected.providers = []research.Provider{{Name: "lab", Kind: research.OpenAICompatible, BaseURL: url + "/v1", Concurrency: 4}}
	for i, tier := range tiers {
		cfg.connected.models = append(cfg.connected.models, research.LanguageModel{
			Name: "lab/" + string(tier), Provider: "lab", ID: fmt.Sprintf("model-%d", i), Tier: tier, Context: 8192, Output: 512,
			Price:  &research.Price{Input: 1, Cached: 0.5, Output: 4, Currency: "USD", AsOf: "2026-01-01"},
			Energy: &research.Coefficients{Call: 1, Prefill: 0.01, Decode: 0.1, Low: 0.5, High: 2, Method: research.MethodModel},
		})
	}
	a, err := newApp(t.Context(), cfg, slog.New(slog.DiscardHandler), hooks{host: func(h *chat.HostConfig) {
		h.Sleep = func(ctx context.Context, d time.Duration) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(d / 1000):
				return nil
			}
		}
		h.First, h.Idle = 500*time.Millisecond, 300*time.Millisecond
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	if err := a.loadHandbook(t.Context()); err != nil {
		t.Fatal(err)
	}
	return a
}

// ask works on a question about the handbook and returns what came of it.
func (a *app) ask(t *testing.T, p research.Policy, given research.Budget) *research.Ledger {
	t.Helper()
	req := research.Request{
		Question: "How does ProgRouter measure joules?", Language: "en", Depth: research.Quick, Policy: p, Library: true,
		Collections: []string{handbookCollection}, Given: given, Seed: 7,
	}
	id, err := a.store.CreateRunWithoutJob(t.Context(), req, req.EffectiveBudget(a.languageModels()), routerKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.orch.Work(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	l, err := a.store.Ledger(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func callsOf(l *research.Ledger) (out []research.ModelCall) {
	for _, s := range l.Steps {
		for _, a := range s.Actions {
			if a.Call != nil {
				out = append(out, *a.Call)
			}
		}
	}
	return out
}

// keepsPromises checks what must be true of every run, whatever its models did.
func keepsPromises(t *testing.T, l *research.Ledger) {
	t.Helper()
	if !l.Run.Status.Final() {
		t.Errorf("status %s is not final", l.Run.Status)
	}
	total := l.Totals()
	if b := l.Run.Budget; total.Joules > *b.Joules || total.Dollars > *b.Dollars {
		t.Errorf("spent %s J and $%s of %s J and $%s", total.Joules, total.Dollars, *b.Joules, *b.Dollars)
	}
	for _, e := range l.Evidence {
		src, _ := l.SourceByID(e.SourceID)
		if got, ok := research.Slice(src.Text, e.Start, e.End); !ok || got != e.Quote {
			t.Errorf("quote %s is not at its place", e.ID)
		}
	}
	for _, s := range l.Steps {
		var joules, dollars research.Micro
		for _, a := range s.Actions {
			if a.Call != nil {
				joules += research.OrZero(a.Call.Energy.Joules)
				dollars += research.OrZero(a.Call.Dollars)
			}
		}
		if joules > research.OrZero(s.Energy.Joules) || dollars != research.OrZero(s.Dollars) {
			t.Errorf("step %d says %v J and $%v, its calls %s J and $%s", s.Index, s.Energy.Joules, s.Dollars, joules, dollars)
		}
	}
	if l.Run.Status == research.Complete && len(l.Report.Claims) == 0 {
		t.Error("complete without a claim")
	}
}

// takenUpAgain reports whether a step was cut off because this machine was
// slower than the engine's own work in it was priced, as under the race
// detector, and a later step of that role got through.
func takenUpAgain(l *research.Ledger, cut research.Step) bool {
	if cut.Outcome != research.OutcomeError || !slices.ContainsFunc(cut.Notes, func(n research.Note) bool { return n.Code == "cut_budget" }) {
		return false
	}
	return slices.ContainsFunc(l.Steps, func(s research.Step) bool {
		return s.Index > cut.Index && s.Role == cut.Role && slices.Equal(s.Focus, cut.Focus) && s.Model == cut.Model && s.Outcome == research.OutcomeOK
	})
}

func TestLanguageModelsTakeTheSteps(t *testing.T) {
	t.Parallel()
	s := faulty.Start(obliging)
	t.Cleanup(s.Close)
	s.Otherwise(faulty.OtherName("model-2026"))
	l := languageApp(t, s.URL, research.Large).ask(t, research.FixedLarge, research.Budget{})
	keepsPromises(t, l)
	if l.Run.Status != research.Complete {
		t.Fatalf("%s: %s", l.Run.Status, l.Run.StopReason)
	}
	for _, st := range l.Steps {
		if st.Model != "lab/large" || st.Outcome != research.OutcomeOK && !takenUpAgain(l, st) {
			t.Errorf("step %d by %s: %s %s", st.Index, st.Model, st.Outcome, st.Note)
		}
		for _, c := range st.Decision.Candidates {
			if c.Model == "embedded/large" && (c.Eligible || c.WhyCode != "standby") {
				t.Errorf("step %d: the substitute is not on standby: %+v", st.Index, c.WhyCode)
			}
		}
	}
	calls := callsOf(l)
	if len(calls) < 3 {
		t.Fatalf("%d calls", len(calls))
	}
	for _, c := range calls {
		if c.Answered != "model-2026" || c.Tokens.Input == 0 || c.Tokens.Output == 0 || c.Dollars == nil || c.Energy.Joules == nil || c.Prompt == "" {
			t.Errorf("call %+v", c)
		}
	}
	if m := l.Totals().Method; m != research.MethodMixed {
		t.Errorf("method %s of a sum over a server and our own work", m)
	}
}

func TestWhenNoServerAnswersTheEngineDoes(t *testing.T) {
	t.Parallel()
	s := faulty.Start(obliging)
	url := s.URL
	s.Close()
	a := languageApp(t, url, research.Small, research.Large)
	var last *research.Ledger
	for range 3 { // the first failures make the server rest
		last = a.ask(t, research.Cascade, research.Budget{}) // starts small, which a slow machine can do in time
		keepsPromises(t, last)
	}
	if last.Run.Status != research.Complete {
		t.Fatalf("%s: %s", last.Run.Status, last.Run.StopReason)
	}
	stood := 0
	for _, st := range last.Steps {
		if strings.HasPrefix(st.Model, "embedded/") {
			stood++
		}
	}
	if stood == 0 {
		t.Errorf("no step by the engine: %+v", last.Steps)
	}
}

func TestRunsSurviveAServerThatFailsOften(t *testing.T) {
	t.Parallel()
	s := faulty.Start(obliging)
	t.Cleanup(s.Close)
	a := languageApp(t, s.URL, research.Small, research.Medium, research.Large)
	for seed := range uint64(6) {
		s.Randomly(seed, 0.3,
			faulty.RateLimited(""), faulty.RateLimited("1"), faulty.Status(500), faulty.Status(503), faulty.BadGateway(), faulty.HangUp(),
			faulty.Cut(2), faulty.Ends(1), faulty.Garbage(), faulty.TruncatedJSON(), faulty.WebPage(), faulty.NoUsage(), faulty.WrongUsage(-5, 1<<30),
			faulty.Answers(""), faulty.Answers("I cannot help with that."), faulty.Refuses(), faulty.CallsTool(), faulty.Endless(2000),
		)
		p := research.Policies()[int(seed%uint64(len(research.Policies())))]
		t.Run(string(p), func(t *testing.T) {
			l := a.ask(t, p, research.Budget{})
			keepsPromises(t, l)
			if l.Run.StopReason == "" {
				t.Error("the run does not say why it ended")
			}
			t.Logf("%s (%s), %d steps, %d calls, %s J", l.Run.Status, l.Run.StopCode, len(l.Steps), len(callsOf(l)), l.Totals().Joules)
		})
	}
}

// TestNoRunWithModelsOverrunsItsBudget draws budgets around what a run takes.
func TestNoRunWithModelsOverrunsItsBudget(t *testing.T) {
	t.Parallel()
	s := faulty.Start(obliging)
	t.Cleanup(s.Close)
	a := languageApp(t, s.URL, research.Small, research.Large)
	for i := range 12 {
		s.Randomly(uint64(i), 0.2, faulty.Status(500), faulty.Cut(3), faulty.NoUsage(), faulty.Endless(3000), faulty.Answers(strings.Repeat("word ", 400)))
		given := research.Budget{}
		if i%2 == 0 {
			given.Joules = research.Known(research.ToMicro(2 * float64(i*i)))
		}
		if i%3 != 1 {
			given.Dollars = research.Known(research.ToMicro(0.0005 * float64(i+1)))
		}
		l := a.ask(t, research.Policies()[i%len(research.Policies())], given)
		keepsPromises(t, l)
		t.Logf("%s %s: %s (%s), %s J of %v, $%s of %v", l.Run.ID, l.Run.Policy, l.Run.Status, l.Run.StopCode, l.Totals().Joules, given.Joules, l.Totals().Dollars, given.Dollars)
	}
}

// A model that failed rests, also when models are changed meanwhile, until it was
// seen to answer.
func TestATestThatIsAnsweredEndsTheRest(t *testing.T) {
	t.Parallel()
	var well atomic.Bool
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if !well.Load() {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"message":"Incorrect API key provided.","code":"invalid_api_key"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"model":"m","choices":[{"message":{"role":"assistant","content":"ready"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`)
	}))
	defer s.Close()
	a := languageApp(t, s.URL, research.Small)
	rests := func() bool {
		l := &research.Ledger{Run: research.Run{Request: research.Request{Question: "What is a joule?", Language: "en"}}}
		for _, e := range a.registry().Estimates(t.Context(), research.Task{Role: research.Planner, Ledger: l, Limits: research.LimitsFor(research.Quick)}) {
			if e.Model == "lab/small" {
				return e.WhyCode == "resting"
			}
		}
		t.Fatal("the model is not there")
		return false
	}
	if _, err := a.connected.TestModel(t.Context(), "lab/small"); err == nil || rests() {
		t.Fatalf("a test that fails rests nobody: %v", err)
	}
	l := a.ask(t, research.FixedSmall, research.Budget{})
	if !rests() {
		t.Fatalf("it goes on being asked with a wrong key: %+v", l.Steps)
	}
	if err := a.reloadModels(t.Context()); err != nil || !rests() {
		t.Fatalf("a rebuild ends the rest (%v)", err)
	}
	well.Store(true)
	if _, err := a.connected.TestModel(t.Context(), "lab/small"); err != nil || rests() {
		t.Errorf("it rests although it answers (%v)", err)
	}
}

// crashingStore loses a step of a role at its end, as a killed process would.
type crashingStore struct {
	orchestrator.Store
	role research.Role
	paid *research.Micro // what its calls had cost
}

var errKilled = errors.New("killed")

func (s *crashingStore) FinishStep(ctx context.Context, id string, st research.Step, r research.Result, active float64) error {
	if st.Role != s.role {
		return s.Store.FinishStep(ctx, id, st, r, active)
	}
	s.paid = st.Dollars
	return errKilled
}

// A step that a crash cuts off after its calls is charged what was reserved, which
// is at least what they cost, and the run goes on within its budget.
func TestCallsOfALostStepAreCharged(t *testing.T) {
	t.Parallel()
	s := faulty.Start(obliging)
	t.Cleanup(s.Close)
	a := languageApp(t, s.URL, research.Large)
	for _, role := range []research.Role{research.Planner, research.Reader, research.Writer} {
		lost := &crashingStore{role: role}
		a.hooks.store = func(st orchestrator.Store) orchestrator.Store { lost.Store = st; return lost }
		req := research.Request{
			Question: "How does ProgRouter measure joules?", Language: "en", Depth: research.Quick, Policy: research.FixedLarge, Library: true,
			Collections: []string{handbookCollection}, Given: research.Budget{Dollars: research.Known(80_000)}, Seed: 7,
		}
		id, err := a.store.CreateRunWithoutJob(t.Context(), req, req.EffectiveBudget(true), routerKey)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.orchestrator(routerKey, a.allowance, a.params(), progress.ScoreResearch).Work(t.Context(), id); !errors.Is(err, errKilled) {
			t.Fatalf("%s: %v", role, err)
		}
		if err := a.orch.Work(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		l, err := a.store.Ledger(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if spent := l.Totals(); spent.Joules > *l.Run.Budget.Joules || spent.Dollars > *l.Run.Budget.Dollars {
			t.Errorf("%s: spent %s J and $%s", role, spent.Joules, spent.Dollars)
		}
		cut := 0
		for _, st := range l.Steps {
			if st.Outcome != research.OutcomeInterrupted {
				continue
			}
			cut++
			if st.Dollars == nil || lost.paid == nil || *lost.paid == 0 || *st.Dollars < *lost.paid || *st.Dollars != *st.Reserved.Dollars || *st.Energy.Joules != *st.Reserved.Joules {
				t.Errorf("%s: charged $%v of $%v reserved, paid $%v", role, st.Dollars, st.Reserved.Dollars, lost.paid)
			}
		}
		if cut != 1 || l.Run.Status != research.Complete {
			t.Errorf("%s: %d steps cut off, %s: %s", role, cut, l.Run.Status, l.Run.StopReason)
		}
	}
}

// Beside language models the embedded engine stands by, in every tier, until
// somebody lets a tier of it take part.
func TestTheEngineTakesPartWhereItIsLet(t *testing.T) {
	t.Parallel()
	s := faulty.Start(obliging)
	t.Cleanup(s.Close)
	a := languageApp(t, s.URL, research.Small)
	standby := func() (out []string) {
		for _, e := range a.registry().Estimates(t.Context(), research.Task{Role: research.Planner, Ledger: &research.Ledger{}}) {
			if e.Standby {
				out = append(out, e.Model)
			}
		}
		return out
	}
	if got := strings.Join(standby(), " "); got != "embedded/small embedded/medium embedded/large" {
		t.Errorf("on standby: %s", got)
	}
	if err := a.connected.Mix(t.Context(), research.Medium, true); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(standby(), " "); got != "embedded/small embedded/large" {
		t.Errorf("on standby with medium taking part: %s", got)
	}
	if in, err := a.connected.Models(t.Context()); err != nil || !in.Mixed[research.Medium] || in.Mixed[research.Large] {
		t.Errorf("the page is told %v, %v", in.Mixed, err)
	}
	if l := a.ask(t, research.FixedLarge, research.Budget{}); l.Steps[0].Model != "embedded/large" {
		t.Errorf("a tier that has nothing else is served by %s", l.Steps[0].Model)
	}
	if err := a.connected.Mix(t.Context(), research.Medium, false); err != nil {
		t.Fatal(err)
	}
	if got := len(standby()); got != 3 {
		t.Errorf("%d on standby in the end", got)
	}
}
