package websearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/progrouter/progrouter/research"
)

// failing is a client whose requests all end in err.
type failing struct{ err error }

func (f failing) Do(r *http.Request) (*http.Response, error) {
	return nil, &url.Error{Op: "Get", URL: r.URL.String(), Err: f.err}
}

type blocked struct{}

func (blocked) Error() string   { return "blocked" }
func (blocked) Blocked() string { return "10.0.0.1:8080" }

func wikiAt(t *testing.T, handler http.HandlerFunc) (*Wikipedia, *httptest.Server) {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	w := NewWikipedia("ProgRouter/test", s.Client())
	w.endpoint = func(lang string) *url.URL {
		u, err := url.Parse(s.URL + "/" + edition(lang) + "/w/api.php")
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	return w, s
}

func TestWikipediaSearch(t *testing.T) {
	t.Parallel()
	var asked *http.Request
	w, s := wikiAt(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.Clone(context.Background())
		fmt.Fprint(w, `{"batchcomplete":true,"query":{"search":[
			{"ns":0,"title":"Han River (Korea)","snippet":"The <span class=\"searchmatch\">Han</span> River is &quot;long&quot;\n &amp; wide"},
			{"ns":0,"title":"C++?","snippet":"a &lt; b"}]}}`)
	})
	hits, err := w.Search(t.Context(), "  han \n river ", "ko-KR", 7)
	if err != nil {
		t.Fatal(err)
	}
	want := []research.Hit{
		{URL: s.URL + "/wiki/Han_River_%28Korea%29", Title: "Han River (Korea)", Snippet: `The Han River is "long" & wide`, Provider: "Wikipedia", Score: 1},
		{URL: s.URL + "/wiki/C++%3F", Title: "C++?", Snippet: "a < b", Provider: "Wikipedia", Score: 0.5},
	}
	if fmt.Sprint(hits) != fmt.Sprint(want) {
		t.Errorf("hits %+v\nwant %+v", hits, want)
	}
	q := asked.URL.Query()
	if asked.URL.Path != "/ko/w/api.php" || q.Get("srsearch") != "han river" || q.Get("srlimit") != "7" || q.Get("list") != "search" || q.Get("action") != "query" {
		t.Errorf("asked %s", asked.URL)
	}
	if asked.Header.Get("User-Agent") != "ProgRouter/test" {
		t.Errorf("user agent %q", asked.Header.Get("User-Agent"))
	}
}

func TestWikipediaEndpoint(t *testing.T) {
	t.Parallel()
	w := NewWikipedia("", nil)
	for lang, host := range map[string]string{"en": "en.wikipedia.org", "KO": "ko.wikipedia.org", "zh-Hant": "zh.wikipedia.org", "": "en.wikipedia.org", "x/../y": "en.wikipedia.org", "evil.example": "en.wikipedia.org"} {
		if got := w.endpoint(lang).Host; got != host {
			t.Errorf("%q: %s, want %s", lang, got, host)
		}
	}
}

func TestNothingToSearch(t *testing.T) {
	t.Parallel()
	w := NewWikipedia("", failing{errors.New("must not be asked")})
	s, err := NewSearXNG("http://searx.example", "", failing{errors.New("must not be asked")})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Provider{w, s} {
		for _, q := range []struct {
			query string
			limit int
		}{{" ", 5}, {"words", 0}} {
			if hits, err := p.Search(t.Context(), q.query, "en", q.limit); len(hits) != 0 || err != nil {
				t.Errorf("%s %q: %v %v", p.Name(), q.query, hits, err)
			}
		}
	}
}

func TestSearXNGSearch(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.URL.Path != "/sub/search" || q.Get("format") != "json" || q.Get("q") != "han river" || q.Get("language") != "ko" {
			t.Errorf("asked %s", r.URL)
		}
		type result = map[string]any
		var results []result
		switch q.Get("pageno") {
		case "1":
			results = []result{
				{"url": "https://a.example/", "title": "A", "content": "first <b>hit</b>", "score": 9},
				{"url": "ftp://b.example/", "title": "B"},
				{"url": "javascript:alert(1)", "title": "X"},
				{"url": "https://a.example/", "title": "A again"},
			}
		case "2":
			results = []result{{"url": "https://c.example/", "title": "C"}, {"url": "https://d.example/", "title": "D"}, {"url": "https://e.example/", "title": "E"}}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"results": results})
	}))
	t.Cleanup(s.Close)
	p, err := NewSearXNG(s.URL+"/sub/", "agent", s.Client())
	if err != nil {
		t.Fatal(err)
	}
	hits, err := p.Search(t.Context(), "han river", "ko", 3)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range hits {
		got = append(got, h.URL)
	}
	if strings.Join(got, " ") != "https://a.example/ https://c.example/ https://d.example/" || hits[0].Snippet != "first hit" || hits[0].Score <= hits[1].Score {
		t.Errorf("hits %+v", hits)
	}
}

