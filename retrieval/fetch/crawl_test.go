package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// linkSite serves pages whose text is a list of links, as textParser reads it.
func linkSite(t *testing.T, pages map[string][]string) *site {
	t.Helper()
	var s *site
	s = newSite(t, func(w http.ResponseWriter, r *http.Request) {
		links, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, "page-%s\n", r.URL.Path)
		for _, l := range links {
			if strings.HasPrefix(l, "/") {
				l = s.URL + l
			}
			fmt.Fprintln(w, l)
		}
	})
	return s
}

func TestCrawl(t *testing.T) {
	t.Parallel()
	s := linkSite(t, map[string][]string{
		"/docs/":  {"/other", "/docs/a", "/docs/b", "/docs/pic.png", "/docs/gone", "https://elsewhere.example/x", "/docs/#top"},
		"/docs/a": {"/docs/c", "/docs/", "/docs/b"},
		"/docs/b": {"/docs/a"},
		"/docs/c": {"/docs/d"},
		"/docs/d": {},
		"/other":  {},
	})
	f, _ := fetcherFor(t, Config{}, s)
	tests := []struct {
		depth, limit int
		want         string
		discarded    int
	}{
		{0, 10, "/docs/", 0},
		{1, 10, "/docs/ /docs/a /docs/b /other", 1},
		{2, 10, "/docs/ /docs/a /docs/b /other /docs/c", 1},
		{2, 3, "/docs/ /docs/a /docs/b", 0},
		{3, 10, "/docs/ /docs/a /docs/b /other /docs/c /docs/d", 1},
		{1, 0, "", 0},
	}
	for _, tt := range tests {
		docs, no, err := f.Crawl(t.Context(), s.URL+"/docs/", tt.depth, tt.limit)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range docs {
			got = append(got, strings.TrimPrefix(d.URL, s.URL))
		}
		if strings.Join(got, " ") != tt.want || len(no) != tt.discarded {
			t.Errorf("depth %d, limit %d: %v and %d discarded, want %s and %d", tt.depth, tt.limit, got, len(no), tt.want, tt.discarded)
		}
	}
	if s.count("/docs/pic.png") != 0 {
		t.Error("a picture was asked for")
	}
}

func TestCrawlStartRefused(t *testing.T) {
	t.Parallel()
	f := newFetcher(t, Config{})
	docs, no, err := f.Crawl(t.Context(), "http://127.0.0.1/", 2, 5)
	if err != nil || len(docs) != 0 || len(no) != 1 || no[0].Code != CodePrivate {
		t.Errorf("%v %v %v", docs, no, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := f.Crawl(ctx, "http://127.0.0.1/", 2, 5); !errors.Is(err, context.Canceled) {
		t.Errorf("err %v", err)
	}
}
