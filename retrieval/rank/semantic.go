package rank

import "context"

// semantic lets the transformer read the best passages and scores by words and
// meaning together. Passages that it did not read are taken to mean as little
// as the least of those it read.
func (r *Ranker) semantic(ctx context.Context, level Level, query string, cands []candidate) error {
	t := r.tune
	if err := r.hint(ctx, query, cands); err != nil {
		return err
	}
	picked := takeTurns(cands, t.readRepeat, func(c candidate) float64 { return c.Score + t.widen*c.hint })
	picked = picked[:min(t.reads(level), len(picked))]
	texts := []string{query}
	for _, i := range picked {
		texts = append(texts, cands[i].Text)
	}
	vectors, err := r.enc.Embed(ctx, texts)
	if err != nil {
		return err
	}
	least := 1.0
	for k, i := range picked {
		c := &cands[i]
		c.read, c.Semantic = true, dot(vectors[0], vectors[k+1])
		least = min(least, c.Semantic)
	}
	for i := range cands {
		c := &cands[i]
		meaning := least
		if c.read {
			meaning = c.Semantic
		}
		c.Score = min(1, max(0, (c.Score+t.semantic*meaning)/(1+t.semantic)))
	}
	return nil
}

// hint asks the static table which candidates may mean the question in other
// words, so that the transformer reads those too.
func (r *Ranker) hint(ctx context.Context, query string, cands []candidate) error {
	if r.static == nil || r.tune.widen == 0 {
		return nil
	}
	const part = 64
	q := r.static.Embed(query)
	return r.run.Run(ctx, (len(cands)+part-1)/part, func(n int) {
		for i := n * part; i < min(len(cands), (n+1)*part); i++ {
			cands[i].hint = dot(q, r.static.Embed(cands[i].Text))
		}
	})
}

func dot(a, b []float32) float64 {
	var s float32
	for i, x := range a[:min(len(a), len(b))] {
		s += x * b[i]
	}
	return float64(s)
}
