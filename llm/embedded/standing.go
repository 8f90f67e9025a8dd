package embedded

// standings say how well the searches placed each document for a sub-question:
// its score over the best of the same provider, 0 to 1. The index weighs words
// by all documents; the reader, who sees only the opened ones, cannot tell
// which of their words are rare.
func (s *step) standings(sub string) map[string]float64 {
	best := map[string]float64{}
	for _, h := range s.ledger.Hits {
		if h.Subquestion == sub {
			best[h.Provider] = max(best[h.Provider], h.Score)
		}
	}
	out := map[string]float64{}
	for _, h := range s.ledger.Hits {
		if top := best[h.Provider]; h.Subquestion == sub && top > 0 {
			out[h.URL] = max(out[h.URL], h.Score/top)
		}
	}
	return out
}

// libraryProvider is the provider of hits from the library.
const libraryProvider = "library"

// firstScore is the score of the best library document that the first search
// for a sub-question found; false when it found none there. Later searches use
// fewer words, so that their scores say less about the question.
func (s *step) firstScore(sub string) (float64, bool) {
	best, first, ok := 0.0, 0, false
	for _, h := range s.ledger.Hits {
		switch {
		case h.Subquestion != sub || h.Provider != libraryProvider:
		case !ok || h.StepIndex < first:
			best, first, ok = h.Score, h.StepIndex, true
		case h.StepIndex == first:
			best = max(best, h.Score)
		}
	}
	return best, ok
}
