package embedded

import (
	"context"
	"sort"
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// search finds documents for every open sub-question of the focus. A query that
// was made before for the same sub-question is not made again.
func (s *step) search(ctx context.Context) error {
	focus := s.focus()
	known := s.knownHits()
	failed := s.askQueries(ctx)
	if failed != nil {
		return failed
	}
	searched, refused := 0, 0
	for _, q := range focus {
		queries := s.queries(q)
		if len(queries) == 0 {
			refused++
			continue
		}
		for _, text := range queries {
			if failed = s.searchOne(ctx, q, text, known); failed != nil {
				break
			}
			searched++
		}
		if failed != nil {
			break
		}
	}
	s.empty = len(s.out.Hits) == 0
	s.noted(searchNotes(searched, refused, len(s.out.Hits))...)
	if wordless(focus) {
		s.noted(append(s.out.Notes, research.Note{Code: research.NoteNoSearchWord, Text: "The question has no word that could be searched for."})...)
	}
	return failed
}

// knownHits are the documents already proposed, per sub-question.
func (s *step) knownHits() map[[2]string]bool {
	known := map[[2]string]bool{}
	for _, h := range s.ledger.Hits {
		known[[2]string{h.Subquestion, h.URL}] = true
	}
	return known
}

func (s *step) searchOne(ctx context.Context, q research.Subquestion, query string, known map[[2]string]bool) error {
	start := s.now()
	hits, queries, notices, discarded, err := s.finder.Search(ctx, s.ledger.Run.Request, query, s.task.Limits.SearchResults)
	s.act("search", query, start, err)
	for _, f := range queries {
		f.Subquestion, f.StepIndex = q.ID, s.task.Step
		s.out.Queries = append(s.out.Queries, f)
	}
	s.keepDiscarded(discarded)
	s.keepNotices(notices)
	if err != nil {
		return err
	}
	if hits, err = s.orderHits(ctx, q, hits); err != nil && len(hits) == 0 {
		return err
	}
	for _, h := range hits {
		key := [2]string{q.ID, h.URL}
		if known[key] {
			continue
		}
		known[key] = true
		h.Subquestion, h.StepIndex = q.ID, s.task.Step
		s.out.Hits = append(s.out.Hits, h)
	}
	return err
}

// orderHits puts the documents whose best passages fit the sub-question first.
// Only the large tier reads for that; the others keep the order of the index.
func (s *step) orderHits(ctx context.Context, q research.Subquestion, hits []research.Hit) ([]research.Hit, error) {
	if s.tier != research.Large || len(hits) < 2 {
		return hits, nil
	}
	var found research.PassagesFound
	err := s.compute(ctx, func() { found = findPassages(q.Text, snippetPages(hits)) })
	if err != nil || len(found.Hits) < 2 {
		return hits, err
	}
	ranked, err := s.ranker.Passages(ctx, s.tier, q.Text, s.ledger.Run.Language, found)
	if err != nil {
		return hits, err
	}
	place := map[string]int{}
	for i, r := range ranked {
		if _, ok := place[r.URL]; !ok {
			place[r.URL] = i
		}
	}
	out := append([]research.Hit(nil), hits...)
	rank := func(i int, h research.Hit) float64 {
		if p, ok := place[h.URL]; ok {
			return float64(p+i) / 2 // both orders count the same
		}
		return float64(i)
	}
	keys := make(map[string]float64, len(hits))
	for i, h := range hits {
		keys[h.URL] = rank(i, h)
	}
	sort.SliceStable(out, func(a, b int) bool { return keys[out[a].URL] < keys[out[b].URL] })
	return out, nil
}

// snippetPages makes a page of each hit's snippet, under the hit's address.
func snippetPages(hits []research.Hit) []*page {
	var out []*page
	for _, h := range hits {
		if h.Snippet == "" {
			continue
		}
		src := research.Source{Title: h.Title, Text: h.Snippet, SHA256: h.URL}
		out = append(out, &page{leaf: newLeaf(src), source: src})
	}
	return out
}

func (s *step) keepDiscarded(in []research.Discarded) {
	known := map[string]bool{}
	for _, d := range append(append([]research.Discarded(nil), s.ledger.Discarded...), s.out.Discarded...) {
		known[d.URL] = true
	}
	for _, d := range in {
		if !known[d.URL] {
			known[d.URL] = true
			d.StepIndex = s.task.Step
			s.out.Discarded = append(s.out.Discarded, d)
		}
	}
}

// keepNotices says a thing once per run.
func (s *step) keepNotices(in []research.Note) {
	for _, n := range in {
		if !research.Noticed(s.ledger.Run.Notices, n) && !research.Noticed(s.out.Notices, n) {
			s.out.Notices = append(s.out.Notices, n)
		}
	}
}

func containsString(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// queries chooses what to search for: the planned wording, or, when earlier
// searches led nowhere, wordings that were not tried yet.
func (s *step) queries(q research.Subquestion) []string {
	used := map[string]bool{}
	for _, d := range s.ledger.Queries {
		if d.Subquestion == q.ID {
			used[queryKey(d.Text)] = true
		}
	}
	candidates := q.Queries
	if len(candidates) == 0 {
		candidates = []string{q.Text}
	}
	most := 1
	if s.guide != nil && len(q.Queries) > 2 {
		most = 2 // the question's own words, and a guide's
	}
	if s.task.Rewrite || len(used) > 0 {
		candidates = append(append(append([]string(nil), s.proposed[q.ID]...), candidates...), s.rewordings(q)...)
		most = 2
	}
	var out []string
	for _, c := range candidates {
		k := queryKey(c)
		if k == "" || used[k] || len(out) >= most {
			continue
		}
		used[k] = true
		out = append(out, c)
	}
	return out
}

// wordless says whether none of the sub-questions has a word that an index knows
// of.
func wordless(qs []research.Subquestion) bool {
	for _, q := range qs {
		if len(text.Terms(q.Text)) > 0 {
			return false
		}
	}
	return len(qs) > 0
}

// queryKey is equal for queries that ask the same of an index. A query of stop
// words alone is its own key: given pages are proposed for it all the same.
func queryKey(s string) string {
	terms := text.Terms(s)
	if len(terms) == 0 {
		return strings.ToLower(tidy(s))
	}
	sort.Strings(terms)
	return strings.Join(terms, " ")
}
