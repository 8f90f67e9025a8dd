package embedded

import (
	"math"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// The threshold below which the sources do not answer a question. A passage
// must hold a share of the question's weighted words that falls with their
// number: of two words the weightier, of ten a fifth (a paraphrase shares no
// more). Where the library was searched, the score of its best document decides
// clear cases: the index knows which words are rare, the opened documents, being
// all about one thing, do not. Set by asking the questions of one suite of the pages of another: most
// foreign questions stay below, nearly all own ones above. Where a transformer reads, a close meaning makes up for missing words
// and a far one overrides common words.
const (
	leastCover    = 0.12
	coverPerWord  = 0.8
	mostCover     = 0.45
	leastCoverCJK = 0.15
	farMeaning    = 0.25
	closeMeaning  = 0.5
	leastScore    = 0.07 // of the best library document
	clearScore    = 0.3
)

// relevant says whether the best passages answer the question at all.
func (s *step) relevant(q research.Subquestion, found research.PassagesFound, ranked []Ranked) bool {
	question := q.Text
	if len(ranked) == 0 {
		return false
	}
	meaning := 0.0
	for _, r := range ranked[:min(len(ranked), coverPassages)] {
		meaning = max(meaning, r.Semantic)
	}
	if meaning >= closeMeaning || meaning > 0 && meaning < farMeaning {
		return meaning >= closeMeaning
	}
	asked := len(setOf(text.Terms(question)))
	if asked == 0 || !namesKnown(question, found) {
		return false
	}
	score, searched := s.firstScore(q.ID)
	switch {
	case !searched || isCJKText(question):
	case score < leastScore:
		return false
	case score >= clearScore:
		return true
	}
	least := min(mostCover, leastCover+coverPerWord/float64(asked))
	if isCJKText(question) {
		least = leastCoverCJK // endings and question words make bigrams that no page has
	}
	return coverage(question, found, ranked) >= least
}

// namesKnown says whether any name of the question stands in the sources; a
// question without names passes.
func namesKnown(question string, found research.PassagesFound) bool {
	names := namesIn(question)
	for _, n := range names {
		for _, t := range text.Terms(n) {
			if found.DF[t] > 0 {
				return true
			}
		}
	}
	return len(names) == 0
}

// coverage is the weighted share of the question's words that the best passage
// holds, in its text, heading or title.
func coverage(question string, found research.PassagesFound, ranked []Ranked) float64 {
	weight := map[string]float64{}
	sum := 0.0
	n := float64(max(found.Passages, leastPassages))
	for t := range setOf(text.Terms(question)) {
		df := float64(found.DF[t])
		weight[t] = math.Log(1 + (n-df+0.5)/(df+0.5))
		sum += weight[t]
	}
	best := 0.0
	for _, r := range ranked[:min(len(ranked), coverPassages)] {
		has := setOf(text.Terms(r.Title + " " + r.Heading + " " + r.Text))
		got := 0.0
		for t, w := range weight {
			if has.has(t) {
				got += w
			}
		}
		best = max(best, got/max(sum, 1e-9))
	}
	return best
}

// coverPassages is how many of the best passages may show that a question is
// answered.
const coverPassages = 5

// leastPassages keeps weights sensible where a run has read only a page or two.
const leastPassages = 50
