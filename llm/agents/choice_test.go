package agents

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/llm/embedded"
	"github.com/progrouter/progrouter/research"
)

// A model may choose at most half of what it is shown: one that takes all it may
// would choose nothing otherwise.
func TestReaderIsAskedForAChoice(t *testing.T) {
	t.Parallel()
	s := says(t, good)
	setup(t, built, "en", lighthouses(), part{name: "test/m", client: s}).run()
	asked := 0
	numbered, most := regexp.MustCompile(`(?m)^\d+\. `), regexp.MustCompile(`At most (\d+)\.`)
	for _, q := range s.requests() {
		p := q.Messages[len(q.Messages)-1].Text
		if !strings.Contains(q.Messages[0].Text, `"use"`) {
			continue
		}
		asked++
		shown := len(numbered.FindAllString(p, -1))
		m := most.FindStringSubmatch(p)
		if m == nil {
			t.Fatalf("no limit in %q", p)
		}
		if n, _ := strconv.Atoi(m[1]); n > max(leastChoice, shown/2) {
			t.Errorf("%d of %d sentences may be chosen", n, shown)
		}
	}
	if asked == 0 {
		t.Errorf("no %s was asked", research.Reader)
	}
}

// A tiny model's "nothing helps" does not empty a report; another's is heard
// where the engine doubts as well.
func TestTinyModelsCannotSayNothingHelps(t *testing.T) {
	t.Parallel()
	for params, heard := range map[float64]bool{0.135: false, 7: true, 0: true} {
		b := setup(t, built, "en", lighthouses(), part{
			name: "test/m", client: says(t, map[string]string{"reader": `{"use":[]}`}), change: func(m *Model) { m.Parameters = params },
		})
		task := b.task(research.Reader)
		d := newDirector(b.engine, b.engine.models[0], task, research.Estimate{})
		got, err := d.Choose(t.Context(), research.Subquestion{ID: "q1", Text: built, Main: true}, []embedded.Candidate{{Text: "One."}, {Text: "Two."}}, 2)
		if err != nil || got.None != heard || len(got.Use) > 0 {
			t.Errorf("%g billion parameters: %+v, %v", params, got, err)
		}
	}
}
