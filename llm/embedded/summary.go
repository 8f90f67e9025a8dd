package embedded

import (
	"slices"
	"sort"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

const (
	summaryMax   = 3   // claims on top
	summaryWords = 90  // … and their words, the first left out
	summaryScore = 0.8 // share of the first one's score that a further claim on top must have
)

// summarise puts on top what answers the question by itself: the best claim of
// the main section that stands alone, one of each part the question itself asks
// for, and what else of the main section answers nearly as well.
func (s *step) summarise(r *research.Report, at map[string]*draft) {
	if len(r.Claims) < 3 {
		return // a summary would only repeat the report
	}
	asked := setOf(text.Terms(s.ledger.Run.Question))
	top := &summary{at: at, asked: asked}
	for i, sec := range r.Sections {
		switch {
		case i == 0:
			top.open(sec.ClaimIDs, 0)
		case s.askedFor(sec.Subquestion, asked):
			top.open(sec.ClaimIDs, shareOf(asked, at[top.ids[0]].set)/2)
		}
	}
	for _, id := range byRank(r.Sections[0].ClaimIDs, at) {
		if at[id].first.Score >= summaryScore*top.first {
			top.add(id)
		}
	}
	r.Summary = top.ids
	shownAbove(r)
	for i := range r.Claims {
		r.Claims[i].InSummary = slices.Contains(r.Summary, r.Claims[i].ID)
	}
}

// askedFor says whether the question itself names a part, rather than a heading
// of what was found.
func (s *step) askedFor(id string, asked termSet) bool {
	q, _ := s.ledger.Subquestion(id)
	terms := setOf(text.Terms(q.Text))
	return len(terms) > 0 && overlap(terms, asked)*5 >= len(terms)*4
}

// shownAbove takes the claims of the summary out of the section right below it,
// unless others stand against them there or the section would be empty.
func shownAbove(r *research.Report) {
	sec := &r.Sections[0]
	rest := slices.DeleteFunc(slices.Clone(sec.ClaimIDs), func(id string) bool {
		c, _ := r.Claim(id)
		return len(c.Contradicts) == 0 && slices.Contains(r.Summary, id)
	})
	if len(rest) > 0 {
		sec.ClaimIDs = rest
	}
}

// summary grows claim by claim.
type summary struct {
	at    map[string]*draft
	asked termSet
	ids   []string
	words int
	first float64 // score of the first claim
}

// open takes the best claim of a section that can stand on top and holds a least
// share of the question's words; of the first section its best in any case.
func (t *summary) open(ids []string, least float64) {
	ranked, best := byRank(ids, t.at), 0.0
	for _, id := range ids {
		best = max(best, t.at[id].first.Score)
	}
	for _, id := range ranked {
		if t.at[id].first.Score >= farBelow*best && shareOf(t.asked, t.at[id].set) >= least && t.add(id) {
			return
		}
	}
	if len(t.ids) == 0 {
		t.take(ranked[0])
	}
}

// add takes a claim over that stands alone, fits and says something new.
func (t *summary) add(id string) bool {
	d := t.at[id]
	if len(t.ids) > 0 && (len(t.ids) == summaryMax || t.words+d.words > summaryWords) || !d.opens() || t.repeats(d) {
		return false
	}
	t.take(id)
	return true
}

func (t *summary) take(id string) {
	if len(t.ids) == 0 {
		t.first = t.at[id].first.Score
	} else {
		t.words += t.at[id].words
	}
	t.ids = append(t.ids, id)
}

// repeats says whether the summary speaks of the same already.
func (t *summary) repeats(d *draft) bool {
	return slices.ContainsFunc(t.ids, func(id string) bool { return jaccard(t.at[id].set, d.set) > 0.5 })
}

// byRank orders claims as the reader chose them, the best first.
func byRank(ids []string, at map[string]*draft) []string {
	out := slices.Clone(ids)
	sort.SliceStable(out, func(a, b int) bool { return at[out[a]].rank < at[out[b]].rank })
	return out
}

// shareOf is how much of the question's words a claim holds.
func shareOf(asked, said termSet) float64 {
	return float64(overlap(asked, said)) / float64(max(1, len(asked)))
}
