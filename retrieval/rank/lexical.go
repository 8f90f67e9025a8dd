package rank

import (
	"cmp"
	"slices"
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// candidate is a passage under way through the ranking.
type candidate struct {
	Scored
	hint float64 // the static table's cosine with the question
	read bool    // by the transformer
}

// lexical scores passages by BM25F over body, title and heading, with how many
// different terms meet and how near they stand, and returns the best first.
func (t tuning) lexical(query string, found research.PassagesFound) []candidate {
	a := text.NewAnalyzer()
	q := newQuestion(a, query, found)
	fields := map[string][]string{} // titles and headings repeat from passage to passage
	field := func(s string) []string {
		f, ok := fields[s]
		if !ok {
			f = a.Terms(s)
			fields[s] = f
		}
		return f
	}
	hits := t.firstPass(q, found)
	cands := make([]candidate, len(hits))
	for i, h := range hits {
		b := bodyOf(a, q, h.Text)
		match := t.match(q, b, field(h.Title), field(h.Heading), found.Terms)
		c := candidate{Scored: Scored{Passage: h.Passage, Lexical: q.share(match)}}
		c.Score = c.Lexical
		if t.together {
			c.Score *= q.together(match)
		}
		c.Score = (c.Score + t.nearness*q.nearness(b)) / (1 + t.nearness)
		cands[i] = c
	}
	slices.SortFunc(cands, byScore)
	return cands
}

// firstPass keeps the best passages by plain BM25 on their stored words, so that
// only those have to be read closely. A passage without stored words is kept.
func (t tuning) firstPass(q *question, found research.PassagesFound) []research.PassageHit {
	if len(found.Hits) <= t.candidates {
		return found.Hits
	}
	type scored struct {
		hit   int
		score float64
	}
	var all []scored
	tf := make([]float64, len(q.terms))
	for i, h := range found.Hits {
		clear(tf)
		words, matched := 0, h.Terms == ""
		for term := range strings.FieldsSeq(h.Terms) {
			words++
			if j, ok := q.index[term]; ok {
				tf[j]++
				matched = true
			}
		}
		if matched {
			norm := t.length(words, found.Terms)
			for j := range tf {
				tf[j] = tf[j] / norm / (t.k1 + tf[j]/norm)
			}
			all = append(all, scored{i, q.share(tf)})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	out := make([]research.PassageHit, 0, t.candidates)
	for _, s := range all[:min(len(all), t.candidates)] {
		out = append(out, found.Hits[s.hit])
	}
	return out
}

// match returns for every term of the question how strongly the passage holds
// it, 0 to 1: BM25F without the idf (Robertson, Zaragoza and Taylor 2004), that
// is tf/(k1+tf) with tf summed over the fields. Another word of the same stem
// counts less than the word itself.
func (t tuning) match(q *question, b body, title, heading []string, mean float64) []float64 {
	tf := make([]float64, len(q.terms))
	norm := t.length(b.words, mean)
	for _, h := range b.hits {
		if h.exact {
			tf[h.term] += 1 / norm
		} else {
			tf[h.term] += t.stemOnly / norm
		}
	}
	add := func(field []string, weight float64) {
		for _, term := range field {
			if i, ok := q.index[term]; ok {
				tf[i] += weight
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

// length is BM25's length normalisation.
func (t tuning) length(words int, mean float64) float64 {
	if mean <= 0 {
		return 1
	}
	return 1 - t.b + t.b*float64(words)/mean
}

// body is what scoring needs of a passage's words.
type body struct {
	words int
	hits  []hit
}

// hit is a term of the question standing at a word of the passage.
type hit struct {
	term, at int
	exact    bool // the question's own word, not only its stem
}

func bodyOf(a *text.Analyzer, q *question, s string) body {
	var b body
	a.EachLike(s, q.like, func(term, word string) {
		if i, ok := q.index[term]; ok {
			b.hits = append(b.hits, hit{i, b.words, q.words[word]})
		}
		b.words++
	})
	return b
}
