package embedded

import (
	"context"
	"fmt"
	"slices"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

const (
	// A claim needs this share of its sub-question's words, in it, its heading or
	// its source's title, to count as an answer …
	leastWords = 0.15
	// … below this share the medium tier lets its transformer look …
	doubtfulWords = 0.4
	// … and, where a transformer reads, this cosine with the sub-question.
	leastMeaning = 0.25
	// A quote must hold this share of its claim's content words.
	leastHeld = 0.8
)

// review checks every claim against the snapshot it quotes and against its
// sub-question, removes what does not hold, and decides which sub-questions
// stay open.
func (s *step) review(ctx context.Context) error {
	r := cloneReport(s.ledger.Report)
	err := s.compute(ctx, func() {
		for i := range r.Claims {
			s.check(&r, &r.Claims[i])
		}
	})
	if err != nil {
		return err
	}
	if err := s.judge(ctx, &r); err != nil {
		return err
	}
	failed := s.checkMeaning(ctx, &r)
	return s.conclude(ctx, &r, failed)
}

func (s *step) conclude(ctx context.Context, r *research.Report, failed error) error {
	removed := 0
	err := s.compute(ctx, func() {
		removed = prune(r)
		setWeakAside(r)
		plan := s.closePlan(r)
		r.NotFound = notFound(plan, r)
		r.Reviewed = true
		s.out.Report, s.out.Plan = r, &plan
		s.noted(reviewNote(r, removed))
	})
	if err != nil {
		return err
	}
	return failed
}

func cloneReport(r research.Report) research.Report {
	r.Claims = append([]research.Claim{}, r.Claims...)
	r.Summary = append([]string{}, r.Summary...)
	sections := make([]research.Section, len(r.Sections))
	for i, sec := range r.Sections {
		sec.ClaimIDs = append([]string{}, sec.ClaimIDs...)
		sections[i] = sec
	}
	r.Sections = sections
	return r
}

// check sets the verdict of one claim by its quotes and words.
func (s *step) check(r *research.Report, c *research.Claim) {
	c.Verdict, c.Note = research.Supported, ""
	if why := s.quotesHold(c); why != "" {
		c.Verdict, c.Note = research.Unsupported, why
		return
	}
	if len(c.Contradicts) > 0 {
		c.Verdict, c.Note = research.Contradicted, fmt.Sprintf(s.lang.differs, s.titlesOf(r, c.Contradicts))
		return
	}
	q, ok := s.ledger.Subquestion(c.Subquestion)
	if ok && s.askedShare(q, c) < leastWords {
		c.Verdict, c.Note = research.Weak, s.lang.loose
	}
}

// quotesHold verifies each quote alone: it stands at its offsets in the
// snapshot, and the claim's numbers, names, negations and words stand in it.
// Quotes that do not hold the claim are taken from it; when none is left, it
// returns what is wrong with the first, else "".
func (s *step) quotesHold(c *research.Claim) string {
	why := "The quote does not say this."
	held := []string{}
	for i, id := range c.EvidenceIDs {
		wrong := s.quoteHolds(c.Text, id)
		switch {
		case wrong == "":
			held = append(held, id)
		case i == 0:
			why = wrong
		}
	}
	if len(held) == 0 {
		if s.heldByAll(c) {
			return ""
		}
		return why
	}
	c.EvidenceIDs = held
	return ""
}

// quoteHolds checks one quote of a claim.
func (s *step) quoteHolds(claim, id string) string {
	if why := s.stands(id); why != "" {
		return why
	}
	e, _ := s.ledger.EvidenceByID(id)
	if why := saysWhat(claim, e.Quote); why != "" || claim == claimText(e) {
		return why
	}
	return heldTogether(claim, []quoted{layOut(e)})
}

// stands says what is wrong with a quote's place, "" when it stands there.
func (s *step) stands(id string) string {
	e, ok := s.ledger.EvidenceByID(id)
	if !ok {
		return "The evidence is missing."
	}
	src, ok := s.ledger.SourceByID(e.SourceID)
	if !ok {
		return "The source is missing."
	}
	if got, ok := research.Slice(src.Text, e.Start, e.End); !ok || got != e.Quote {
		return "The quote does not stand at its place in the source."
	}
	return ""
}

// saysWhat tells what of a claim a quote does not hold, "" when it holds all.
func saysWhat(claim, quote string) string {
	clean := cleanQuote(quote)
	held := setOf(text.Tokens(quote))
	numbers := setOf(numbersIn(clean))
	for _, n := range numbersIn(claim) {
		if !numbers.has(n) {
			return "The number " + n + " does not stand in the quote."
		}
	}
	for _, n := range namesIn(claim) {
		for _, t := range text.Tokens(n) {
			if !held.has(t) {
				return "The name " + n + " does not stand in the quote."
			}
		}
	}
	if negations(claim) != negations(clean) || opposed(setOf(text.Tokens(claim)), held) {
		return "The quote says the opposite."
	}
	words, stems := setOf(text.Terms(claim)), setOf(text.Terms(quote))
	if float64(overlap(words, stems)) < leastHeld*float64(len(words)) {
		return "The quote does not say this."
	}
	return ""
}

func (s *step) titlesOf(r *research.Report, claims []string) string {
	for _, id := range claims {
		c, _ := r.Claim(id)
		for _, e := range c.EvidenceIDs {
			if ev, ok := s.ledger.EvidenceByID(e); ok {
				if src, ok := s.ledger.SourceByID(ev.SourceID); ok {
					return clip(src.Title, 80)
				}
			}
		}
	}
	return ""
}

// askedShare is the share of the sub-question's words that the claim, its
// heading and its source's title hold.
func (s *step) askedShare(q research.Subquestion, c *research.Claim) float64 {
	asked := setOf(text.Terms(q.Text))
	if len(asked) == 0 {
		return 1
	}
	said := setOf(text.Terms(c.Text))
	for _, id := range c.EvidenceIDs {
		if e, ok := s.ledger.EvidenceByID(id); ok {
			said.addAll(setOf(text.Terms(e.Heading)))
			if src, ok := s.ledger.SourceByID(e.SourceID); ok {
				said.addAll(setOf(text.Terms(src.Title)))
			}
		}
	}
	return float64(overlap(asked, said)) / float64(len(asked))
}

// checkMeaning lets the transformer of the larger tiers compare claims with
// their sub-questions: the large tier all that are supported, the medium tier
// those of them that share few words with it. It can only lower a verdict: words
// that are missing are not made good by a near meaning.
func (s *step) checkMeaning(ctx context.Context, r *research.Report) error {
	if s.tier == research.Small {
		return nil
	}
	var texts []string
	var at []int
	for i, c := range r.Claims {
		q, _ := s.ledger.Subquestion(c.Subquestion)
		if c.Verdict == research.Supported && (s.tier == research.Large || s.askedShare(q, &c) < doubtfulWords) {
			texts, at = append(texts, q.Text, c.Text), append(at, i)
		}
	}
	if len(at) == 0 {
		return nil
	}
	vecs, err := s.encoder.Embed(ctx, texts)
	if err != nil {
		return err
	}
	return s.compute(ctx, func() {
		for n, i := range at {
			c := &r.Claims[i]
			if dot(vecs[2*n], vecs[2*n+1]) < leastMeaning {
				c.Verdict, c.Note = research.Weak, s.lang.loose
			}
		}
	})
}

// prune removes unsupported claims from the report.
func prune(r *research.Report) int {
	gone := map[string]bool{}
	var kept []research.Claim
	for _, c := range r.Claims {
		if c.Verdict == research.Unsupported {
			gone[c.ID] = true
			continue
		}
		kept = append(kept, c)
	}
	if len(gone) == 0 {
		return 0
	}
	without := func(ids []string) []string {
		out := []string{}
		for _, id := range ids {
			if !gone[id] {
				out = append(out, id)
			}
		}
		return out
	}
	r.Claims, r.Summary = kept, without(r.Summary)
	sections := []research.Section{}
	for _, sec := range r.Sections {
		if sec.ClaimIDs = without(sec.ClaimIDs); len(sec.ClaimIDs) > 0 {
			sections = append(sections, sec)
		}
	}
	r.Sections = sections
	for i := range r.Claims {
		r.Claims[i].Contradicts = without(r.Claims[i].Contradicts)
	}
	return len(gone)
}

// setWeakAside lets claims that hardly touch the question be read after those
// that answer it, and takes them off the top when others stay there.
func setWeakAside(r *research.Report) {
	weak := func(id string) bool {
		c, _ := r.Claim(id)
		return c.Verdict == research.Weak
	}
	for i := range r.Sections {
		readLast(r, &r.Sections[i], weak)
	}
	if slices.ContainsFunc(r.Summary, func(id string) bool { return !weak(id) }) {
		r.Summary = slices.DeleteFunc(r.Summary, weak)
	}
	for i := range r.Claims {
		r.Claims[i].InSummary = containsString(r.Summary, r.Claims[i].ID)
	}
}

// closePlan gives up sub-questions that no claim answers after the last
// search the depth allows.
func (s *step) closePlan(r *research.Report) research.Plan {
	answered := map[string]bool{}
	for _, c := range r.Claims {
		if c.Answers() {
			answered[c.Subquestion] = true
		}
	}
	searches := map[string]int{}
	for _, st := range s.ledger.Steps {
		if st.Role == research.Searcher && (st.Outcome == research.OutcomeOK || st.Outcome == research.OutcomeEmpty) {
			for _, id := range st.Focus {
				searches[id]++
			}
		}
	}
	plan := research.Plan{Subquestions: append([]research.Subquestion{}, s.ledger.Plan.Subquestions...)}
	for i, q := range plan.Subquestions {
		if !answered[q.ID] && searches[q.ID] > s.task.Limits.ReviewRounds {
			plan.Subquestions[i].GaveUp = true
		}
	}
	return plan
}

// notFound lists the sub-questions without any claim.
func notFound(plan research.Plan, r *research.Report) []string {
	has := map[string]bool{}
	for _, c := range r.Claims {
		has[c.Subquestion] = true
	}
	out := []string{}
	for _, q := range plan.Subquestions {
		if !has[q.ID] {
			out = append(out, q.Text)
		}
	}
	return out
}
