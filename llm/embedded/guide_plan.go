package embedded

import (
	"context"
	"fmt"
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// planGuided adds a guide's sub-questions behind those the question itself
// names, and its wordings behind the question's own. asked is false when the
// guide has none and the engine goes on by itself.
func (s *step) planGuided(ctx context.Context, q inquiry, subs []research.Subquestion) (asked bool, err error) {
	p, err := s.guide.Plan(ctx, q.text, subs, max(0, s.task.Limits.Subquestions-len(subs)))
	if err != nil || len(p.Subquestions)+len(p.Queries) == 0 {
		return err != nil, err
	}
	return true, s.compute(ctx, func() {
		subs[0].Queries = withQueries(subs[0].Queries, p.Queries)
		var sets []termSet
		for _, sub := range subs {
			sets = append(sets, setOf(text.Terms(sub.Text)))
		}
		for _, t := range p.Subquestions {
			t = tidy(t)
			set := setOf(text.Terms(t))
			if len(subs) >= s.task.Limits.Subquestions || len(set) == 0 || repeats(set, sets) {
				continue
			}
			sets = append(sets, set)
			subs = append(subs, research.Subquestion{
				ID: fmt.Sprintf("q%d", len(subs)+1), Text: capitalise(t), Heading: headingOf(t), Queries: queriesFor(t, q.topic),
			})
		}
		s.out.Plan = &research.Plan{Subquestions: subs}
		s.noted(planNote(len(subs)))
	})
}

// withQueries puts a guide's wordings behind the first of the engine's.
func withQueries(own, more []string) []string {
	out := append([]string{}, own[:min(1, len(own))]...)
	for _, q := range append(append([]string{}, more...), own[min(1, len(own)):]...) {
		if q = strings.TrimSpace(q); q != "" && !containsString(out, q) {
			out = append(out, q)
		}
	}
	return out
}

// askQueries asks a guide for further wordings where the plan's were tried.
func (s *step) askQueries(ctx context.Context) error {
	open, used := s.Unplanned(s.task)
	if s.guide == nil || len(open) == 0 {
		return nil
	}
	var err error
	s.proposed, err = s.guide.Queries(ctx, open, used)
	return err
}
