package rank

// weighPages adds to every candidate what its page says beyond the passage: the
// share of the question covered by the page's best passages together.
func (t tuning) weighPages(q *question, cands []candidate) {
	if t.page == 0 {
		return
	}
	cover := map[string][]float64{}
	taken := map[string]int{}
	for _, c := range cands { // best first
		if taken[c.URL] == t.pagePassages {
			continue
		}
		taken[c.URL]++
		m := cover[c.URL]
		if m == nil {
			m = make([]float64, len(q.terms))
			cover[c.URL] = m
		}
		for i, v := range c.match {
			m[i] = max(m[i], v)
		}
	}
	for i, c := range cands {
		cands[i].score = (1-t.page)*c.score + t.page*q.share(cover[c.URL])
	}
}

// order spreads the ranking over pages: the n-th passage of a page counts
// `repeat` to the power n-1 of its score when its place is decided. Scores
// themselves stay as they are.
func (t tuning) order(cands []candidate) []Scored {
	sortCandidates(cands)
	seen := map[string]int{}
	keyed := make([]candidate, len(cands))
	for i, c := range cands {
		keyed[i] = c
		for range seen[c.URL] {
			keyed[i].score *= t.repeat
		}
		seen[c.URL]++
	}
	sortCandidates(keyed)
	out := make([]Scored, len(keyed))
	for i, c := range keyed {
		out[i] = c.Scored
	}
	return out
}
