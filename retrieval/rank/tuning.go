package rank

// tuning holds the constants of the ranking in one place, so that a measurement
// can switch parts off; TestAblation prints what each brings. They are round and
// few: they are meant to hold for pages and questions nobody has seen yet.
type tuning struct {
	k1, b      float64 // BM25
	stemOnly   float64 // another word of the same stem against the word itself
	title      float64 // a title word against a body word
	heading    float64 // a heading word against a body word
	together   bool    // weigh how many different terms meet
	nearness   float64 // terms near each other
	repeat     float64 // discount for each further passage of a page
	candidates int     // passages read closely

	rerankTop  int     // passages the transformer reads at Rerank
	deepTop    int     // and at Deep
	readRepeat float64 // discount for further passages of a page when choosing them
	widen      float64 // weight of the static table when choosing them
	semantic   float64 // meaning against words
}

func standard() tuning {
	return tuning{
		k1: 1.2, b: 0.5, stemOnly: 0.3, title: 2, heading: 1, together: true, nearness: 0.1,
		repeat: 0.5, candidates: 300,
		rerankTop: 10, deepTop: 40, readRepeat: 0.8, widen: 0.3, semantic: 1,
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
