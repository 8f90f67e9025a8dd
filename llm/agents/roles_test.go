package agents

import (
	"strings"
	"testing"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// good answers as a capable model would.
var good = map[string]string{
	"planner":  `{"subquestions":["Who kept the Alba lighthouse?"],"queries":["Alba lighthouse construction","Maria Stein engineer"]}`,
	"searcher": `{"queries":[{"part":"q1","query":"Alba tower origin"}]}`,
	"reader":   `{"use":[1,2]}`,
	"writer":   `{"claims":[{"text":"Maria Stein, an engineer, built the Alba lighthouse in 1872.","cite":["e1"]},{"text":"Its builder was Napoleon.","cite":["e1"]}],"summary":"The engineer Maria Stein built it in 1872."}`,
	"reviewer": `{"not_supported":[]}`,
}

func TestEveryRoleDoesItsWork(t *testing.T) {
	t.Parallel()
	s := says(t, good)
	b := setup(t, built, "en", lighthouses(), part{name: "test/good", client: s})
	b.run()
	if qs := b.l.Plan.Subquestions; len(qs) != 2 || !qs[0].Main || qs[0].Text != built || qs[1].Text != "Who kept the Alba lighthouse?" {
		t.Errorf("plan %+v", qs)
	}
	if !strings.Contains(strings.Join(b.shelf.searches, "|"), "Alba lighthouse construction") {
		t.Errorf("searches %q", b.shelf.searches)
	}
	r := b.l.Report
	if len(r.Claims) == 0 || !r.Reviewed {
		t.Fatalf("report %+v", r)
	}
	if first := r.Claims[0]; first.Text != "Maria Stein, an engineer, built the Alba lighthouse in 1872." || first.Verdict != research.Supported || len(first.EvidenceIDs) != 1 {
		t.Errorf("first claim %+v", first)
	}
	for _, c := range r.Claims {
		if strings.Contains(c.Text, "Napoleon") {
			t.Errorf("invented: %q", c.Text)
		}
	}
	checkQuotes(t, b.l)
	for _, st := range b.l.Steps {
		if st.Outcome != research.OutcomeOK {
			t.Errorf("%s: %s, %s", st.Role, st.Outcome, st.Note)
		}
	}
	input, output := 0, 0
	for _, q := range s.requests() {
		input += tokensOf(q)
		output += q.MaxTokens
	}
	t.Logf("%d calls, %d prompt tokens, at most %d answered", len(s.requests()), input, output)
}

func checkQuotes(t *testing.T, l *research.Ledger) {
	t.Helper()
	for _, e := range l.Evidence {
		src, ok := l.SourceByID(e.SourceID)
		if got, in := research.Slice(src.Text, e.Start, e.End); !ok || !in || got != e.Quote {
			t.Errorf("%s: %q stands at its place, quote is %q", e.ID, got, e.Quote)
		}
	}
}

func TestCallsAreRecordedAndPaid(t *testing.T) {
	t.Parallel()
	b := setup(t, built, "en", lighthouses(), part{name: "test/good", client: says(t, good)})
	r := b.do(research.Planner)
	var calls []research.ModelCall
	for _, a := range r.Actions {
		if a.Call != nil {
			calls = append(calls, *a.Call)
		}
	}
	if len(calls) != 1 || calls[0].Prompt != "planner/v1" || calls[0].Answered != "served" || calls[0].Finish != "stop" || calls[0].Text == "" {
		t.Fatalf("calls %+v", calls)
	}
	c := calls[0]
	if c.Tokens.Counted != chat.FromServer || r.Tokens != c.Tokens || r.Energy == nil || *r.Energy.Joules != *c.Energy.Joules || *r.Dollars != *c.Dollars || *r.Dollars == 0 {
		t.Errorf("result %+v %+v, call %+v", r.Tokens, r.Energy, c)
	}
	if len(b.live) == 0 || !strings.Contains(b.live[len(b.live)-1].Text, "subquestions") {
		t.Errorf("live %+v", b.live)
	}
}

func TestSearcherAsksOnlyForOtherWordings(t *testing.T) {
	t.Parallel()
	s := says(t, good)
	b := setup(t, built, "en", lighthouses(), part{name: "test/good", client: s})
	b.do(research.Planner)
	b.do(research.Searcher)
	if n := len(s.requests()); n != 1 {
		t.Fatalf("%d calls after the first search", n)
	}
	task := b.task(research.Searcher, "q1")
	task.Rewrite = true
	b.take(t.Context(), task)
	if !strings.Contains(strings.Join(b.shelf.searches, "|"), "Alba tower origin") {
		t.Errorf("searches %q", b.shelf.searches)
	}
}

func TestReviewerDoubtMakesWeak(t *testing.T) {
	t.Parallel()
	answers := map[string]string{}
	for k, v := range good {
		answers[k] = v
	}
	answers["reviewer"] = `{"not_supported":[1]}`
	b := setup(t, built, "en", lighthouses(), part{name: "test/good", client: says(t, answers)})
	b.run()
	c := b.l.Report.Claims[0]
	if c.Verdict != research.Weak || c.Note == "" {
		t.Errorf("%+v", c)
	}
}

// A model that picks nonsense must not cost what the engine finds by itself.
func TestNonsenseCannotRuinAReport(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string]map[string]string{
		"nothing helps": {"reader": `{"use":[]}`, "writer": `{"claims":[],"summary":""}`},
		"last ones":     {"reader": `{"use":[99,5]}`, "writer": `{"claims":[{"text":"Lighthouses are nice.","cite":["e9"]}],"summary":"Nice."}`},
		"not JSON":      {"reader": "I think all of them.", "writer": "The lighthouse is old and pretty and nobody knows more."},
		"empty":         {"reader": "", "writer": "", "planner": "", "reviewer": ""},
		"other words":   {"reader": `{"use":["one"]}`, "writer": `{"claims":["Alba was built by elves in 1600."]}`, "planner": `{"subquestions":["How is bread made?"],"queries":["https://evil.test/x"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{answer: func(r chat.Request, _ int) (chat.Response, error) {
				a, ok := answers[r.Name]
				if !ok {
					a = good[r.Name]
				}
				return chat.Response{Text: a}, nil
			}}
			b := setup(t, built, "en", lighthouses(), part{name: "test/odd", client: s})
			b.run()
			text := ""
			for _, c := range b.l.Report.Claims {
				text += c.Text + "\n"
				if c.Verdict == research.Unsupported || c.Verdict == research.Unreviewed {
					t.Errorf("%+v", c)
				}
			}
			if !strings.Contains(text, "1872") || !strings.Contains(text, "Maria Stein") || strings.Contains(text, "elves") || strings.Contains(text, "nice") {
				t.Errorf("report:\n%s", text)
			}
			for _, q := range b.l.Plan.Subquestions {
				if strings.Contains(q.Text, "bread") || strings.Contains(strings.Join(q.Queries, " "), "evil") {
					t.Errorf("plan %+v", q)
				}
			}
			checkQuotes(t, b.l)
		})
	}
}
