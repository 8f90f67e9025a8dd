package agents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

func TestCancelStopsAtOnceAndCounts(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := &script{answer: func(chat.Request, int) (chat.Response, error) { return chat.Response{Text: good["planner"]}, nil }}
	b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: s})
	task := b.task(research.Planner)
	task.Live = func(l research.Live) {
		if l.Text != "" {
			cancel()
		}
	}
	r, err := b.engine.Do(ctx, task)
	if err != nil || r.Outcome != research.OutcomeCancelled {
		t.Fatalf("%s, %v", r.Outcome, err)
	}
	if r.Tokens.Input == 0 || r.Tokens.Output == 0 || r.Tokens.Counted != chat.FromLocal || *r.Dollars == 0 || *r.Energy.Joules == 0 {
		t.Errorf("partial cost %+v %v %+v", r.Tokens, *r.Dollars, r.Energy)
	}
}

func TestServerThatIgnoresItsCapIsCut(t *testing.T) {
	t.Parallel()
	words := ""
	for i := range 4000 {
		words += "word" + strings.Repeat("z", i%7) + " "
	}
	s := &script{}
	heedless := clientFunc(func(ctx context.Context, r chat.Request, on func(chat.Delta)) (chat.Response, error) {
		r.MaxTokens = 1 << 30
		s.answer = func(chat.Request, int) (chat.Response, error) { return chat.Response{Text: words}, nil }
		return s.Chat(ctx, r, on)
	})
	b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: heedless})
	r := b.do(research.Planner)
	if r.Outcome != research.OutcomeInvalid || r.Tokens.Output > 700 || r.Tokens.Output == 0 {
		t.Errorf("%s after %d tokens", r.Outcome, r.Tokens.Output)
	}
}

// What a gauge reads ends a call whose estimate was too low.
func TestMeasuredJoulesEndACall(t *testing.T) {
	t.Parallel()
	g := &dial{each: 500_000}
	words := ""
	for i := range 400 {
		words += fmt.Sprintf("word%d ", i)
	}
	b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: says(t, map[string]string{"planner": words}), change: func(m *Model) {
		m.Gauge, m.Coefficients.High, m.Coefficients.Decode = g, 1, 0.001
	}})
	task := b.task(research.Planner)
	own := research.OrZero(task.Own)
	task.Reserved.Joules = research.Known(own + 30_000_000)
	r, err := b.engine.Do(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	if spent := research.OrZero(r.Energy.Joules); spent == 0 || spent > 30_000_000 {
		t.Errorf("%s J were used of 30; %d tokens, %s", spent, r.Tokens.Output, r.Note)
	}
}

// A server that does not stream may send any amount at once; not all of it is
// stored.
func TestAnswersOfAnySizeAreCut(t *testing.T) {
	t.Parallel()
	huge := clientFunc(func(_ context.Context, r chat.Request, on func(chat.Delta)) (chat.Response, error) {
		out := chat.Response{Model: strings.Repeat("m", 1<<20), Text: good[r.Name] + strings.Repeat("<think>한", 1<<16), Reasoning: strings.Repeat("hm ", 1<<18), Finish: chat.Stopped}
		out.Usage = chat.CountResponse(r, out.Text, out.Reasoning)
		on(chat.Delta{Text: out.Text, Reasoning: out.Reasoning})
		return out, nil
	})
	b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: huge})
	for _, a := range b.do(research.Planner).Actions {
		if a.Call != nil && (len(a.Call.Answered) > 300 || len(a.Call.Text) > mostText || len(a.Call.Reasoning) > 2*mostText+1 || a.Call.Tokens.Output < 1<<17) {
			t.Errorf("%d and %d bytes are stored of %d tokens", len(a.Call.Text), len(a.Call.Reasoning), a.Call.Tokens.Output)
		}
	}
}

type clientFunc func(context.Context, chat.Request, func(chat.Delta)) (chat.Response, error)

func (f clientFunc) Chat(ctx context.Context, r chat.Request, on func(chat.Delta)) (chat.Response, error) {
	return f(ctx, r, on)
}

func TestTimeEndsACallBeforeTheStep(t *testing.T) {
	t.Parallel()
	hang := clientFunc(func(ctx context.Context, _ chat.Request, _ func(chat.Delta)) (chat.Response, error) {
		<-ctx.Done()
		return chat.Response{}, ctx.Err()
	})
	b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: hang, change: func(m *Model) {
		m.Coefficients.Seconds = research.SpeedFit{Call: 0.01, Prefill: 0.00001, Decode: 0.0001}
	}})
	task := b.task(research.Planner)
	own := b.engine.base.EstimateGuided(t.Context(), task, research.Medium).Worst.Seconds
	task.Until = b.engine.now().Add(time.Duration((own + 0.3) * float64(time.Second)))
	r, err := b.engine.Do(t.Context(), task)
	if err != nil || r.Plan == nil || errors.Is(err, context.DeadlineExceeded) || r.Outcome == research.OutcomeCancelled {
		t.Errorf("%s, plan %v, %v: %s", r.Outcome, r.Plan, err, r.Note)
	}
	if r.Outcome != research.OutcomeError || !strings.Contains(noteCodes(r), "model_timeout") || strings.Contains(noteCodes(r), "flaw") {
		t.Errorf("silence is told as %s, %s", r.Outcome, noteCodes(r))
	}
}
