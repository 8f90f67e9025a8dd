package agents

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// A step without a call costs what the engine's own work costs.
func TestStepsWithoutCallsCostNoCalls(t *testing.T) {
	t.Parallel()
	b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: says(t, good)})
	b.do(research.Planner)
	first := b.engine.Estimate(t.Context(), "test/m", b.task(research.Searcher))
	if *first.Worst.Joules != *first.Own || *first.Worst.Dollars != 0 || *first.Switching != 0 {
		t.Errorf("first search %+v, own %s", first.Worst, first.Own)
	}
	again := b.task(research.Searcher)
	again.Rewrite = true
	second := b.engine.Estimate(t.Context(), "test/m", again)
	if *second.Worst.Joules <= *second.Own || *second.Worst.Dollars == 0 || second.Patience <= first.Patience {
		t.Errorf("second search %+v", second)
	}
	b.do(research.Searcher)
	b.do(research.Reader, "q1")
	b.do(research.Writer)
	for i := range b.l.Report.Claims { // all quotes
		c := &b.l.Report.Claims[i]
		if e, ok := b.l.EvidenceByID(c.EvidenceIDs[0]); ok {
			c.Text = e.Quote
		}
	}
	review := b.engine.Estimate(t.Context(), "test/m", b.task(research.Reviewer))
	if *review.Worst.Joules != *review.Own {
		t.Errorf("a review of quotes %+v", review.Worst)
	}
}

func TestEstimatesFollowWhatServersCount(t *testing.T) {
	t.Parallel()
	b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: says(t, good)})
	before := b.engine.Estimate(t.Context(), "test/m", b.task(research.Reader, "q1"))
	for range 12 {
		b.l.Plan = research.Plan{}
		b.l.Steps = nil
		b.do(research.Planner)
	}
	after := b.engine.Estimate(t.Context(), "test/m", b.task(research.Reader, "q1"))
	if *after.Worst.Joules >= *before.Worst.Joules || *after.Worst.Joules < *after.Expected.Joules {
		t.Errorf("worst %s, then %s (expected %s)", before.Worst.Joules, after.Worst.Joules, after.Expected.Joules)
	}
}

// dial is a gauge that reads the same for every call.
type dial struct {
	joules research.Micro
	each   research.Micro // … per token written, where it is set
	begun  []string
	uses   []energy.CallUse
}

func (d *dial) Begin(_ context.Context, model string) energy.Reading {
	d.begun = append(d.begun, model)
	return d
}
func (d *dial) Progress(u energy.CallUse) research.Micro { return d.each * research.Micro(u.Output) }
func (d *dial) End(u energy.CallUse) (research.Energy, bool) {
	d.uses = append(d.uses, u)
	if d.each > 0 {
		d.joules = d.each * research.Micro(u.Output)
	}
	return research.Energy{Joules: &d.joules, Low: &d.joules, High: &d.joules, Method: research.MethodCPU}, d.joules > 0
}
func (d *dial) Idle() research.Micro { return 0 }

func TestLocalCallsAreMeasured(t *testing.T) {
	t.Parallel()
	for _, joules := range []research.Micro{7_000_000, 0} {
		g := &dial{joules: joules}
		b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: says(t, good), change: func(m *Model) { m.Gauge = g }})
		r := b.do(research.Planner)
		want := research.MethodCPU
		if joules == 0 {
			want = research.MethodModel // nothing could be measured
		}
		if r.Energy.Method != want || joules > 0 && *r.Energy.Joules != joules || len(g.begun) != 1 || g.uses[0].Input == 0 || g.uses[0].Output == 0 {
			t.Errorf("%+v, gauge %+v", r.Energy, g)
		}
	}
}

// A gauge teaches what calls take beside what was guessed of them. Before its
// first reading a wide guess does not keep a model from being asked.
func TestReadingsMoveEstimates(t *testing.T) {
	t.Parallel()
	g := &dial{joules: 12_000_000}
	b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: says(t, good), change: func(m *Model) { m.Gauge, m.Coefficients.High = g, 9 }})
	worst := func() float64 {
		e := b.engine.Estimate(t.Context(), "test/m", b.task(research.Writer))
		return (*e.Worst.Joules - *e.Own).Units() / (*e.Expected.Joules).Units()
	}
	m := b.engine.models[0]
	if _, first := m.gauged(); first != mostDoubt {
		t.Errorf("at first %v", first)
	}
	before := worst()
	for range 8 {
		b.l.Plan, b.l.Steps = research.Plan{}, nil
		b.do(research.Planner)
	}
	mean, most := m.gauged()
	if mean >= 1 || most < mean || most > 1.5*mean || worst() >= before {
		t.Errorf("readings %v to %v, worst over expected %v, then %v", mean, most, before, worst())
	}
}

