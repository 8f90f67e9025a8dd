package embedded

import (
	"context"
	"fmt"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// A quote is covered when the guide's claims hold this share of its words: less
// of one that a claim cites, since its writer saw it and chose.
const (
	coveredCited = 0.4
	coveredElse  = 0.6
)

// draftGuided lets a guide write claims on the quotes that the engine would
// report. Every claim is checked at once: it is kept with the quotes that hold
// it, or replaced by the quote it is nearest to, or left out. What the claims do
// not cover is quoted behind them, so that nothing that was found is lost.
func (s *step) draftGuided(ctx context.Context, own []*draft) ([]*draft, error) {
	var shown []Quotation
	for _, d := range own {
		src, _ := s.ledger.SourceByID(d.first.SourceID)
		shown = append(shown, Quotation{ID: d.first.ID, Subquestion: d.claim.Subquestion, Text: d.claim.Text, Title: cleanQuote(src.Title)})
	}
	if len(shown) == 0 {
		return own, nil
	}
	said, err := s.guide.Draft(ctx, s.ledger.Plan, shown)
	if err != nil || len(said.Claims) == 0 && said.Summary == "" {
		return own, err
	}
	out := own
	err = s.compute(ctx, func() { out = s.settle(said, own) })
	return out, err
}

// tally counts what became of a guide's claims.
type tally struct{ kept, quoted, left int }

func (s *step) settle(said Draft, own []*draft) []*draft {
	w := &weaver{step: s, citer: newCiter(s.ledger.Evidence), own: own, used: map[*draft]bool{}}
	for _, c := range said.Claims {
		w.claim(c)
	}
	w.swap()
	s.lead = w.summary(said.Summary)
	s.tally = &w.tally
	return append(w.out, w.uncovered()...)
}

// weaver puts a guide's claims and the engine's quotes together.
type weaver struct {
	*step
	citer *citer
	own   []*draft // the engine's, one per quote
	out   []*draft
	used  map[*draft]bool // of own, those in out
	tally tally
}

func (w *weaver) claim(c DraftClaim) {
	d := w.draft(c)
	if d != nil && w.fresh(d) {
		w.out = append(w.out, d)
		w.tally.kept++
		return
	}
	if d == nil {
		if q := w.ownOf(w.citer.nearest(cleanQuote(c.Text), c.Cite)); q != nil && !w.used[q] && w.fresh(q) {
			w.used[q] = true
			w.out = append(w.out, q)
			w.tally.quoted++
			return
		}
	}
	w.tally.left++
}

// draft makes a claim of what a guide wrote; nil when no quotes hold it.
func (w *weaver) draft(c DraftClaim) *draft {
	t := capitalise(cleanQuote(c.Text))
	if len(setOf(text.Terms(t))) < 2 || wordCount(t) > 80 || planted(t, setOf(text.Terms(w.ledger.Run.Question))) {
		return nil
	}
	ids := w.citer.cite(t, c.Cite)
	if len(ids) == 0 {
		return nil
	}
	d := &draft{claim: research.Claim{Text: t, EvidenceIDs: ids}, set: setOf(text.Terms(t)), names: setOf(namesIn(t)), sense: senseOf(t), words: wordCount(t), leans: pointsBack(t)}
	for _, id := range ids {
		e, _ := w.ledger.EvidenceByID(id)
		d.quotes = append(d.quotes, e)
	}
	d.first = d.quotes[0]
	d.claim.Subquestion = d.first.Subquestion
	return d
}

// fresh says whether nothing in the report says the same yet.
func (w *weaver) fresh(d *draft) bool {
	for _, o := range w.out {
		if d.sense.agrees(o.sense) && jaccard(d.set, o.set) >= nearDuplicate {
			return false
		}
	}
	return true
}

// ownOf is the engine's claim that quotes a piece of evidence.
func (w *weaver) ownOf(id string) *draft {
	for _, d := range w.own {
		for _, q := range d.quotes {
			if q.ID == id {
				return d
			}
		}
	}
	return nil
}

// swap puts a quote in the place of a claim that rests on it alone and leaves
// most of it out: both would repeat each other.
func (w *weaver) swap() {
	said := w.said()
	for i, d := range w.out {
		if len(d.claim.EvidenceIDs) != 1 {
			continue
		}
		q := w.ownOf(d.claim.EvidenceIDs[0])
		if q == nil || q == d || w.used[q] || covered(q, said, coveredCited) {
			continue
		}
		w.used[q] = true
		w.out[i] = q
		w.tally.kept--
		w.tally.quoted++
	}
}

// said are the words of all claims so far.
func (w *weaver) said() said {
	all := said{words: termSet{}, numbers: termSet{}}
	for _, d := range w.out {
		all.words.addAll(d.set)
		all.numbers.addAll(d.sense.numbers)
		all.negated = all.negated || d.sense.negations > 0
	}
	return all
}

// said is what all claims say, taken together.
type said struct {
	words, numbers termSet
	negated        bool
}

// covered says whether a quote adds little. One with a number that no claim has,
// or a negation, may say otherwise and always adds.
func covered(q *draft, s said, share float64) bool {
	return float64(overlap(q.set, s.words)) >= share*float64(len(q.set)) &&
		overlap(q.sense.numbers, s.numbers) == len(q.sense.numbers) && (q.sense.negations == 0 || s.negated)
}

// uncovered are the quotes that the claims leave out. A sub-question's only
// quote counts as left out when no claim is on it.
func (w *weaver) uncovered() []*draft {
	said, cited, has := w.said(), map[string]bool{}, map[string]bool{}
	for _, d := range w.out {
		has[d.claim.Subquestion] = true
		for _, id := range d.claim.EvidenceIDs {
			cited[id] = true
		}
	}
	var out []*draft
	for _, q := range w.own {
		share := coveredElse
		if cited[q.first.ID] {
			share = coveredCited
		}
		if w.used[q] || covered(q, said, share) && has[q.claim.Subquestion] {
			continue
		}
		has[q.claim.Subquestion] = true
		out = append(out, q)
	}
	return out
}

// summary makes a claim of a guide's summary when it holds and does not only
// repeat the first claim.
func (w *weaver) summary(s string) *draft {
	if s == "" || len(w.out) < 2 {
		return nil
	}
	d := w.draft(DraftClaim{Text: s})
	if d == nil || jaccard(d.set, w.out[0].set) >= nearDuplicate {
		return nil
	}
	for _, q := range w.ledger.Plan.Subquestions {
		if q.Main {
			d.claim.Subquestion = q.ID
		}
	}
	return d
}

// leadWith puts the guide's summary on top.
func (s *step) leadWith(r *research.Report, drafts map[string]*draft) {
	if s.lead == nil || len(r.Claims) == 0 {
		return
	}
	s.lead.claim.ID = fmt.Sprintf("c%d", len(r.Claims)+1)
	s.lead.claim.InSummary = true
	r.Claims = append(r.Claims, s.lead.claim)
	r.Summary = []string{s.lead.claim.ID}
	drafts[s.lead.claim.ID] = s.lead
}
