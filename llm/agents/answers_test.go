package agents

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// scripted answers the calls of one role in turn, the last answer for ever.
func scripted(answers ...chat.Response) *script {
	return &script{answer: func(_ chat.Request, n int) (chat.Response, error) {
		return answers[min(n, len(answers))-1], nil
	}}
}

func noteCodes(r research.Result) string {
	var out []string
	for _, n := range r.Notes {
		out = append(out, n.Code)
	}
	return strings.Join(out, " ")
}

func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	long := ""
	for i := range 60 {
		long += fmt.Sprintf("hm, let me see what else there might be to thing %d of it. ", i*i)
	}
	for name, tt := range map[string]struct {
		answers []chat.Response
		outcome research.Outcome
		code    string
		calls   int
	}{
		"good":               {[]chat.Response{{Text: good["planner"]}}, research.OutcomeOK, "planned_parts", 1},
		"fenced":             {[]chat.Response{{Text: "Here you go:\n```json\n" + good["planner"] + "\n```"}}, research.OutcomeOK, "planned_parts", 1},
		"after a thought":    {[]chat.Response{{Text: "<think>What is asked? {\"queries\":[]}</think>" + good["planner"]}}, research.OutcomeOK, "planned_parts", 1},
		"repaired":           {[]chat.Response{{Text: "I would search a library."}, {Text: good["planner"]}}, research.OutcomeOK, noteRepaired, 2},
		"questions in prose": {[]chat.Response{{Text: "1. Who kept the Alba lighthouse?\n2. What is the Alba lighthouse made of?"}}, research.OutcomeOK, "planned_parts", 1},
		"never JSON":         {[]chat.Response{{Text: "I would search a library."}}, research.OutcomeInvalid, "model_flaw_form", 2},
		"empty":              {[]chat.Response{{Text: "  \n"}}, research.OutcomeEmpty, "model_flaw_empty", 2},
		"only thought":       {[]chat.Response{{Reasoning: long, Finish: chat.Length}}, research.OutcomeEmpty, "model_flaw_thought", 2},
		"open thought":       {[]chat.Response{{Text: "<think>" + long}}, research.OutcomeEmpty, "model_flaw_thought", 2},
		"refusal":            {[]chat.Response{{Text: "I'm sorry, but I can't help with that."}}, research.OutcomeEmpty, "model_flaw_refused", 2},
		"filtered":           {[]chat.Response{{Finish: chat.Refused}}, research.OutcomeEmpty, "model_flaw_filtered", 1},
		"tool":               {[]chat.Response{{Text: `<tool_call>{"name":"search","arguments":{"q":"x"}}</tool_call>`}}, research.OutcomeInvalid, "model_flaw_tool", 2},
		"tool field":         {[]chat.Response{{Finish: chat.ToolCalls}}, research.OutcomeInvalid, "model_flaw_tool", 2},
		"template tokens":    {[]chat.Response{{Text: "<end_of_turn>\n<start_of_turn>model\n<end_of_turn>\n<start_of_turn>"}}, research.OutcomeInvalid, "model_flaw_template", 1},
		"loop":               {[]chat.Response{{Text: strings.Repeat("and then again ", 200)}}, research.OutcomeInvalid, "model_flaw_loop", 1},
		"cut off":            {[]chat.Response{{Text: `{"subquestions":["Who kept the Alba`, Finish: chat.Length}}, research.OutcomeInvalid, "model_flaw_cut", 2},
		"cut, but of use":    {[]chat.Response{{Text: `{"queries":["Alba builder","Alba tow`, Finish: chat.Length}}, research.OutcomeOK, noteCutAnswer, 1},
		"other language":     {[]chat.Response{{Text: `{"subquestions":["알바 등대를 지킨 사람은 누구입니까"],"queries":["알바 등대 건설"]}`}}, research.OutcomeInvalid, "model_flaw_language", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := scripted(tt.answers...)
			b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: s})
			r := b.do(research.Planner)
			if r.Outcome != tt.outcome || !strings.Contains(noteCodes(r), tt.code) || len(s.requests()) != tt.calls {
				t.Errorf("%s, notes %s, %d calls: %s", r.Outcome, noteCodes(r), len(s.requests()), r.Note)
			}
			if r.Plan == nil || !r.Plan.Subquestions[0].Main || r.Plan.Subquestions[0].Text != built {
				t.Errorf("the question itself is always planned: %+v", r.Plan)
			}
		})
	}
}

