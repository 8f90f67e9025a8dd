package rank

import (
	"math"
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// candidate is a passage under way through the ranking.
type candidate struct {
	Scored
	score  float64   // what it is ordered by
	match  []float64 // per query term: saturated weight in 0..1, for the page's share
	static float64
}

// lexical scores all passages by BM25F over body, title and heading, adds
// proximity and what the rest of the page says, and returns them best first.
func (t tuning) lexical(query string, found research.PassagesFound) []candidate {
	a := text.NewAnalyzer()
	q := newQuery(a, query, found)
	fields := map[string][]string{}
	field := func(s string) []string {
		if f, ok := fields[s]; ok {
			return f
		}
		f := a.Terms(s)
		fields[s] = f
		return f
	}
	cands := make([]candidate, 0, len(found.Hits))
	for _, h := range found.Hits {
		c := candidate{Scored: Scored{Passage: h.Passage}}
		body := bodyOf(a, q, h)
		c.match = t.match(q, body, field(h.Title), field(h.Heading), found.Terms)
		c.Lexical = q.share(c.match)
		c.score = c.Lexical + t.proximity*q.nearness(body)
		cands = append(cands, c)
	}
	sortCandidates(cands)
	if len(cands) > t.candidates {
		cands = cands[:t.candidates]
	}
	t.weighPages(q, cands)
	sortCandidates(cands)
	for i := range cands {
		cands[i].Score = min(1, max(0, cands[i].score))
	}
	return cands
}

// match returns per query term the BM25F weight without idf, divided by its
// ceiling: tf/(k1+tf), with tf summed over fields (Robertson, Zaragoza and
// Taylor 2004) and the body's length normalised.
func (t tuning) match(q *question, b body, title, heading []string, mean float64) []float64 {
	tf := make([]float64, len(q.terms))
	norm := 1.0
	if mean > 0 {
		norm = 1 - t.b + t.b*float64(b.words)/mean
	}
	for _, h := range b.hits {
		tf[h.term] += 1 / norm
	}
	add := func(f []string, w float64) {
		for _, term := range f {
			if i, ok := q.index[term]; ok {
				tf[i] += w
			}
		}
	}
	add(title, t.title)
	add(heading, t.heading)
	for i, v := range tf {
		tf[i] = v / (t.k1 + v)
	}
	return tf
}

// question is a query in index form with the weight of each term.
type question struct {
	terms []string
	idf   []float64
	index map[string]int
	sum   float64
}

func newQuery(a *text.Analyzer, query string, found research.PassagesFound) *question {
	q := &question{index: map[string]int{}}
	n := float64(max(found.Passages, len(found.Hits)))
	a.Each(query, func(term string) {
		if _, ok := q.index[term]; ok {
			return
		}
		q.index[term] = len(q.terms)
		df := float64(found.DF[term])
		idf := math.Log(1 + (n-df+0.5)/(df+0.5))
		q.terms = append(q.terms, term)
		q.idf = append(q.idf, idf)
		q.sum += idf
	})
	return q
}

// share is the weight of the matched terms over the weight of all.
func (q *question) share(match []float64) float64 {
	if q.sum == 0 {
		return 0
	}
	s := 0.0
	for i, m := range match {
		s += q.idf[i] * m
	}
	return s / q.sum
}

// body is what the scorer needs of a passage's words.
type body struct {
	words int
	hits  []hit
}

type hit struct{ term, at int }

func bodyOf(a *text.Analyzer, q *question, h research.PassageHit) body {
	var b body
	add := func(term string) {
		if i, ok := q.index[term]; ok {
			b.hits = append(b.hits, hit{i, b.words})
		}
		b.words++
	}
	if h.Terms == "" {
		a.Each(h.Text, add)
		return b
	}
	for term := range strings.FieldsSeq(h.Terms) {
		add(term)
	}
	return b
}

// near is how many words apart two terms still count as together.
const near = 8

// nearness is the share of the question's neighbouring pairs of terms that
// stand close together, each weighed by its lighter term: 1 when
// adjacent, falling to 0 at `near` words.
func (q *question) nearness(b body) float64 {
	if len(q.terms) < 2 || len(b.hits) < 2 {
		return 0
	}
	best := make([]float64, len(q.terms)) // for the pair (i, i+1)
	for i, h := range b.hits {
		for _, g := range b.hits[i+1:] {
			d := g.at - h.at
			if d > near {
				break
			}
			lo, hi := min(h.term, g.term), max(h.term, g.term)
			if hi == lo+1 && d > 0 {
				best[lo] = max(best[lo], 1-float64(d-1)/near)
			}
		}
	}
	sum, all := 0.0, 0.0
	for i := range len(q.terms) - 1 {
		w := min(q.idf[i], q.idf[i+1])
		sum += w * best[i]
		all += w
	}
	if all == 0 {
		return 0
	}
	return sum / all
}
