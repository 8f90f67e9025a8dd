package rank

import (
	"cmp"
	"slices"
)

func byScore(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Ordinal, b.Ordinal))
}

// takeTurns returns the candidates' indexes in an order in which pages take
// turns: by score, the n-th best passage of a page counting discount to the
// power n−1 of its own. An answer is seldom complete on one page, and five
// windows of one page say little more than the best of them.
func takeTurns(cands []candidate, discount float64, score func(candidate) float64) []int {
	best := make([]int, len(cands))
	for i := range best {
		best[i] = i
	}
	slices.SortStableFunc(best, func(a, b int) int { return cmp.Compare(score(cands[b]), score(cands[a])) })
	weight := map[string]float64{}
	key := make([]float64, len(cands))
	for _, i := range best {
		w, seen := weight[cands[i].URL]
		if !seen {
			w = 1
		}
		key[i] = score(cands[i]) * w
		weight[cands[i].URL] = w * discount
	}
	slices.SortStableFunc(best, func(a, b int) int { return cmp.Compare(key[b], key[a]) })
	return best
}

// order makes the answer: best first, pages taking turns.
func (t tuning) order(cands []candidate) []Scored {
	slices.SortFunc(cands, byScore)
	out := make([]Scored, len(cands))
	for k, i := range takeTurns(cands, t.repeat, func(c candidate) float64 { return c.Score }) {
		out[k] = cands[i].Scored
	}
	return out
}