func TestThoughtIsKeptApart(t *testing.T) {
	t.Parallel()
	s := scripted(chat.Response{Text: "<think>secret musing</think>" + good["planner"], Reasoning: "from a field"})
	b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: s})
	r := b.do(research.Planner)
	for _, a := range r.Actions {
		if a.Call != nil && (!strings.Contains(a.Call.Reasoning, "secret musing") || !strings.Contains(a.Call.Reasoning, "from a field") || a.Call.Tokens.Reasoning == 0) {
			t.Errorf("%+v", a.Call)
		}
	}
}

// The same work is not asked of a model again that just failed at it: the engine
// does it, and the run goes on.
func TestFailedWorkIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	s := &script{answer: func(r chat.Request, _ int) (chat.Response, error) {
		if r.Name == "reader" {
			return chat.Response{Text: "no idea"}, nil
		}
		return chat.Response{Text: good[r.Name]}, nil
	}}
	b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: s})
	b.do(research.Planner)
	b.do(research.Searcher)
	first := b.do(research.Reader, "q1")
	if first.Outcome != research.OutcomeInvalid || len(first.Evidence) == 0 {
		t.Fatalf("%s, %d quotes", first.Outcome, len(first.Evidence))
	}
	calls := len(s.requests())
	b.l.Evidence = nil // there is room again
	second := b.do(research.Reader, "q1")
	if second.Outcome != research.OutcomeOK || len(s.requests()) != calls || !strings.Contains(noteCodes(second), noteLeftOut) {
		t.Errorf("%s, %d calls, %s", second.Outcome, len(s.requests())-calls, noteCodes(second))
	}
}

