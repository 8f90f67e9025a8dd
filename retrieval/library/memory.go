package library

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/progrouter/progrouter/research"
)

// Memory is an Index held in memory, for tests and for searching a handful of
// documents without a database. It is safe for concurrent use.
type Memory struct {
	mu   sync.RWMutex
	docs []stored
}

type stored struct {
	collection string
	doc        research.Document
	passages   []research.IndexedPassage
}

var _ Index = (*Memory)(nil)

// NewMemory returns an empty index.
func NewMemory() *Memory { return &Memory{} }

// PutDocument implements Index.
func (m *Memory) PutDocument(ctx context.Context, collection string, doc research.Document, passages []research.IndexedPassage) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, d := range m.docs {
		if d.doc.URL == doc.URL {
			m.docs[i] = stored{collection, doc, passages}
			return ctx.Err()
		}
	}
	m.docs = append(m.docs, stored{collection, doc, passages})
	return ctx.Err()
}

// Document implements Index.
func (m *Memory) Document(ctx context.Context, url string) (research.Document, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, d := range m.docs {
		if d.doc.URL == url {
			return d.doc, ctx.Err()
		}
	}
	return research.Document{}, research.Errorf(research.ENotFound, "document_missing", "There is no document %s in the library.", url)
}

// FindPassages implements Index. A passage's score is how many of the asked
// terms it holds, in body, title or heading.
func (m *Memory) FindPassages(ctx context.Context, q research.PassageQuery) (research.PassagesFound, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	found := research.PassagesFound{DF: map[string]int{}}
	words := 0
	for _, d := range m.docs {
		if len(q.Collections) > 0 && !slices.Contains(q.Collections, d.collection) {
			continue
		}
		wanted := len(q.URLs) == 0 || slices.Contains(q.URLs, d.doc.URL)
		for _, p := range d.passages {
			body := strings.Fields(p.Terms)
			found.Passages++
			words += len(body)
			if n := count(q.Terms, body, strings.Fields(p.TitleTerms), found.DF); n > 0 && wanted {
				found.Hits = append(found.Hits, research.PassageHit{Passage: p.Passage, Score: float64(n), Terms: p.Terms})
			}
		}
	}
	if found.Passages > 0 {
		found.Terms = float64(words) / float64(found.Passages)
	}
	slices.SortStableFunc(found.Hits, func(a, b research.PassageHit) int { return int(b.Score - a.Score) })
	if q.Limit > 0 && len(found.Hits) > q.Limit {
		found.Hits = found.Hits[:q.Limit]
	}
	return found, ctx.Err()
}

// count returns how many of the asked terms occur and adds those of the body to
// the document frequencies.
func count(asked, body, title []string, df map[string]int) int {
	n := 0
	for _, t := range asked {
		switch {
		case slices.Contains(body, t):
			df[t]++
			n++
		case slices.Contains(title, t):
			n++
		}
	}
	return n
}
