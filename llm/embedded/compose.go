package embedded

import (
	"fmt"
	"strings"

	"github.com/progrouter/progrouter/research"
)

const (
	mainWords  = 340 // words of the main section at most
	facetWords = 100 // … of another section
)

// compose orders the claims into summary and sections.
func (s *step) compose(drafts []*draft) research.Report {
	r := research.Report{
		Title: title(s.ledger.Run.Question), Draft: s.ledger.Report.Draft + 1, EvidenceSeen: len(s.ledger.Evidence),
		Summary: []string{}, Sections: []research.Section{}, Claims: []research.Claim{}, NotFound: []string{},
	}
	for i, d := range drafts {
		d.rank = i
	}
	by := s.share(drafts)
	for _, q := range s.ledger.Plan.Subquestions {
		mine := by[q.ID]
		if len(mine) == 0 {
			r.NotFound = append(r.NotFound, q.Text)
			continue
		}
		sec := research.Section{Subquestion: q.ID, Heading: q.Heading}
		for _, d := range arrange(mine, s.tally != nil) {
			d.claim.ID = fmt.Sprintf("c%d", len(r.Claims)+1)
			d.claim.Subquestion = q.ID
			sec.ClaimIDs = append(sec.ClaimIDs, d.claim.ID)
			r.Claims = append(r.Claims, d.claim)
		}
		r.Sections = append(r.Sections, sec)
	}
	claims := byClaim(by)
	s.leadWith(&r, claims)
	markContradictions(&r, claims)
	if s.tally == nil { // what a guide wrote stands in its order
		setAside(&r, claims)
	}
	if len(r.Summary) == 0 {
		s.summarise(&r, claims)
	}
	return r
}

func byClaim(by map[string][]*draft) map[string]*draft {
	out := map[string]*draft{}
	for _, ds := range by {
		for _, d := range ds {
			out[d.claim.ID] = d
		}
	}
	return out
}

// share gives each sub-question its claims within its words. A part that has
// none of its own because the main section said it all takes the claim over,
// when the main section has others.
func (s *step) share(drafts []*draft) map[string][]*draft {
	by := map[string][]*draft{}
	words := map[string]int{}
	main := ""
	for _, q := range s.ledger.Plan.Subquestions {
		if q.Main {
			main = q.ID
		}
	}
	for _, d := range drafts {
		id := d.claim.Subquestion
		limit := facetWords
		if id == main {
			limit = mainWords
		}
		if len(by[id]) > 0 && words[id]+d.words > limit {
			continue
		}
		words[id] += d.words
		by[id] = append(by[id], d)
	}
	for _, q := range s.ledger.Plan.Subquestions {
		if len(by[q.ID]) == 0 && q.ID != main {
			s.takeOver(by, main, q.ID)
		}
	}
	return by
}

// takeOver moves the claim that was also evidence for sub out of the main
// section.
func (s *step) takeOver(by map[string][]*draft, main, sub string) {
	if len(by[main]) < 2 {
		return
	}
	for _, e := range s.ledger.EvidenceFor(sub) {
		for i, d := range by[main] {
			if i == 0 {
				continue // the best answer stays
			}
			if d.rests(e) {
				by[sub] = append(by[sub], d)
				by[main] = append(append([]*draft(nil), by[main][:i]...), by[main][i+1:]...)
				return
			}
		}
	}
}

func (d *draft) rests(e research.Evidence) bool {
	for _, q := range d.quotes {
		if samePlace(q, e) {
			return true
		}
	}
	return false
}

// title is the question as a heading.
func title(question string) string {
	return capitalise(clip(strings.TrimSpace(tidy(question)), 140))
}