func TestSearXNGKeepsFirstPage(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("pageno") != "1" {
			http.Error(w, "no", http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, `{"results":[{"url":"https://a.example/","title":"A"}]}`)
	}))
	t.Cleanup(s.Close)
	p, _ := NewSearXNG(s.URL, "", s.Client())
	if hits, err := p.Search(t.Context(), "q", "", 5); err != nil || len(hits) != 1 {
		t.Errorf("%v %v", hits, err)
	}
}

func TestNewRefusesBadSearXNG(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"searx.local", "ftp://searx.local", "http://", "http://u:p@searx.local", "://"} {
		_, err := New(Config{SearXNG: base}, http.DefaultClient)
		if research.CodeOf(err) != research.EInvalid {
			t.Errorf("%q: %v", base, err)
		}
	}
	both, err := New(Config{SearXNG: "https://searx.example/search", Wikipedia: true}, http.DefaultClient)
	if err != nil || len(both) != 2 || both[0].Name() != "SearXNG" || both[1].Name() != "Wikipedia" {
		t.Errorf("%v %v", both, err)
	}
	if none, err := New(Config{}, nil); err != nil || len(none) != 0 {
		t.Errorf("%v %v", none, err)
	}
}

func TestFailuresAreClassified(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		wiki string
		own  string // SearXNG
	}{
		{"no such name", &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}, KeyNoNetwork, KeySearchDown},
		{"resolver fails", &net.DNSError{Err: "server misbehaving", Name: "x", IsTemporary: true}, KeyNoNetwork, KeyNoNetwork},
		{"no route", syscall.ENETUNREACH, KeyNoNetwork, KeyNoNetwork},
		{"timeout", context.DeadlineExceeded, KeyNoNetwork, KeyNoNetwork},
		{"refused", syscall.ECONNREFUSED, KeySearchDown, KeySearchDown},
		{"guard", blocked{}, KeySearchDenied, KeySearchDenied},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := NewSearXNG("http://searx.example", "", failing{tt.err})
			if err != nil {
				t.Fatal(err)
			}
			for p, key := range map[Provider]string{NewWikipedia("", failing{tt.err}): tt.wiki, s: tt.own} {
				_, err := p.Search(t.Context(), "q", "en", 3)
				var e *research.Error
				if !errors.As(err, &e) || e.Code != research.EUnavailable || e.Key != key || strings.Count(e.Message, ". ") < 1 {
					t.Errorf("%s: %v, want %s", p.Name(), err, key)
				}
			}
		})
	}
}

func TestAnswersAreClassified(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		status int
		body   string
		key    string
	}{
		{"too many", 429, "", KeySearchLimit},
		{"forbidden", 403, "", KeySearchSetup},
		{"fault", 502, "", KeySearchDown},
		{"not found", 404, "", KeySearchSetup},
		{"no json", 200, "<html>", KeySearchSetup},
		{"api error", 200, `{"error":{"code":"internal_api_error"}}`, KeySearchDown},
		{"lag", 200, `{"error":{"code":"maxlag"}}`, KeySearchLimit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, _ := wikiAt(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.body)
			})
			_, err := w.Search(t.Context(), "q", "en", 3)
			var e *research.Error
			if !errors.As(err, &e) || e.Key != tt.key {
				t.Errorf("%v, want %s", err, tt.key)
			}
		})
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"results":[],"unresponsive_engines":[["engine","timeout"]]}`)
	}))
	t.Cleanup(s.Close)
	p, _ := NewSearXNG(s.URL, "", s.Client())
	var e *research.Error
	if _, err := p.Search(t.Context(), "q", "", 3); !errors.As(err, &e) || e.Key != KeySearchDown {
		t.Errorf("unresponsive: %v", err)
	}
}

func TestSearchEndsWithContext(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	w, _ := wikiAt(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(release) })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := w.Search(ctx, "q", "en", 3); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err %v", err)
	}
}

func TestOpening(t *testing.T) {
	t.Parallel()
	if got := opening(strings.Repeat("강", 200)); len(got) > 290 || !strings.HasPrefix(got, "강강") || strings.ContainsRune(got, '\ufffd') {
		t.Errorf("%d bytes", len(got))
	}
}

func TestPaceEndsWithContext(t *testing.T) {
	t.Parallel()
	pace := rate.NewLimiter(rate.Every(time.Hour), 1)
	if err := inTurn(t.Context(), pace); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := inTurn(ctx, pace); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a turn that comes too late: %v", err)
	}
	cancel()
	if err := inTurn(ctx, pace); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
