// Package retrieval puts one door in front of everything a run can read: the
// library, given addresses and the web. Its subpackages fetch, extract, index
// and rank. It must not know how a run is orchestrated, models or pages.
package retrieval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
)

// Library finds and hands out stored documents.
type Library interface {
	Hits(ctx context.Context, query, lang string, collections []string, limit int) ([]research.Hit, error)
	Document(ctx context.Context, url string) (research.Document, error)
}

// Fetcher reads a page from the network.
type Fetcher interface {
	Fetch(ctx context.Context, url string) (research.Document, *research.Discarded, error)
}

// Provider searches the web.
type Provider interface {
	Name() string
	Search(ctx context.Context, query, lang string, limit int) ([]research.Hit, error)
}

// Finder searches what a request allows and opens what was found.
type Finder struct {
	library   Library
	fetcher   Fetcher
	providers []Provider
	sameSite  func(a, b string) bool
}

// NewFinder returns a Finder. sameSite tells whether a link may be followed
// from a given page.
func NewFinder(l Library, f Fetcher, providers []Provider, sameSite func(a, b string) bool) *Finder {
	return &Finder{library: l, fetcher: f, providers: providers, sameSite: sameSite}
}

// found collects what one search brings.
type found struct {
	hits      []research.Hit
	queries   []research.Query
	notices   []research.Note
	discarded []research.Discarded
}

// Search asks every place the request allows. A place that is down is noted and
// passed over; the error is only the context's, the energy account's, or a fault
// of our own store.
func (f *Finder) Search(ctx context.Context, req research.Request, query string, limit int) (
	[]research.Hit, []research.Query, []research.Note, []research.Discarded, error,
) {
	ctx = energy.WithPart(ctx, energy.PartRetrieval)
	var out found
	if len(req.URLs) > 0 {
		if err := f.addresses(ctx, req, query, &out); err != nil {
			return nil, nil, nil, nil, err
		}
	}
	if req.Library {
		hits, err := f.library.Hits(ctx, query, req.Language, req.Collections, limit)
		if err != nil {
			return nil, nil, nil, nil, fmt.Errorf("search library: %w", err)
		}
		out.add("library", query, hits, nil)
	}
	if req.Web {
		if err := f.web(ctx, req, query, limit, &out); err != nil {
			return nil, nil, nil, nil, err
		}
	}
	return out.hits, out.queries, out.notices, out.discarded, nil
}

func (o *found) add(provider, query string, hits []research.Hit, err error) {
	q := research.Query{Text: query, Provider: provider, Results: len(hits)}
	if err != nil {
		q.Error, q.ErrorCode = research.SafeMessage(err), errorCode(err)
	}
	o.queries = append(o.queries, q)
	for _, h := range hits {
		h.Provider = provider
		o.hits = append(o.hits, h)
	}
}

// Codes of notices, beside the keys that providers give their errors.
const (
	noticeUnset  = "search_unset"
	noticeFailed = "search_failed"
)

// NoteCodes lists the codes of the notices and query errors of a search that are
// not keys of the provider's errors, for catalogues.
func NoteCodes() []string { return []string{noticeUnset, noticeFailed} }

// errorCode is the key of a provider's error, by which pages translate it.
func errorCode(err error) string {
	var known *research.Error
	if errors.As(err, &known) && known.Code == research.EUnavailable && known.Key != "" {
		return known.Key
	}
	return noticeFailed
}