// One bad moment, or the call that loaded a model, must not shut it out: nothing
// would ever correct that.
func TestOneBadCallShutsNoModelOut(t *testing.T) {
	t.Parallel()
	l := newLearned()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l.took(1, time.Hour, now, false)
	l.measured(1000, 1, false)
	if got := l.lessons(now); got.pace != 1 || l.reading != 0 {
		t.Errorf("a cold call counts: %+v", l)
	}
	l.took(1, time.Hour, now, true)
	l.measured(1000, 1, true)
	if _, worst := l.gauged(1); l.lessons(now).pace > 2 || worst > 2*leastDoubt {
		t.Errorf("pace %v, worst %v", l.pace, worst)
	}
	for range 5 {
		l.measured(8, 1, true)
	}
	if _, worst := l.gauged(1); worst < 8 {
		t.Errorf("readings that stay high do not prevail: %v", worst)
	}
	for range 30 {
		l.took(1, time.Second, now, true)
		l.measured(1, 1, true)
	}
	if mean, _ := l.gauged(1); l.pace > 1.01 || mean > 1.01 {
		t.Errorf("never forgotten: pace %v, mean %v", l.pace, mean)
	}
}

// A slow model gets shorter prompts and fewer words than a fast one.
func TestPromptsFitTheSpeed(t *testing.T) {
	t.Parallel()
	slow := func(m *Model) { m.Coefficients.Seconds = research.SpeedFit{Prefill: 1.0 / 62, Decode: 1.0 / 12.5} }
	fast := func(m *Model) { m.Coefficients.Seconds = research.SpeedFit{Prefill: 1.0 / 9000, Decode: 1.0 / 100} }
	b := setup(t, built, "en", nil, part{name: "test/slow", client: says(t, nil), change: slow}, part{name: "test/fast", client: says(t, nil), change: fast})
	for _, role := range []research.Role{research.Reader, research.Writer, research.Reviewer} {
		s, l := sizes[role], lessons{pace: 1, warm: true}
		x, y := b.engine.models[0], b.engine.models[1]
		if a, c := s.prompt(x, l, s.output(x, "en"), 130), s.prompt(y, l, s.output(y, "en"), 130); a >= c || a > 520 {
			t.Errorf("%s: %.0f and %.0f tokens of data", role, a, c)
		}
		if a, c := s.output(x, "en"), s.output(y, "en"); a > c || a > 340 {
			t.Errorf("%s: answers of %d and %d tokens", role, a, c)
		}
		if s.output(x, "ko") <= s.output(x, "en") {
			t.Errorf("%s: Korean needs more tokens", role)
		}
	}
}

// A tiny model is as fast and gets no more for it.
func TestTinyModelsAreKeptShort(t *testing.T) {
	t.Parallel()
	fast := func(params float64) func(m *Model) {
		return func(m *Model) {
			m.Parameters, m.Output = params, 4096
			m.Coefficients.Seconds = research.SpeedFit{Prefill: 1.0 / 230, Decode: 1.0 / 69}
		}
	}
	b := setup(t, built, "en", nil, part{name: "test/tiny", client: says(t, nil), change: fast(0.135)}, part{name: "test/other", client: says(t, nil), change: fast(0)})
	for role, s := range sizes {
		l := lessons{pace: 1, warm: true}
		x, y := b.engine.models[0], b.engine.models[1]
		if a, c := s.prompt(x, l, 100, 100), s.prompt(y, l, 100, 100); a > c || a > max(s.least0, s.reading/3*230) {
			t.Errorf("%s: %.0f and %.0f tokens of data", role, a, c)
		}
		if got := s.output(x, "en"); got != s.answer {
			t.Errorf("%s: an answer of %d tokens, want %d", role, got, s.answer)
		}
	}
}

func TestLiveIsThrottled(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var told []research.Live
	tick := newTicker(func(l research.Live) { told = append(told, l) }, func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	})
	tick.begin()
	for range 100 {
		tick.add("word ")
		now = now.Add(10 * time.Millisecond)
	}
	if len(told) < 3 || len(told) > 5 {
		t.Errorf("told %d times in a second", len(told))
	}
	why := &research.Note{Text: "The server asks to wait."}
	tick.wait(why, now)
	if last := told[len(told)-1]; last.Wait != why {
		t.Errorf("%+v", last)
	}
	tick.stop()
	if last := told[len(told)-1]; last.Text != strings.Repeat("word ", 100) || last.Wait != nil {
		t.Errorf("the end is not told: %q", last.Text)
	}
	quiet := newTicker(nil, nil)
	quiet.begin()
	quiet.add("x")
	quiet.stop()
}

