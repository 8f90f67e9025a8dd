package websearch

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/time/rate"

	"github.com/progrouter/progrouter/research"
)

// Wikipedia searches the edition of the question's language through the
// MediaWiki API, which needs no key.
type Wikipedia struct {
	client Doer
	agent  string
	pace   *rate.Limiter
	// endpoint makes the API's address for an edition.
	endpoint func(lang string) *url.URL
}

var _ Provider = (*Wikipedia)(nil)

// NewWikipedia makes the provider; agent must name the program.
func NewWikipedia(agent string, client Doer) *Wikipedia {
	return &Wikipedia{client: client, agent: agent, pace: newPace(), endpoint: func(lang string) *url.URL {
		return &url.URL{Scheme: "https", Host: edition(lang) + ".wikipedia.org", Path: "/w/api.php"}
	}}
}

// Name is "Wikipedia".
func (w *Wikipedia) Name() string { return "Wikipedia" }

type wikiAnswer struct {
	Query struct {
		Search []struct {
			Title   string `json:"title"`
			Snippet string `json:"snippet"`
		} `json:"search"`
	} `json:"query"`
	Error *struct {
		Code string `json:"code"`
	} `json:"error"`
}

// Search asks the full-text search (action=query&list=search).
func (w *Wikipedia) Search(ctx context.Context, query, lang string, limit int) ([]research.Hit, error) {
	query = opening(query)
	if query == "" || limit < 1 {
		return nil, nil
	}
	u := w.endpoint(lang)
	u.RawQuery = url.Values{
		"action": {"query"}, "list": {"search"}, "format": {"json"}, "formatversion": {"2"}, "utf8": {"1"},
		"srsearch": {query}, "srlimit": {strconv.Itoa(min(limit, 50))}, "srprop": {"snippet"}, "srinfo": {""}, "maxlag": {"5"},
	}.Encode()
	var a wikiAnswer
	if err := getJSON(ctx, w.client, w.pace, w.Name(), w.agent, u, &a); err != nil {
		return nil, err
	}
	if a.Error != nil {
		key := KeySearchDown
		if a.Error.Code == "ratelimited" || a.Error.Code == "maxlag" {
			key = KeySearchLimit
		}
		return nil, research.Errorf(research.EUnavailable, key, "Wikipedia did not search (%s). Try again later.", clean(a.Error.Code))
	}
	hits := make([]research.Hit, 0, len(a.Query.Search))
	for i, r := range a.Query.Search {
		page := url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/wiki/" + strings.ReplaceAll(r.Title, " ", "_")}
		hits = append(hits, research.Hit{
			URL: page.String(), Title: clean(r.Title), Snippet: clean(r.Snippet), Provider: w.Name(), Score: 1 / float64(i+1),
		})
	}
	return hits, nil
}

// edition is the subdomain for a language; unknown tags fall back to English.
func edition(lang string) string {
	lang, _, _ = strings.Cut(strings.ToLower(lang), "-")
	if len(lang) < 2 || len(lang) > 3 || strings.ContainsFunc(lang, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return "en"
	}
	return lang
}

// opening keeps a query within what the API takes (300 bytes).
func opening(q string) string {
	q = strings.Join(strings.Fields(q), " ")
	const most = 290
	if len(q) <= most {
		return q
	}
	cut := 0
	for i := range q {
		if i > most {
			break
		}
		cut = i
	}
	return strings.TrimSpace(q[:cut])
}
