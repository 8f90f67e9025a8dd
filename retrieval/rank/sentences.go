package rank

import (
	"context"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// Sentences scores sentences (of already chosen passages) by how well each
// answers the question, in the order given, 0 to 1; see Threshold. background
// gives the weight of words: the passages they were taken from, or whatever the
// index answered; its zero value weighs all words alike.
func (r *Ranker) Sentences(ctx context.Context, level Level, query, lang string, sentences []string, background research.PassagesFound) ([]float64, error) {
	if ok, why := r.Supports(level, lang); !ok {
		return nil, languageError(level, why)
	}
	out := make([]float64, len(sentences))
	err := r.run.Run(ctx, 1, func(int) {
		a := text.NewAnalyzer()
		q := newQuery(a, query, background)
		for i, s := range sentences {
			b := bodyOf(a, q, research.PassageHit{Passage: research.Passage{Text: s}})
			out[i] = q.share(r.tune.match(q, b, nil, nil, 0))
		}
	})
	return out, err
}
