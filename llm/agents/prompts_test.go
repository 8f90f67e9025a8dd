package agents

import (
	"strings"
	"testing"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// Local models read a hundred tokens a second, so what every prompt repeats must
// be short; and servers keep the start of a prompt, so it must not change from
// call to call.
func TestPromptsAreShortAndBeginAlike(t *testing.T) {
	t.Parallel()
	b := setup(t, built, "en", nil, part{name: "test/m", client: says(t, nil)})
	for _, role := range research.Roles() {
		p, ok := prompts[role]
		if !ok || b.engine.blank[role] <= 0 {
			t.Fatalf("%s: no prompt", role)
		}
		data := map[string]any{"Question": built, "Language": "English", "Room": 1, "Most": 6, "Part": false}
		lines := []string{"1. The Alba lighthouse was built in 1872."}
		for _, k := range []string{"Named", "Parts", "Sentences", "Quotes", "Claims"} {
			data[k] = lines
		}
		first, err := p.render("mark000001", data)
		if err != nil {
			t.Fatal(err)
		}
		second, _ := p.render("mark000002", data)
		if first.Messages[0] != second.Messages[0] || first.Messages[0].Role != chat.System {
			t.Errorf("%s: the start changes", role)
		}
		n := chat.Count(first.Messages[0].Text)
		if n > 135 {
			t.Errorf("%s: %d tokens that every call repeats", role, n)
		}
		t.Logf("%s %s: %d tokens of instructions", role, p.name(), n)
		if role != research.Planner && strings.Contains(unfenced(first), lines[0]) {
			t.Errorf("%s: data outside the marks:\n%s", role, first.Messages[1].Text)
		}
		again := p.again(first, "it was empty.")
		if !strings.HasPrefix(again.Messages[1].Text, first.Messages[1].Text) || !strings.Contains(again.Messages[1].Text, p.retry) || len(first.Messages) != 2 {
			t.Errorf("%s: repair turn %q", role, again.Messages[1].Text)
		}
	}
}

func TestLanguageIsNamed(t *testing.T) {
	t.Parallel()
	s := scripted(chat.Response{Text: `{"subquestions":["알바 등대는 누가 지켰습니까?"],"queries":["알바 등대 역사"]}`})
	b := setup(t, "알바 등대는 언제 지어졌습니까?", "ko", nil, part{name: "test/m", client: s})
	r := b.do(research.Planner)
	if r.Outcome != research.OutcomeOK || len(r.Plan.Subquestions) != 2 || !strings.Contains(s.requests()[0].Messages[0].Text, "Write in Korean.") {
		t.Errorf("%s %+v: %s", r.Outcome, r.Plan, r.Note)
	}
	for _, l := range research.Languages() {
		if strings.HasPrefix(languageName(l), "the ") {
			t.Errorf("%s has no name", l)
		}
	}
}