// A wait for the server reaches whoever watches.
func TestWaitsAreShown(t *testing.T) {
	t.Parallel()
	s := &script{answer: func(r chat.Request, n int) (chat.Response, error) {
		if n == 1 {
			return chat.Response{}, &chat.Error{Kind: chat.RateLimited, RetryAfter: 2 * time.Second}
		}
		return chat.Response{Text: good[r.Name]}, nil
	}}
	b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: s})
	r := b.do(research.Planner)
	if r.Outcome != research.OutcomeOK || !slices.ContainsFunc(b.live, func(l research.Live) bool { return l.Wait != nil && l.Wait.Code != "" }) {
		t.Errorf("%s, live %+v", r.Outcome, b.live)
	}
}

// A server may put a model out of memory when another of its models is called:
// the worst case then has the load in it, also soon after.
func TestAnotherModelOfTheServerMayCostTheLoad(t *testing.T) {
	t.Parallel()
	loads := func(provider string) func(*Model) {
		return func(m *Model) { m.Provider.Name, m.Coefficients.Load = provider, 1000 }
	}
	timed := clientFunc(func(ctx context.Context, r chat.Request, on func(chat.Delta)) (chat.Response, error) {
		out, err := says(t, good).Chat(ctx, r, on)
		out.Took = time.Second
		return out, err
	})
	b := setup(t, built, "en", lighthouses(), part{name: "test/a", client: timed, change: loads("one")},
		part{name: "test/b", client: timed, tier: research.Large, change: loads("one")},
		part{name: "test/c", client: timed, tier: research.Large, change: loads("two")})
	cost := func(name string) (expected, worst float64) {
		e := b.engine.Estimate(t.Context(), name, b.task(research.Planner))
		return e.Expected.Joules.Units(), e.Worst.Joules.Units()
	}
	call := func(name string) {
		task := b.task(research.Planner)
		task.Model = name
		b.take(t.Context(), task)
		b.l.Steps, b.l.Plan = nil, research.Plan{}
	}
	for _, tt := range []struct {
		call            string
		expected, worst bool // the load of a is in them
	}{{"", true, true}, {"test/a", false, false}, {"test/c", false, false}, {"test/b", false, true}, {"test/a", false, false}} {
		if tt.call != "" {
			call(tt.call)
		}
		if e, w := cost("test/a"); (e > 1000) != tt.expected || (w > 1000) != tt.worst {
			t.Errorf("after %q: %.0f J, at worst %.0f J", tt.call, e, w)
		}
	}
}

// The load is charged also when the attempt that loaded the model was lost.
func TestLoadOfALostAttemptIsCharged(t *testing.T) {
	t.Parallel()
	attempts := 0
	loads := clientFunc(func(ctx context.Context, r chat.Request, on func(chat.Delta)) (chat.Response, error) {
		if attempts++; attempts == 1 {
			return chat.Response{Load: 20 * time.Second, Finish: chat.Broken}, &chat.Error{Kind: chat.Cut}
		}
		return says(t, good).Chat(ctx, r, on)
	})
	b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: loads, change: func(m *Model) { m.Coefficients.Load = 1000 }})
	if r := b.do(research.Planner); attempts != 2 || r.Energy.Joules.Units() < 1000 || r.Energy.Joules.Units() > 2000 {
		t.Errorf("%d attempts, %s J", attempts, r.Energy.Joules)
	}
}

// A model whose calls run out of time is slower than it was taken for.
func TestCallsThatRunOutOfTimeTeachThePace(t *testing.T) {
	t.Parallel()
	slow := clientFunc(func(ctx context.Context, _ chat.Request, on func(chat.Delta)) (chat.Response, error) {
		on(chat.Delta{Text: "{"})
		<-ctx.Done()
		return chat.Response{Text: "{", Took: time.Minute}, ctx.Err()
	})
	b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: slow, change: func(m *Model) {
		m.Coefficients.Seconds = research.SpeedFit{Call: 0.01, Prefill: 0.00001, Decode: 0.0001}
	}})
	own := b.engine.base.EstimateGuided(t.Context(), b.task(research.Planner), research.Medium).Worst.Seconds
	for range 2 { // the first may have loaded the model
		task := b.task(research.Planner)
		task.Until = b.engine.now().Add(time.Duration((own + 0.2) * float64(time.Second)))
		b.take(t.Context(), task)
		b.l.Steps, b.l.Plan = nil, research.Plan{}
	}
	if l := b.engine.models[0].learned.lessons(b.engine.now()); l.pace <= 1.5 || !l.warm {
		t.Errorf("after two calls that took a minute: %+v", l)
	}
}
