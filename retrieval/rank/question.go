package rank

import (
	"math"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// question is a query in index form with the weight of each term.
type question struct {
	terms []string
	index map[string]int // place of a term
	like  text.Beginnings
	words map[string]bool // the question's own words, plural endings dropped
	idf   []float64
	sum   float64 // of idf
}

func newQuestion(a *text.Analyzer, query string, found research.PassagesFound) *question {
	q := &question{index: map[string]int{}, words: map[string]bool{}}
	n := float64(max(found.Passages, len(found.Hits)))
	a.EachWord(query, func(term, word string) {
		q.words[word] = true
		if _, ok := q.index[term]; ok {
			return
		}
		q.index[term] = len(q.terms)
		q.terms = append(q.terms, term)
		df := float64(found.DF[term])
		idf := math.Log(1 + (n-df+0.5)/(df+0.5))
		q.idf = append(q.idf, idf)
		q.sum += idf
	})
	q.like = text.BeginningsOf(q.terms)
	return q
}

// share is the weight of what matched over the weight of all, 0 to 1. A term
// that stands in no passage keeps its full weight below the line: a question
// about something else stays low.
func (q *question) share(match []float64) float64 {
	if q.sum <= 0 {
		return 0
	}
	s := 0.0
	for i, m := range match {
		s += q.idf[i] * m
	}
	return s / q.sum
}

// together rises from 0 to 1 with the number of different terms matched: one
// word met by chance is no answer, however rare it is. A question of few terms
// asks for no more than it has.
func (q *question) together(match []float64) float64 {
	n := 0
	for _, m := range match {
		if m > 0 {
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return (1 - math.Pow(0.5, float64(n))) / (1 - math.Pow(0.5, float64(len(q.terms))))
}

// nearWords is how many words apart two terms still count as near.
const nearWords = 8

// nearness is how near the question's neighbouring terms stand to each other in
// the passage, 0 to 1: a pair counts by its lighter term, fully when adjacent,
// falling to nothing at nearWords.
func (q *question) nearness(b body) float64 {
	if len(q.terms) < 2 || len(b.hits) < 2 {
		return 0
	}
	best := make([]float64, len(q.terms)-1) // of the pair (i, i+1)
	for i, h := range b.hits {
		for _, g := range b.hits[i+1:] {
			d := g.at - h.at
			if d > nearWords {
				break
			}
			if low := min(h.term, g.term); max(h.term, g.term) == low+1 {
				best[low] = max(best[low], 1-float64(d-1)/nearWords)
			}
		}
	}
	got, all := 0.0, 0.0
	for i, v := range best {
		w := min(q.idf[i], q.idf[i+1])
		got += w * v
		all += w
	}
	if all <= 0 {
		return 0
	}
	return got / all
}
