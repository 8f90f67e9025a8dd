package agents

import (
	"context"
	"testing"
	"time"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

const loadJoules = 1000

// switches are two models of one server; the server loads a model that is not the
// one it answered with last, where swaps is set, and any at its first call.
func switches(t *testing.T, swaps bool) (b *bundle, call func(name string), estimate func(name string, role research.Role) research.Estimate) {
	t.Helper()
	last, known := "", map[string]bool{}
	client := func(name string) clientFunc {
		return func(ctx context.Context, r chat.Request, on func(chat.Delta)) (chat.Response, error) {
			out, err := says(t, good).Chat(ctx, r, on)
			out.Took = time.Second
			if !known[name] || swaps && last != name {
				out.Load = 20 * time.Second
			}
			last, known[name] = name, true
			return out, err
		}
	}
	loads := func(m *Model) {
		m.Provider.Name, m.Coefficients.Load, m.Coefficients.Seconds.Load = "one", loadJoules, 20
	}
	b = setup(t, built, "en", lighthouses(), part{name: "test/a", client: client("a"), change: loads},
		part{name: "test/b", client: client("b"), tier: research.Large, change: loads})
	call = func(name string) {
		task := b.task(research.Planner)
		task.Model = name
		b.take(t.Context(), task)
		b.l.Steps, b.l.Plan = nil, research.Plan{}
	}
	estimate = func(name string, role research.Role) research.Estimate {
		t.Helper()
		e := b.engine.Estimate(t.Context(), name, b.task(role))
		if *e.Expected.Joules > *e.Worst.Joules || e.Expected.Seconds > e.Worst.Seconds {
			t.Errorf("%s: expects %v, at worst %v", name, e.Expected, e.Worst)
		}
		return e
	}
	return b, call, estimate
}

// What it takes to load a model is in what a step is expected to cost and shown
// apart, once, however many calls the step makes.
func TestAColdModelCostsItsLoadOnce(t *testing.T) {
	t.Parallel()
	b, call, estimate := switches(t, false)
	if e := estimate("test/a", research.Planner); e.Switching.Units() != loadJoules {
		t.Errorf("a cold model: %s J to load it", e.Switching)
	}
	call("test/a")
	for _, q := range []string{"q1", "q2", "q3"} {
		b.l.Plan.Subquestions = append(b.l.Plan.Subquestions, research.Subquestion{ID: q, Text: built})
		b.l.Hits = append(b.l.Hits, research.Hit{Subquestion: q, URL: "https://example.org/" + q})
	}
	warm, cold := estimate("test/a", research.Reader), estimate("test/b", research.Reader)
	if *warm.Switching != 0 || cold.Switching.Units() != loadJoules {
		t.Fatalf("%s J and %s J to load", warm.Switching, cold.Switching)
	}
	if more := (*cold.Expected.Joules - *warm.Expected.Joules).Units(); more < loadJoules || more >= 2*loadJoules {
		t.Errorf("the cold model is expected to take %.0f J more, its load is %d J", more, loadJoules)
	}
	if more := cold.Expected.Seconds - warm.Expected.Seconds; more < 20 || more >= 40 {
		t.Errorf("the cold model is expected to take %.0f s more, its load is 20 s", more)
	}
}

// A server that has room for one model shows it; then every change of models
// costs a load. One that keeps both does not.
func TestModelsThatDoNotFitSideBySideCostTheLoadAtEveryChange(t *testing.T) {
	t.Parallel()
	for _, swaps := range []bool{true, false} {
		_, call, estimate := switches(t, swaps)
		for _, name := range []string{"test/a", "test/b", "test/a", "test/b"} {
			call(name)
		}
		want := 0.0
		if swaps {
			want = loadJoules
		}
		if e := estimate("test/a", research.Planner); e.Switching.Units() != want {
			t.Errorf("swaps %v: %s J to load the other model", swaps, e.Switching)
		}
		if e := estimate("test/b", research.Planner); *e.Switching != 0 {
			t.Errorf("swaps %v: %s J to load the model in memory", swaps, e.Switching)
		}
	}
}

func TestSwitchingIsUnknownWithoutCoefficients(t *testing.T) {
	t.Parallel()
	b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: says(t, good), change: func(m *Model) { m.Coefficients = nil }})
	if e := b.engine.Estimate(t.Context(), "test/m", b.task(research.Planner)); e.Switching != nil || e.Expected.Joules != nil {
		t.Errorf("switching %v, expected %v", e.Switching, e.Expected.Joules)
	}
}
