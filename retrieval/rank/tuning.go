package rank

// tuning holds the constants of the ranking, so that a measurement can switch
// parts off. What each part brings is measured in TestMeasure.
type tuning struct {
	k1, b        float64 // BM25
	title        float64 // weight of a title word against a body word
	heading      float64
	proximity    float64 // weight of terms standing together
	page         float64 // share of the page's score
	pagePassages int     // passages of a page that speak for it
	repeat       float64 // discount for each further passage of one page
	candidates   int     // passages kept after the first pass

	widen      int     // passages added by the static table
	rerankTop  int     // passages the transformer reads at Rerank
	deepTop    int     // and at Deep
	semantic   float64 // weight of the transformer
	withTitle  bool    // title in front of the passage for the transformer
	pageVector float64
}

func standard() tuning {
	return tuning{
		k1: 1.2, b: 0.75, title: 1, heading: 0.5, proximity: 0.1,
		page: 0.3, pagePassages: 3, repeat: 0.8, candidates: 300,
		rerankTop: 10, deepTop: 40, semantic: 1,
	}
}

// reads is how many passages the transformer reads at a level.
func (t tuning) reads(level Level) int {
	switch level {
	case Rerank:
		return t.rerankTop
	case Deep:
		return t.deepTop
	case Lexical:
	}
	return 0
}
