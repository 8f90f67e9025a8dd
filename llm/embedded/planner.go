package embedded

import (
	"context"
	"fmt"
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// plan makes the main sub-question (the question itself) and facets: what a
// compound question names, then, for open questions, the headings under which
// the first results treat the topic.
func (s *step) plan(ctx context.Context) error {
	var q inquiry
	var subs []research.Subquestion
	err := s.compute(ctx, func() {
		q = analyse(s.ledger.Run.Question)
		subs = s.namedSubquestions(q)
	})
	if err != nil {
		return err
	}
	s.out.Plan = &research.Plan{Subquestions: subs}
	s.noted(planNote(len(subs)))
	if s.guide != nil {
		if asked, err := s.planGuided(ctx, q, subs); asked || err != nil {
			return err
		}
	}
	room := s.task.Limits.Subquestions - len(subs)
	if !s.wantsHeadings(q, room) {
		return nil
	}
	heads, err := s.headings(ctx, q, min(room, maxHeadings))
	subs = s.addHeadings(q, subs, heads)
	s.out.Plan = &research.Plan{Subquestions: subs}
	s.noted(planNote(len(subs)))
	return err
}

// maxHeadings keeps a report from being cut up by what the sources happen to
// have as headings.
const maxHeadings = 2

func (s *step) wantsHeadings(q inquiry, room int) bool {
	return room > 0 && s.task.Limits.Subquestions > 2 && q.kind == kindOpen && len(q.parts) == 0 &&
		s.ledger.Run.Library && s.finder != nil
}

// namedSubquestions is the plan as the question alone gives it.
func (s *step) namedSubquestions(q inquiry) []research.Subquestion {
	main := research.Subquestion{
		ID: "q1", Text: q.text, Heading: s.lang.answer, Main: true, Queries: queriesFor(q.text, ""),
	}
	subs := []research.Subquestion{main}
	for _, p := range q.parts {
		if len(subs) >= s.task.Limits.Subquestions {
			break
		}
		t := p
		if strings.HasSuffix(q.text, "?") && reWh.MatchString(firstWord(p)) {
			t += "?"
		}
		topic := q.topic
		if q.kind == kindComparison {
			topic = ""
		}
		subs = append(subs, research.Subquestion{
			ID: fmt.Sprintf("q%d", len(subs)+1), Text: capitalise(t),
			Heading: headingOf(p), Queries: queriesFor(p, topic),
		})
	}
	return subs
}

func firstWord(s string) string {
	w, _, _ := strings.Cut(s, " ")
	return w
}

func headingOf(part string) string { return capitalise(clip(trimPhrase(tidy(part)), 80)) }

// addHeadings turns headings of the first results into facets.
func (s *step) addHeadings(q inquiry, subs []research.Subquestion, heads []facet) []research.Subquestion {
	for _, h := range heads {
		subs = append(subs, research.Subquestion{
			ID: fmt.Sprintf("q%d", len(subs)+1), Text: fmt.Sprintf(s.lang.question, h.heading, h.title),
			Heading: capitalise(h.heading), Queries: queriesFor(h.heading+" "+h.title, ""),
		})
	}
	return subs
}

// queriesFor are the search wordings of a sub-question, the best first: its
// text, then its content words.
func queriesFor(s, topic string) []string {
	full := trimPhrase(s)
	if topic != "" && overlap(setOf(text.Terms(topic)), setOf(text.Terms(full))) == 0 {
		full += " " + topic
	}
	out := []string{full}
	if words := text.ContentWords(full); len(words) > 1 {
		if kw := strings.Join(words, " "); !strings.EqualFold(kw, full) {
			out = append(out, kw)
		}
	}
	return out
}