func TestRoleThatFailedTwiceIsLeftOutOnce(t *testing.T) {
	t.Parallel()
	step := func(i int, r research.Role, o research.Outcome) research.Step {
		return research.Step{Index: i, Role: r, Model: "m", Outcome: o, Focus: []string{string(rune('a' + i))}}
	}
	ok, bad, empty := research.OutcomeOK, research.OutcomeInvalid, research.OutcomeEmpty
	w, r := research.Writer, research.Reader
	for name, tt := range map[string]struct {
		steps []research.Step
		role  research.Role
		want  bool
	}{
		"fresh":           {nil, w, false},
		"once":            {[]research.Step{step(0, w, bad), step(1, r, ok)}, w, false},
		"twice":           {[]research.Step{step(0, w, bad), step(1, r, ok), step(2, w, empty), step(3, r, ok)}, w, true},
		"well since":      {[]research.Step{step(0, w, bad), step(1, w, bad), step(2, w, ok), step(3, r, ok)}, w, false},
		"nothing found":   {[]research.Step{step(0, r, empty), step(1, r, empty)}, r, false},
		"another's fault": {[]research.Step{{Role: w, Model: "n", Outcome: bad}, {Role: w, Model: "n", Outcome: bad}}, w, false},
	} {
		got := failedBefore(research.Task{Role: tt.role, Model: "m", Focus: []string{"z"}, Ledger: &research.Ledger{Steps: tt.steps}})
		if got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func failing(e *chat.Error) *script {
	return &script{answer: func(chat.Request, int) (chat.Response, error) { return chat.Response{}, e }}
}

func TestAnotherModelOfTheTierAnswers(t *testing.T) {
	t.Parallel()
	for _, kind := range []chat.Kind{chat.Overloaded, chat.Unreachable, chat.Unauthorized, chat.UnknownModel, chat.OutOfCredit, chat.Garbage, chat.Rejected} {
		second := says(t, good)
		b := setup(t, built, "en", lighthouses(),
			part{name: "test/down", client: failing(&chat.Error{Kind: kind})},
			part{name: "test/reader-only", client: says(t, nil), change: func(m *Model) { m.Roles = []research.Role{research.Reader} }},
			part{name: "test/other-tier", client: says(t, nil), tier: research.Large},
			part{name: "test/up", client: second})
		b.engine.models = append(b.engine.models, b.engine.models[0]) // keeps the first first
		r := b.do(research.Planner)
		if r.Outcome != research.OutcomeOK || r.Model != "test/up" || len(second.requests()) != 1 || !strings.Contains(noteCodes(r), noteInstead) {
			t.Errorf("%s: %s by %q, %s", kind, r.Outcome, r.Model, noteCodes(r))
		}
	}
}

// Under a budget of the user's no model takes over whose cost is unknown.
func TestNoneOfUnknownCostTakesOver(t *testing.T) {
	t.Parallel()
	limit := research.Known(1000 * research.MicroPerUnit)
	for name, tt := range map[string]struct {
		given research.Budget
		want  string
	}{"joules": {research.Budget{Joules: limit}, "test/known"}, "dollars": {research.Budget{Dollars: limit}, "test/known"}, "none": {research.Budget{}, "test/unknown"}} {
		b := setup(t, built, "en", lighthouses(), part{name: "test/down", client: failing(&chat.Error{Kind: chat.Rejected})},
			part{name: "test/unknown", client: says(t, good), change: func(m *Model) { m.Price, m.Coefficients = nil, nil }},
			part{name: "test/known", client: says(t, good)})
		b.l.Run.Given = tt.given
		if r := b.do(research.Planner); r.Model != tt.want {
			t.Errorf("%s: %s answered", name, r.Model)
		}
	}
}

// Claims are written in the language of the quotes where none is in the
// question's: they are checked against them.
func TestClaimsAreInTheLanguageOfTheirQuotes(t *testing.T) {
	t.Parallel()
	s := &script{answer: func(r chat.Request, _ int) (chat.Response, error) { return chat.Response{Text: good[r.Name]}, nil }}
	b := setup(t, "Alba lighthouse 등대는 언제 지어졌습니까?", "ko", lighthouses(), part{name: "test/m", client: s})
	b.l.Plan = research.Plan{Subquestions: []research.Subquestion{{ID: "q1", Text: "Alba lighthouse built", Main: true, Queries: []string{"Alba lighthouse"}}}}
	b.do(research.Searcher)
	b.do(research.Reader, "q1")
	r := b.do(research.Writer)
	last := s.requests()[len(s.requests())-1]
	if last.Name != "writer" || !strings.Contains(last.Messages[0].Text, "Write in English.") || r.Outcome != research.OutcomeOK || !strings.Contains(r.Note, "1 kept") {
		t.Errorf("%s: %s", r.Outcome, r.Note)
	}
}

func TestAllModelsDown(t *testing.T) {
	t.Parallel()
	b := setup(t, built, "en", lighthouses(), part{name: "test/down", client: failing(&chat.Error{Kind: chat.Unauthorized, Detail: "sk-secret"})})
	r := b.do(research.Planner)
	if r.Outcome != research.OutcomeError || r.Plan == nil || !strings.Contains(r.Note, "key") || strings.Contains(r.Note, "secret") {
		t.Errorf("%s: %q", r.Outcome, r.Note)
	}
	if e := b.engine.Estimate(t.Context(), "test/down", b.task(research.Reader)); e.Eligible || e.WhyCode != "resting" || !strings.Contains(e.WhyNot, "12:") {
		t.Errorf("estimate %+v", e)
	}
}

func TestTooLongPromptIsMadeShorter(t *testing.T) {
	t.Parallel()
	reads := 0
	s := &script{answer: func(r chat.Request, n int) (chat.Response, error) {
		if r.Name == "reader" {
			if reads++; reads == 1 {
				return chat.Response{}, &chat.Error{Kind: chat.ContextLength}
			}
		}
		return chat.Response{Text: good[r.Name]}, nil
	}}
	b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: s})
	b.do(research.Planner)
	b.do(research.Searcher)
	r := b.do(research.Reader, "q1")
	if r.Outcome != research.OutcomeOK || !strings.Contains(noteCodes(r), noteTailored) || reads != 2 {
		t.Errorf("%s: %s", r.Outcome, r.Note)
	}
}

