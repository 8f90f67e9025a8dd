package rank

import (
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// FromPassages makes a PassagesFound of passages held in memory, with BM25's
// statistics taken from them.
func FromPassages(passages []research.Passage) research.PassagesFound {
	a := text.NewAnalyzer()
	hits := make([]research.PassageHit, len(passages))
	for i, p := range passages {
		hits[i] = research.PassageHit{Passage: p, Terms: strings.Join(a.Terms(p.Text), " ")}
	}
	return fromHits(hits)
}

// FromIndexed is FromPassages for passages whose words text.Split has made
// already. Keep the answer while the passages stay the same: it serves any
// number of questions.
func FromIndexed(passages []research.IndexedPassage) research.PassagesFound {
	hits := make([]research.PassageHit, len(passages))
	for i, p := range passages {
		hits[i] = research.PassageHit{Passage: p.Passage, Terms: p.Terms}
	}
	return fromHits(hits)
}

func fromHits(hits []research.PassageHit) research.PassagesFound {
	f := research.PassagesFound{Hits: hits, DF: map[string]int{}, Passages: len(hits)}
	total := 0
	last := map[string]int{}
	for i, h := range hits {
		for term := range strings.FieldsSeq(h.Terms) {
			total++
			if last[term] != i+1 {
				last[term] = i + 1
				f.DF[term]++
			}
		}
	}
	if len(hits) > 0 {
		f.Terms = float64(total) / float64(len(hits))
	}
	return f
}
