package embedded

import (
	"context"
	"math"
	"sort"
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/rank"
	"github.com/progrouter/progrouter/retrieval/text"
)

// memory is a library in memory: the Finder of the tests.
type memory struct {
	docs     map[string]research.Document
	passages []research.IndexedPassage
	sets     []map[string]int
	df       map[string]int
	mean     float64
	refused  map[string]*research.Discarded
	searches []string
}

func newMemory(docs ...research.Document) *memory {
	m := &memory{docs: map[string]research.Document{}, df: map[string]int{}, refused: map[string]*research.Discarded{}}
	total := 0
	for _, d := range docs {
		m.docs[d.URL] = d
		for _, p := range text.Split(d) {
			m.passages = append(m.passages, p)
			set := map[string]int{}
			for _, t := range strings.Fields(p.Terms) {
				set[t]++
				total++
			}
			for t := range set {
				m.df[t]++
			}
			m.sets = append(m.sets, set)
		}
	}
	m.mean = float64(total) / float64(max(1, len(m.passages)))
	return m
}

func (m *memory) find(query string, limit int) research.PassagesFound {
	f := research.PassagesFound{DF: map[string]int{}, Passages: len(m.passages), Terms: m.mean}
	q := text.Terms(query)
	for _, t := range q {
		f.DF[t] = m.df[t]
	}
	for i, set := range m.sets {
		score := 0.0
		for t := range setOf(q) {
			if n := float64(set[t]); n > 0 {
				idf := math.Log(1 + (float64(len(m.passages))-float64(m.df[t])+0.5)/(float64(m.df[t])+0.5))
				score += idf * n / (n + 1.2)
			}
		}
		if score > 0 {
			f.Hits = append(f.Hits, research.PassageHit{Passage: m.passages[i].Passage, Terms: m.passages[i].Terms, Score: score})
		}
	}
	sort.SliceStable(f.Hits, func(a, b int) bool { return f.Hits[a].Score > f.Hits[b].Score })
	f.Hits = f.Hits[:min(limit, len(f.Hits))]
	return f
}

func (m *memory) Search(ctx context.Context, _ research.Request, query string, limit int) (
	[]research.Hit, []research.Query, []research.Note, []research.Discarded, error,
) {
	m.searches = append(m.searches, query)
	scored, err := rank.New(nil, nil, nil).Passages(ctx, rank.Lexical, query, "en", m.find(query, 400))
	if err != nil {
		return nil, nil, nil, nil, err
	}
	var hits []research.Hit
	seen := map[string]bool{}
	for _, r := range scored {
		if len(hits) < limit && !seen[r.URL] {
			seen[r.URL] = true
			hits = append(hits, research.Hit{URL: r.URL, Title: r.Title, Snippet: r.Text, Provider: "library", Score: r.Score})
		}
	}
	return hits, []research.Query{{Text: query, Provider: "library", Results: len(hits)}}, nil, nil, nil
}

func (m *memory) Open(_ context.Context, h research.Hit) (research.Document, *research.Discarded, error) {
	if d := m.refused[h.URL]; d != nil {
		return research.Document{}, d, nil
	}
	return m.docs[h.URL], nil, nil
}

// ranking serves the engine's Ranker with the ranker of the product.
type ranking struct{ *rank.Ranker }

func (r ranking) Passages(ctx context.Context, tier research.Tier, query, lang string, found research.PassagesFound) ([]Ranked, error) {
	level := map[research.Tier]rank.Level{research.Small: rank.Lexical, research.Medium: rank.Rerank, research.Large: rank.Deep}[tier]
	scored, err := r.Ranker.Passages(ctx, level, query, lang, found)
	out := make([]Ranked, len(scored))
	for i, s := range scored {
		out[i] = Ranked{Passage: s.Passage, Score: s.Score, Lexical: s.Lexical, Semantic: s.Semantic}
	}
	return out, err
}
