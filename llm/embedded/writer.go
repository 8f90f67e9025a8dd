package embedded

import (
	"context"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// sameMeaning is the cosine from which two quotes say the same, for the large
// tier, which has their vectors from reading.
const sameMeaning = 0.92

// draft is a claim being made.
type draft struct {
	claim  research.Claim
	first  research.Evidence // what its text is
	set    termSet
	names  termSet
	nums   termSet
	vector []float32
	words  int
}

// write composes the report from the evidence: every claim is a quote, put
// under the heading of its sub-question.
func (s *step) write(ctx context.Context) error {
	var drafts []*draft
	if err := s.compute(ctx, func() { drafts = s.drafts() }); err != nil {
		return err
	}
	var failed error
	if s.tier == research.Large {
		failed = s.vectors(ctx, drafts) // without them duplicates are found by words alone
	}
	compose := func() {
		r := s.compose(merge(drafts))
		s.out.Report = &r
	}
	if err := s.compute(ctx, compose); err != nil {
		return err
	}
	s.empty = len(s.out.Report.Claims) == 0
	s.noted(writeNote(s.out.Report, s.ledger))
	return failed
}

// drafts makes one claim of each piece of evidence, in plan order.
func (s *step) drafts() []*draft {
	var out []*draft
	for _, q := range s.ledger.Plan.Subquestions {
		for _, e := range s.ledger.EvidenceFor(q.ID) {
			t := claimText(e)
			if t == "" {
				continue
			}
			out = append(out, &draft{
				claim: research.Claim{Subquestion: q.ID, Text: t, EvidenceIDs: []string{e.ID}},
				first: e, set: setOf(text.Terms(t)), names: setOf(namesIn(t)), nums: setOf(numbersIn(t)), words: wordCount(t),
			})
		}
	}
	return out
}

// claimText is a quote as it stands in the report.
func claimText(e research.Evidence) string {
	t := cleanQuote(e.Quote)
	if e.Start == 0 && capitalise(t) != t {
		return "… " + t // the source begins in the middle of a sentence
	}
	return capitalise(t)
}

func (s *step) vectors(ctx context.Context, drafts []*draft) error {
	texts := make([]string, len(drafts))
	for i, d := range drafts {
		texts[i] = d.claim.Text
	}
	if len(texts) == 0 {
		return nil
	}
	vecs, err := s.encoder.Embed(ctx, texts)
	if err != nil {
		return err
	}
	for i, d := range drafts {
		d.vector = vecs[i]
	}
	return nil
}

// merge joins claims that say the same: the later one becomes further evidence
// of the earlier. A sub-question that would lose its last claim to the main one
// takes it over instead, when the main one has others.
func merge(drafts []*draft) []*draft {
	var out []*draft
	for _, d := range drafts {
		var twin *draft
		for _, o := range out {
			if sameClaim(o, d) {
				twin = o
				break
			}
		}
		if twin == nil {
			out = append(out, d)
			continue
		}
		twin.absorb(d)
	}
	return out
}

// sameClaim says whether b repeats a: the same words, or the same meaning with
// no other numbers or names.
func sameClaim(a, b *draft) bool {
	if a.first.SourceID == b.first.SourceID && a.first.Start < b.first.End && b.first.Start < a.first.End {
		return true
	}
	if len(a.nums) != len(b.nums) || overlap(a.nums, b.nums) != len(a.nums) {
		return false
	}
	if jaccard(a.set, b.set) >= nearDuplicate {
		return true
	}
	return a.vector != nil && b.vector != nil && dot(a.vector, b.vector) >= sameMeaning
}

// absorb adds b's evidence to a, as far as a's words stand in it.
func (d *draft) absorb(b *draft) {
	if b.first.SourceID == d.first.SourceID && b.first.Start == d.first.Start && b.first.End == d.first.End {
		return
	}
	if overlap(d.set, b.set)*10 >= len(d.set)*8 && b.first.SourceID != d.first.SourceID {
		d.claim.EvidenceIDs = append(d.claim.EvidenceIDs, b.first.ID)
	}
	d.claim.Similar = append(d.claim.Similar, b.first.ID)
}
