package embedded

import (
	"context"
	"sort"
	"strings"
	"unicode"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// facet is a heading under which first results treat the topic.
type facet struct {
	heading, title string
	terms          termSet
	score          float64
}

const (
	peekDocuments = 3   // how many first results are looked into
	peekPassages  = 24  // how many of their passages count
	facetLeast    = 0.5 // share of the best passage's score that a passage with a good heading has
	// A transformer keeps a heading that is about the question without saying
	// the same: cosine between these two.
	facetNear = 0.40
	facetSame = 0.90
)

// headings looks into the best library documents and returns up to n headings
// of the passages that fit the question best. Documents outside the library are
// not fetched for this: a plan must stay cheap.
func (s *step) headings(ctx context.Context, q inquiry, n int) ([]facet, error) {
	start := s.now()
	pages, err := s.peek(ctx)
	if err != nil || len(pages) == 0 {
		return nil, err
	}
	var hits research.PassagesFound
	if err := s.compute(ctx, func() { hits = findPassages(q.text, pages) }); err != nil {
		return nil, err
	}
	ranked, err := s.ranker.Passages(ctx, ranksAs(s.tier), q.text, s.ledger.Run.Language, hits)
	if err != nil {
		return nil, err
	}
	var found []facet
	if err := s.compute(ctx, func() { found = facetsOf(ranked[:min(len(ranked), peekPassages)], pages, q) }); err != nil {
		return nil, err
	}
	if s.tier != research.Small {
		if found, err = s.nearFacets(ctx, q, found); err != nil {
			return nil, err
		}
	}
	s.actNote("rank", research.Note{Code: noteRankHeadings, Text: "headings of first results"}, start, nil)
	return found[:min(n, len(found))], nil
}

// peek opens the first library results and cuts them into passages.
func (s *step) peek(ctx context.Context) ([]*page, error) {
	start := s.now()
	req := s.ledger.Run.Request
	req.Web, req.URLs = false, nil
	hits, _, _, _, err := s.finder.Search(ctx, req, queriesFor(req.Question, "")[0], peekDocuments)
	s.actNote("search", research.Note{Code: noteSearchFirst, Text: "first results for the plan"}, start, err)
	if err != nil {
		return nil, err
	}
	var out []*page
	for _, h := range hits[:min(len(hits), peekDocuments)] {
		doc, refused, err := s.finder.Open(ctx, h)
		if err != nil {
			return out, err
		}
		if refused != nil {
			continue
		}
		src := research.Source{Title: tidy(doc.Title), Text: doc.Text, SHA256: research.HashText(doc.Text)}
		if err := s.compute(ctx, func() { out = append(out, &page{leaf: s.leaves.of(src), source: src}) }); err != nil {
			return out, err
		}
	}
	return out, nil
}

// facetsOf groups the ranked passages by heading, the best group first.
func facetsOf(ranked []Ranked, pages []*page, q inquiry) []facet {
	asked := setOf(text.Terms(q.text))
	by := map[string]*facet{}
	var order []string
	for _, r := range ranked {
		for _, h := range headingsOf(r, pages) {
			set := setOf(text.Terms(h))
			if !goodHeading(h, set, asked) || r.Score < facetLeast*ranked[0].Score || !onTopic(asked, set, r.Title) {
				continue
			}
			key := strings.ToLower(h)
			f := by[key]
			if f == nil {
				f = &facet{heading: h, title: cleanHeading(r.Title), terms: set}
				by[key], order = f, append(order, key)
			}
			f.score += max(r.Score, 0)
		}
	}
	var out []facet
	for _, k := range order {
		out = append(out, *by[k])
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].score > out[b].score })
	return distinct(out)
}

// headingsOf lists the heading a passage stands under and those within it.
func headingsOf(r Ranked, pages []*page) []string {
	out := []string{cleanHeading(r.Heading)}
	for _, p := range pages {
		if p.source.SHA256 != r.URL {
			continue
		}
		for _, h := range p.heads {
			if h.at > r.Start && h.at < r.End {
				out = append(out, h.text)
			}
		}
	}
	return out
}

// onTopic says whether a heading belongs to the question: it shares a word with
// it, or the document's title holds most of the question's words.
func onTopic(asked, heading termSet, title string) bool {
	shared := overlap(asked, setOf(text.Terms(title)))
	return overlap(asked, heading) > 0 && shared > 0 || shared*2 >= len(asked)
}

// distinct keeps one of several facets that say the same.
func distinct(in []facet) []facet {
	var out []facet
	for _, f := range in {
		same := false
		for _, o := range out {
			same = same || jaccard(f.terms, o.terms) >= 0.5
		}
		if !same {
			out = append(out, f)
		}
	}
	return out
}

// nearFacets orders facets by what a transformer makes of heading and question.
func (s *step) nearFacets(ctx context.Context, q inquiry, in []facet) ([]facet, error) {
	if len(in) == 0 {
		return nil, nil
	}
	in = in[:min(len(in), 8)]
	texts := []string{q.text}
	for _, f := range in {
		texts = append(texts, f.title+": "+f.heading)
	}
	vecs, err := s.encoder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	var out []facet
	for i, f := range in {
		if c := dot(vecs[0], vecs[i+1]); c >= facetNear && c <= facetSame {
			f.score = c
			out = append(out, f)
		}
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].score > out[b].score })
	return out, nil
}

// goodHeading refuses headings that name no facet: generic ones, numbers,
// sentences, and those that only repeat the question.
func goodHeading(h string, set, asked termSet) bool {
	words := wordCount(h)
	if words == 0 || words > 8 || len(set) == 0 || strings.ContainsAny(h, "?？!|©=<>{}[]@/\\") {
		return false
	}
	if genericHeading(strings.ToLower(h)) || overlap(set, asked) == len(set) {
		return false
	}
	letters := 0
	for _, r := range h {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters*10 >= len([]rune(h))*7
}

func genericHeading(h string) bool {
	switch h {
	case "introduction", "overview", "contents", "table of contents", "references", "see also", "notes", "summary",
		"conclusion", "conclusions", "abstract", "external links", "further reading", "bibliography", "navigation",
		"menu", "search", "about", "home", "comments", "related", "related posts", "share this", "description",
		"name", "synopsis", "examples", "example", "background", "sources", "footnotes", "appendix", "index",
		"목차", "개요", "참고", "같이 보기", "外部リンク", "脚注", "目次", "概要", "参考文献", "目录", "参见", "参考资料", "外部链接":
		return true
	}
	return false
}

// cleanHeading drops numbering and markup.
func cleanHeading(h string) string {
	h = strings.TrimLeftFunc(cleanQuote(h), func(r rune) bool {
		return unicode.IsDigit(r) || r == '.' || r == ')' || r == '§' || unicode.IsSpace(r)
	})
	return strings.TrimSpace(strings.TrimRight(h, "¶#: "))
}

func dot(a, b []float32) float64 {
	var sum float32
	for i := range min(len(a), len(b)) {
		sum += a[i] * b[i]
	}
	return float64(sum)
}
