package websearch

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/time/rate"

	"github.com/progrouter/progrouter/research"
)

// SearXNG asks an instance of that metasearch engine.
type SearXNG struct {
	client Doer
	agent  string
	pace   *rate.Limiter
	base   *url.URL
}

var _ Provider = (*SearXNG)(nil)

// NewSearXNG makes the provider for the instance at base, such as
// http://searx.local:8080.
func NewSearXNG(base, agent string, client Doer) (*SearXNG, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return nil, research.Errorf(research.EInvalid, "searxng_url",
			"%q is not the address of a SearXNG instance. Write it such as http://searx.local:8080.", base).With(map[string]any{"URL": base})
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/search") + "/search"
	u.RawQuery, u.Fragment = "", ""
	return &SearXNG{client: client, agent: agent, pace: newPace(), base: u}, nil
}

// Name is "SearXNG".
func (s *SearXNG) Name() string { return "SearXNG" }

type searxAnswer struct {
	Results []struct {
		URL     string `json:"url"`
		Title   string `json:"title"`
		Content string `json:"content"`
	} `json:"results"`
	Unresponsive [][]any `json:"unresponsive_engines"`
}

// pagesMax is how many result pages are asked for at most: an instance returns
// about ten results a page.
const pagesMax = 3

// Search asks page by page until limit hits are found.
func (s *SearXNG) Search(ctx context.Context, query, lang string, limit int) ([]research.Hit, error) {
	query = strings.Join(strings.Fields(query), " ")
	if query == "" || limit < 1 {
		return nil, nil
	}
	var hits []research.Hit
	seen := map[string]bool{}
	for page := 1; page <= pagesMax && len(hits) < limit; page++ {
		a, err := s.page(ctx, query, lang, page)
		if err != nil {
			if page > 1 && ctx.Err() == nil {
				break // the first page's hits are worth keeping
			}
			return nil, err
		}
		if page == 1 && len(a.Results) == 0 && len(a.Unresponsive) > 0 {
			return nil, research.Errorf(research.EUnavailable, KeySearchDown, "None of the engines behind SearXNG answered. Check the instance's engines.")
		}
		before := len(hits)
		hits = s.collect(hits, a, seen, limit)
		if len(hits) == before {
			break
		}
	}
	return hits, nil
}

func (s *SearXNG) page(ctx context.Context, query, lang string, page int) (searxAnswer, error) {
	u := *s.base
	if lang == "" {
		lang = "all"
	}
	u.RawQuery = url.Values{
		"q": {query}, "format": {"json"}, "language": {lang}, "pageno": {strconv.Itoa(page)}, "safesearch": {"0"},
	}.Encode()
	var a searxAnswer
	err := getJSON(ctx, s.client, s.pace, s.Name(), s.agent, &u, &a)
	return a, err
}

func (s *SearXNG) collect(hits []research.Hit, a searxAnswer, seen map[string]bool, limit int) []research.Hit {
	for _, r := range a.Results {
		u, err := url.Parse(r.URL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || seen[r.URL] || len(hits) >= limit {
			continue
		}
		seen[r.URL] = true
		hits = append(hits, research.Hit{URL: r.URL, Title: clean(r.Title), Snippet: clean(r.Content), Provider: s.Name(), Score: 1 / float64(len(hits)+1)})
	}
	return hits
}
