package research

import "time"

// IndexedPassage is a passage with the words the full-text index stores for
// it. The words are made in Go (lower-cased, stemmed, CJK as character bigrams)
// so that SQLite and Postgres find the same things.
type IndexedPassage struct {
	Passage
	Terms      string // body words separated by spaces, in text order
	TitleTerms string // words of the title and heading
}

// PassageQuery asks the library index.
type PassageQuery struct {
	Collections []string // empty means all
	URLs        []string // limit to these documents; empty means all
	Terms       []string // already in index form; any may match
	Limit       int
}

// PassageHit is a passage found, with the database's own score (higher is
// better, comparable only within one answer).
type PassageHit struct {
	Passage
	Score float64
	// Terms are the body's words in index form, separated by spaces, where they
	// are at hand (IndexedPassage.Terms); empty lets the ranking make them again.
	Terms string
}

// PassagesFound is the answer of the index, with what BM25 needs to rank again.
type PassagesFound struct {
	Hits     []PassageHit
	DF       map[string]int // passages that contain each asked term, within the same collections
	Passages int            // passages in these collections
	Terms    float64        // mean body words per passage
}

// LibraryDocument is a document row as lists show it (no text).
type LibraryDocument struct {
	URL        string
	Title      string
	Collection string // handbook, uploads, dir:… , suite names
	MediaType  string
	SHA256     string
	Passages   int
	Bytes      int
	AddedAt    time.Time
}
