package progress

import (
	"strings"
	"unicode"

	"github.com/progrouter/progrouter/research"
)

// LastTransition judges what the last finished step brought. A step that failed
// or found nothing brought nothing.
func (s *researchState) LastTransition() Transition {
	for i := len(s.l.Steps) - 1; i >= 0; i-- {
		st := s.l.Steps[i]
		switch st.Outcome {
		case research.InFlight:
			continue
		case research.OutcomeOK:
			return s.transition(st)
		}
		return Transition{}
	}
	return Transition{}
}

func (s *researchState) transition(st research.Step) Transition {
	switch st.Role {
	case research.Planner:
		return s.planned()
	case research.Searcher:
		return s.searched(st)
	case research.Reader:
		return s.read(st)
	case research.Writer:
		return s.written()
	case research.Reviewer:
		return s.reviewed()
	}
	return Transition{}
}

// planned: how much of the allowed breadth the plan uses, and whether every
// sub-question can be searched.
func (s *researchState) planned() Transition {
	qs := s.l.Plan.Subquestions
	if len(qs) == 0 {
		return Transition{}
	}
	searchable := 0
	for _, q := range qs {
		if len(q.Queries) > 0 || q.Text != "" {
			searchable++
		}
	}
	return Transition{
		Novelty: ratio(len(qs), max(1, s.lim.Subquestions)),
		Support: ratio(searchable, len(qs)),
	}
}

// searched: the share of proposals nobody had made before, and the share of the
// asked sub-questions that got one.
func (s *researchState) searched(st research.Step) Transition {
	before := map[string]bool{}
	for _, h := range s.l.Hits {
		if h.StepIndex < st.Index {
			before[h.URL] = true
		}
	}
	all, fresh, served := 0, 0, map[string]bool{}
	for _, h := range s.l.Hits {
		if h.StepIndex != st.Index {
			continue
		}
		all++
		if !before[h.URL] {
			fresh++
			served[h.Subquestion] = true
		}
	}
	return Transition{Novelty: ratio(fresh, all), Support: ratio(len(served), max(1, len(st.Focus)))}
}

// read: the share of new quotes that say something other than the earlier
// quotes of their sub-question, and how relevant their reader found them.
func (s *researchState) read(st research.Step) Transition {
	touched := map[string]bool{}
	for _, e := range s.l.Evidence {
		if e.StepIndex == st.Index {
			touched[e.Subquestion] = true
		}
	}
	earlier := map[string][]map[string]bool{}
	count, novelty, support := 0, 0.0, 0.0
	for _, e := range s.l.Evidence {
		if e.StepIndex > st.Index || !touched[e.Subquestion] {
			continue
		}
		words := wordSet(e.Quote)
		if e.StepIndex == st.Index {
			count++
			novelty += 1 - closest(words, earlier[e.Subquestion])
			support += unit(e.Score)
		}
		earlier[e.Subquestion] = append(earlier[e.Subquestion], words)
	}
	if count == 0 {
		return Transition{}
	}
	return Transition{Novelty: novelty / float64(count), Support: support / float64(count)}
}

// written: the share of the quotes that the report uses, and the share of its
// claims that rest on one.
func (s *researchState) written() Transition {
	used := map[string]bool{}
	for _, c := range s.l.Report.Claims {
		for _, id := range c.EvidenceIDs {
			used[id] = true
		}
		for _, id := range c.Similar {
			used[id] = true
		}
	}
	n := 0
	for _, e := range s.l.Evidence {
		if used[e.ID] {
			n++
		}
	}
	return Transition{Novelty: ratio(n, len(s.l.Evidence)), Support: ratio(s.grounded, len(s.l.Report.Claims))}
}

// reviewed: the share of claims with a verdict, and the share supported, weak
// ones counting half.
func (s *researchState) reviewed() Transition {
	judged, weak := 0, 0
	for _, c := range s.l.Report.Claims {
		if c.Verdict != research.Unreviewed {
			judged++
		}
		if c.Verdict == research.Weak {
			weak++
		}
	}
	n := len(s.l.Report.Claims)
	return Transition{
		Novelty: ratio(judged, n),
		Support: unit(ratio(s.supported, n) + ratio(weak, n)/2),
	}
}

func ratio(a, b int) float64 {
	if b <= 0 {
		return 0
	}
	return unit(float64(a) / float64(b))
}

// closest is the largest overlap (Jaccard) with any of the sets.
func closest(w map[string]bool, others []map[string]bool) float64 {
	best := 0.0
	for _, o := range others {
		shared := 0
		for x := range w {
			if o[x] {
				shared++
			}
		}
		if all := len(w) + len(o) - shared; all > 0 {
			best = max(best, float64(shared)/float64(all))
		}
	}
	return best
}

// wordSet is a quote's words, and single characters of scripts written without
// spaces; good enough to see that two quotes say the same.
func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	}) {
		if !unicode.In([]rune(w)[0], unicode.Han, unicode.Hiragana, unicode.Katakana) {
			set[w] = true
			continue
		}
		for _, r := range w {
			set[string(r)] = true
		}
	}
	return set
}
