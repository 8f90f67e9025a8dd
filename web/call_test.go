package web_test

import (
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web/internal/fixture"
)

func TestCallsOfModelsAreShown(t *testing.T) {
	t.Parallel()
	l := fixture.Complete()
	call := &research.ModelCall{
		Model: "local/writer", Answered: "writer-q4", Prompt: "writer/1", Finish: "length", Tries: 3, Waited: 12, Repair: true, Cold: true,
		Tokens:  research.Tokens{Input: 812, Cached: 300, Output: 120, Reasoning: 40, Counted: "local"},
		Dollars: nil, Energy: research.Energy{Joules: research.Known(34_100_000), Method: research.MethodCPU},
		Text: `{"claims":[<script>alert(1)</script>`, Reasoning: "Let me think <b>hard</b>.",
	}
	l.Steps[0].Actions = append(l.Steps[0].Actions, research.Action{Kind: "call", Detail: "local/writer", Seconds: 3, Call: call})
	doc := runPage(t, l)
	if hint := text(doc.Find("#run-meters")); !strings.Contains(hint, "g CO₂e, at 0.5 kg per kWh") {
		t.Errorf("the carbon of the run is not shown: %s", hint)
	}
	row := doc.Find("#" + "step-0 .actions-table tr").Last()
	got := text(row)
	for _, want := range []string{
		"812", "300", "120", "34.1 J", "unknown", "answered as writer-q4", "cut at its limit", "3 tries", "waited 12", "asked again", "loaded", "counted here", "writer/1",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the call does not say %q: %s", want, got)
		}
	}
	if doc.Find(".actions-table script, .actions-table b").Length() > 0 {
		t.Error("what a model wrote became markup")
	}
	if answer := row.Find("pre").First().Text(); !strings.Contains(answer, "<script>alert(1)</script>") {
		t.Errorf("the answer is shown as %q", answer)
	}
}