// web asks every provider at once. Having no network is said once per run, as a
// notice; the caller keeps one copy.
func (f *Finder) web(ctx context.Context, req research.Request, query string, limit int, out *found) error {
	if len(f.providers) == 0 {
		out.notices = append(out.notices, research.Note{
			Code: noticeUnset, Text: "No web search is configured; set PROGROUTER_SEARXNG_URL or allow Wikipedia.",
		})
		return nil
	}
	type answer struct {
		hits []research.Hit
		err  error
	}
	answers := make([]answer, len(f.providers))
	var wg sync.WaitGroup
	for i, p := range f.providers {
		wg.Go(func() {
			answers[i].hits, answers[i].err = p.Search(ctx, query, req.Language, limit)
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, p := range f.providers {
		a := answers[i]
		if errors.Is(a.err, energy.ErrExhausted) {
			return a.err
		}
		out.add(p.Name(), query, a.hits, a.err)
		if a.err != nil {
			out.notices = append(out.notices, research.Note{
				Code: errorCode(a.err), Args: map[string]any{"Provider": p.Name()},
				Text: "Web search by " + p.Name() + " failed: " + strings.TrimPrefix(research.SafeMessage(a.err), "The web cannot be searched: "),
			})
		}
	}
	return nil
}

// addresses proposes the given pages, and the pages they link to on the same
// site when the user asked to follow links. The pages are fetched here only to
// read their links; the fetcher's cache keeps them for Open.
func (f *Finder) addresses(ctx context.Context, req research.Request, query string, out *found) error {
	seen := map[string]bool{}
	level := req.URLs
	share := shareOf(ctx)
	var hits []research.Hit
	for depth := 0; len(level) > 0 && len(hits) < maxFollowed; depth++ {
		var next []string
		for _, u := range level {
			if seen[bare(u)] || len(hits) >= maxFollowed {
				continue
			}
			seen[bare(u)] = true
			h := research.Hit{URL: u, Score: 1 / float64(1+depth)}
			if depth < req.Follow && !share.over() {
				links, title, err := f.links(ctx, u, share.page, out)
				if err != nil {
					return err
				}
				h.Title = title
				next = append(next, links...)
			}
			hits = append(hits, h)
		}
		level = next
	}
	orderByWords(hits, len(req.URLs), query)
	out.add("urls", query, hits, nil)
	return nil
}

// share bounds how long following links takes, so that a slow page does not end
// a search.
type share struct {
	page time.Duration // one page at most
	end  time.Time     // no page is asked for links after it
}

// shareOf gives links half of the remaining time, and one page a quarter.
func shareOf(ctx context.Context) share {
	until, ok := ctx.Deadline()
	if !ok {
		return share{page: time.Minute, end: time.Now().Add(time.Hour)}
	}
	left := time.Until(until)
	return share{page: left / 4, end: time.Now().Add(left / 2)}
}

func (s share) over() bool { return time.Now().After(s.end) }

// maxFollowed bounds how many pages following links may propose.
const maxFollowed = 200

// links reads the links of a page. One that takes too long has none and is
// discarded; the rest of the search goes on.
func (f *Finder) links(ctx context.Context, u string, most time.Duration, out *found) ([]string, string, error) {
	page, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	doc, no, err := f.fetcher.Fetch(page, u)
	if err != nil && page.Err() != nil && ctx.Err() == nil {
		out.discarded = append(out.discarded, research.Discarded{URL: u, Code: "timeout", Reason: fmt.Sprintf(
			"The page did not arrive within %.0f seconds. Try again later, or save the page and add it to the library.", max(1, most.Seconds()))})
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("fetch %s: %w", u, err)
	}
	if no != nil {
		return nil, "", nil // Open meets the same refusal and records it
	}
	var links []string
	for _, l := range doc.Links {
		if f.sameSite(u, l) {
			links = append(links, l)
		}
	}
	return links, doc.Title, nil
}

// bare is the address without its fragment: the same page.
func bare(u string) string {
	base, _, _ := strings.Cut(u, "#")
	return base
}

// orderByWords lifts followed pages whose address or title names words of the
// query; the given pages stay in front.
func orderByWords(hits []research.Hit, given int, query string) {
	words := strings.Fields(strings.ToLower(query))
	for i := range hits {
		if i < given {
			continue
		}
		text := strings.ToLower(hits[i].URL + " " + hits[i].Title)
		n := 0
		for _, w := range words {
			if len(w) > 3 && strings.Contains(text, w) {
				n++
			}
		}
		hits[i].Score *= 0.5 + 0.5*float64(n)/float64(max(1, len(words)))
	}
}

// Open hands out the document behind a hit. What cannot be used comes back as
// discarded with its reason.
func (f *Finder) Open(ctx context.Context, h research.Hit) (research.Document, *research.Discarded, error) {
	ctx = energy.WithPart(ctx, energy.PartRetrieval)
	if h.Provider != "library" {
		return f.fetcher.Fetch(ctx, h.URL)
	}
	doc, err := f.library.Document(ctx, h.URL)
	if research.CodeOf(err) == research.ENotFound {
		return doc, &research.Discarded{URL: h.URL, Code: "removed", Reason: "The document was removed from the library."}, nil
	}
	if err != nil {
		return doc, nil, fmt.Errorf("open %s: %w", h.URL, err)
	}
	return doc, nil, nil
}
