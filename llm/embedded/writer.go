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
	first  research.Evidence   // what its text is
	quotes []research.Evidence // what it rests on
	set    termSet
	names  termSet
	sense  sense
	vector []float32
	words  int
	rank   int  // its place among the drafts, the best of a sub-question first; set by compose
	leans  bool // cannot be understood without the sentence before
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
	if err := s.compute(ctx, func() { drafts = merge(drafts) }); err != nil {
		return err
	}
	if s.guide != nil {
		var err error
		if drafts, err = s.draftGuided(ctx, drafts); err != nil {
			failed = err
		}
	}
	compose := func() {
		r := s.compose(drafts)
		s.out.Report = &r
	}
	if err := s.compute(ctx, compose); err != nil {
		return err
	}
	s.empty = len(s.out.Report.Claims) == 0
	s.noted(writeNotes(s.out.Report, s.ledger, s.tally)...)
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
				rank:  len(out),
				claim: research.Claim{Subquestion: q.ID, Text: t, EvidenceIDs: []string{e.ID}},
				first: e, quotes: []research.Evidence{e}, set: setOf(text.Terms(t)), names: setOf(namesIn(t)), sense: senseOf(t), words: wordCount(t), leans: pointsBack(t),
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

// sameClaim says whether b repeats a: the same words, or the same meaning. What
// differs in a negation, a number or an opposite word says something else.
func sameClaim(a, b *draft) bool {
	if samePlace(a.first, b.first) {
		return true
	}
	if !a.sense.agrees(b.sense) {
		return false
	}
	if jaccard(a.set, b.set) >= nearDuplicate {
		return true
	}
	return a.vector != nil && b.vector != nil && dot(a.vector, b.vector) >= sameMeaning
}

// samePlace says whether two quotes overlap in one source.
func samePlace(a, b research.Evidence) bool {
	return a.SourceID == b.SourceID && a.Start < b.End && b.Start < a.End
}

// absorb adds b's evidence to a, as far as a's words stand in it. A quote that
// the claim rests on already is not named again.
func (d *draft) absorb(b *draft) {
	witness := b.first.SourceID != d.first.SourceID && overlap(d.set, b.set)*10 >= len(d.set)*8
	for _, q := range d.quotes {
		if q.SourceID == b.first.SourceID && q.Start == b.first.Start && q.End == b.first.End {
			return
		}
		witness = witness && !samePlace(q, b.first)
	}
	if witness {
		d.claim.EvidenceIDs = append(d.claim.EvidenceIDs, b.first.ID)
	}
	d.quotes = append(d.quotes, b.first)
	d.claim.Similar = append(d.claim.Similar, b.first.ID)
}
