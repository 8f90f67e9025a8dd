package embedded

import (
	"context"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func TestCompoundParts(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]string{
		"When was the battle of lincoln fought?":                                                                                "",
		"What is a heat pump? How does it save energy?":                                                                         "What is a heat pump|How does heat pump save energy",
		"How and why did the Roman Empire fall?":                                                                                "",
		"How is a prime number defined, and what is the term for a number that is not prime?":                                   "How is a prime number defined|what is the term for a number that is not prime",
		"Compare PostgreSQL with SQLite":                                                                                        "PostgreSQL|SQLite",
		"What is the difference between TCP and UDP?":                                                                           "TCP|UDP",
		"How does routing differ from load balancing?":                                                                          "routing|load balancing",
		"Describe the human and economic toll of Typhoon Bolaven":                                                               "",
		"Describe the causes and consequences of the Peasants War":                                                              "causes of the Peasants War|consequences of the Peasants War",
		"Summarize the track of Severe Tropical Storm Gaemi, including its landfall in Vietnam and effects in the Philippines.": "Severe Tropical Storm Gaemi’s landfall in Vietnam|effects in the Philippines (Severe Tropical Storm Gaemi)",
		"Describe the mathematical foundation, including a common size, for public-key encryption methods.":                     "",
		"Salt and pepper": "",
	} {
		if got := strings.Join(compoundParts(q), "|"); got != want {
			t.Errorf("%s\n got %q\nwant %q", q, got, want)
		}
	}
}

func TestAnalyse(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]kind{
		"When was the battle of lincoln fought?":       kindFact,
		"What state is directly west of north dakota?": kindFact,
		"how many people live in Seoul":                kindFact,
		"How does ProgRouter decide which model runs?": kindOpen,
		"Summarize the field of integer factorization": kindOpen,
		"What are the advantages of wind power?":       kindOpen,
		"Python versus Ruby":                           kindComparison,
		"양자 컴퓨터를 설명해 주세요":                              kindOpen,
	} {
		if got := analyse(q).kind; got != want {
			t.Errorf("%s: kind %d, want %d", q, got, want)
		}
	}
	for q, want := range map[string]answerType{
		"When did it open?": answerDate, "Who wrote it?": answerPerson, "How many are there?": answerNumber,
		"Where is it?": answerPlace, "Why does it rain?": answerAny, "언제 열렸나요?": answerDate, "作者是谁？": answerPerson,
	} {
		if got := answerOf(q); got != want {
			t.Errorf("%s: answer %d, want %d", q, got, want)
		}
	}
}

func TestPlanOfAFactIsOneQuestion(t *testing.T) {
	t.Parallel()
	b := setup(t, "When was the Alba lighthouse built?", "en", lighthouses()...)
	b.do(context.Background(), SmallModel, research.Planner)
	qs := b.l.Plan.Subquestions
	if len(qs) != 1 || !qs[0].Main || qs[0].ID != "q1" || qs[0].Text != b.l.Run.Question || len(qs[0].Queries) == 0 {
		t.Errorf("plan %+v", qs)
	}
	if len(b.lib.searches) != 0 {
		t.Errorf("searched %q for a question of one fact", b.lib.searches)
	}
}

func TestPlanTakesHeadingsOfFirstResults(t *testing.T) {
	t.Parallel()
	for _, model := range []string{SmallModel, LargeModel} {
		b := setup(t, "How does the Alba lighthouse work?", "en", lighthouses()...)
		b.do(context.Background(), model, research.Planner)
		var heads []string
		for _, q := range b.l.Plan.Subquestions {
			heads = append(heads, q.Heading)
		}
		got := strings.Join(heads, "|")
		if model == SmallModel && got != "Answer|Keepers" {
			t.Errorf("%s: headings %s", model, got)
		}
		if strings.Contains(got, "Bread") {
			t.Errorf("%s: a heading of another topic: %s", model, got)
		}
	}
}

func TestPlanKeepsToTheLimit(t *testing.T) {
	t.Parallel()
	b := setup(t, "What is bread? What is flour milling? What is yeast water? What is dough rising?", "en", lighthouses()...)
	b.limits = research.LimitsFor(research.Quick)
	b.do(context.Background(), SmallModel, research.Planner)
	if n := len(b.l.Plan.Subquestions); n != b.limits.Subquestions {
		t.Errorf("%d sub-questions, limit %d", n, b.limits.Subquestions)
	}
}

func TestGoodHeading(t *testing.T) {
	t.Parallel()
	asked := setOf([]string{"lighthous", "alba"})
	for h, want := range map[string]bool{
		"Keepers": true, "See also": false, "References": false, "2.1": false, "What is it?": false,
		"Alba lighthouse": false, "A heading that goes on for far too many words to be one": false, "목차": false, "등대의 역사": true,
	} {
		c := cleanHeading(h)
		if got := goodHeading(c, setOf(termsOf(c)), asked); got != want {
			t.Errorf("%q: %v", h, got)
		}
	}
}
