// Package library adds documents to the full-text index and searches it. The
// index itself is an interface; the database implements it. The package knows
// nothing of runs, models or HTTP.
package library

import (
	"context"
	"slices"
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/rank"
	"github.com/progrouter/progrouter/retrieval/text"
)

// Index is the full-text index the library stands on.
type Index interface {
	// PutDocument stores a document with its passages; one with the same URL is
	// replaced when its text differs and left alone when it is the same.
	PutDocument(ctx context.Context, collection string, doc research.Document, passages []research.IndexedPassage) error
	// FindPassages returns the passages that hold any of the asked terms, the
	// likeliest first, with what BM25 needs to rank them again.
	FindPassages(ctx context.Context, q research.PassageQuery) (research.PassagesFound, error)
	// Document returns a stored document, or an error with code not_found.
	Document(ctx context.Context, url string) (research.Document, error)
}

// Candidates is how many passages are asked of the index per search.
const Candidates = 250

// Ranker orders what the index found.
type Ranker interface {
	Passages(ctx context.Context, level rank.Level, query, lang string, found research.PassagesFound) ([]rank.Scored, error)
}

// Library adds and finds documents.
type Library struct {
	index  Index
	ranker Ranker
}

// New returns a Library over an index.
func New(index Index, ranker Ranker) *Library { return &Library{index: index, ranker: ranker} }

// Add stores a document in a collection. A document without any word is
// refused.
func (l *Library) Add(ctx context.Context, collection string, doc research.Document) error {
	if doc.SHA256 == "" {
		doc.SHA256 = research.HashText(doc.Text)
	}
	passages := text.Split(doc)
	if len(passages) == 0 {
		return research.Errorf(research.EInvalid, "document_empty", "%s holds no text, so there is nothing to search. If it is a scan, add a version with text.", doc.URL)
	}
	return l.index.PutDocument(ctx, collection, doc, passages)
}

// Document returns a stored document.
func (l *Library) Document(ctx context.Context, url string) (research.Document, error) {
	return l.index.Document(ctx, url)
}

// Find asks the index for the passages that may answer a question, with the
// statistics that ranking needs. Empty collections mean all.
func (l *Library) Find(ctx context.Context, query string, collections []string) (research.PassagesFound, error) {
	return l.FindIn(ctx, query, collections, nil)
}

// FindIn is Find within the documents of the given URLs (empty means all).
func (l *Library) FindIn(ctx context.Context, query string, collections, urls []string) (research.PassagesFound, error) {
	terms := text.Terms(query)
	slices.Sort(terms)
	terms = slices.Compact(terms)
	if len(terms) == 0 {
		return research.PassagesFound{}, nil
	}
	return l.index.FindPassages(ctx, research.PassageQuery{Collections: collections, URLs: urls, Terms: terms, Limit: Candidates})
}

// Search returns the best passages for a question, ranked by words.
func (l *Library) Search(ctx context.Context, query, lang string, collections []string, limit int) ([]rank.Scored, error) {
	found, err := l.Find(ctx, query, collections)
	if err != nil || len(found.Hits) == 0 {
		return nil, err
	}
	ranked, err := l.ranker.Passages(ctx, rank.Lexical, query, lang, found)
	if err != nil {
		return nil, err
	}
	return ranked[:min(limit, len(ranked))], nil
}

// Hits returns the best documents for a question, each once, with its best
// passage as snippet.
func (l *Library) Hits(ctx context.Context, query, lang string, collections []string, limit int) ([]research.Hit, error) {
	ranked, err := l.Search(ctx, query, lang, collections, Candidates)
	if err != nil {
		return nil, err
	}
	return PerDocument(ranked, limit), nil
}

// PerDocument turns a ranking of passages into hits, one per document.
func PerDocument(ranked []rank.Scored, limit int) []research.Hit {
	var out []research.Hit
	seen := map[string]bool{}
	for _, p := range ranked {
		if seen[p.URL] {
			continue
		}
		if len(out) == limit {
			break
		}
		seen[p.URL] = true
		out = append(out, research.Hit{URL: p.URL, Title: p.Title, Snippet: snippet(p.Text), Provider: "library", Score: p.Score})
	}
	return out
}

// snippet is the passage on one line, cut at a word.
func snippet(s string) string {
	const limit = 240
	line := []rune(strings.Join(strings.Fields(s), " "))
	if len(line) <= limit {
		return string(line)
	}
	cut := string(line[:limit])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return cut + " …"
}