// A step whose servers all failed is an error, also where no other of the tier
// could be asked any more.
func TestFailureStandsWhenNoOtherCanBeAsked(t *testing.T) {
	t.Parallel()
	b := setup(t, built, "en", lighthouses(), part{name: "test/down", client: failing(&chat.Error{Kind: chat.Rejected})},
		part{name: "test/dear", client: says(t, nil), change: func(m *Model) { m.Price = &research.Price{Input: 1e6, Cached: 1e6, Output: 1e6, Currency: "USD"} }})
	task := b.task(research.Planner)
	task.Reserved.Dollars = research.Known(50_000)
	r := b.take(t.Context(), task)
	if r.Outcome != research.OutcomeError || !strings.Contains(noteCodes(r), "model_rejected") || !strings.Contains(noteCodes(r), noteNotAsked) {
		t.Errorf("%s, %s", r.Outcome, noteCodes(r))
	}
}

// Who waits for a place until the time is up was not asked.
func TestWaitingForAPlaceIsNoAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t, built, "en", lighthouses(), part{name: "test/m", change: func(m *Model) {
		m.Coefficients.Seconds = research.SpeedFit{Call: 0.01, Prefill: 0.00001, Decode: 0.0001}
		m.Caller = callerFunc(func(ctx context.Context, _ chat.Request, _ chat.Watch) (chat.Outcome, error) {
			<-ctx.Done()
			return chat.Outcome{}, ctx.Err()
		})
	}})
	task := b.task(research.Planner)
	own := b.engine.base.EstimateGuided(t.Context(), task, research.Medium).Worst.Seconds
	task.Until = b.engine.now().Add(time.Duration((own + 0.3) * float64(time.Second)))
	r := b.take(t.Context(), task)
	if r.Outcome != research.OutcomeOK || !strings.Contains(noteCodes(r), noteNotAsked) || r.Tokens.Input != 0 || *r.Dollars != 0 {
		t.Errorf("%s, %s, %+v", r.Outcome, noteCodes(r), r.Tokens)
	}
}

type callerFunc func(context.Context, chat.Request, chat.Watch) (chat.Outcome, error)

func (f callerFunc) Call(ctx context.Context, r chat.Request, w chat.Watch) (chat.Outcome, error) {
	return f(ctx, r, w)
}

func (callerFunc) Resting() (time.Time, *chat.Error, bool) { return time.Time{}, nil, false }

func TestUnknownCostsStayUnknown(t *testing.T) {
	t.Parallel()
	b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: says(t, good), change: func(m *Model) { m.Price, m.Coefficients = nil, nil }})
	e := b.engine.Estimate(t.Context(), "test/m", b.task(research.Planner))
	if e.Expected.Joules != nil || e.Worst.Joules != nil || e.Expected.Dollars != nil || e.Worst.Dollars != nil || e.Worst.Seconds <= 0 || e.Own == nil || !e.Eligible {
		t.Errorf("estimate %+v", e)
	}
	r := b.do(research.Planner)
	if r.Dollars != nil || r.Energy == nil || r.Energy.Joules != nil || r.Energy.Method != research.MethodUnknown {
		t.Errorf("dollars %v, energy %+v", r.Dollars, r.Energy)
	}
}

func TestIneligible(t *testing.T) {
	t.Parallel()
	b := setup(t, built, "en", lighthouses(),
		part{name: "test/role", client: says(t, nil), change: func(m *Model) { m.Roles = []research.Role{research.Writer} }},
		part{name: "test/window", client: says(t, nil), change: func(m *Model) { m.Context = 128 }},
		part{name: "test/unused", client: says(t, nil), change: func(m *Model) { m.Tier = "" }})
	for name, code := range map[string]string{"test/role": "role", "test/window": "window", "test/none": "unknown_model", "test/unused": "unknown_model"} {
		if e := b.engine.Estimate(t.Context(), name, b.task(research.Planner)); e.Eligible || e.WhyCode != code || e.WhyNot == "" {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if len(b.engine.Models()) != 2 {
		t.Errorf("models %v", b.engine.Models())
	}
	_, err := b.engine.Do(t.Context(), research.Task{Model: "test/none"})
	if research.CodeOf(err) != research.EInvalid {
		t.Errorf("error %v", err)
	}
}
