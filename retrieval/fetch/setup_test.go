package fetch

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

// textParser takes every answer as text, so that these tests do not depend on
// extraction.
type textParser struct{}

func (textParser) Parse(_ context.Context, name, mediaType string, data []byte, base string) (research.Document, *research.Discarded, error) {
	text := string(data)
	return research.Document{URL: base, Title: name, Text: text, MediaType: mediaType, Links: strings.Fields(text), SHA256: research.HashText(text)}, nil, nil
}

func newFetcher(t *testing.T, cfg Config) *Fetcher {
	t.Helper()
	if cfg.Timeout == 0 {
		cfg.Timeout = 10 * time.Second
	}
	f, err := New(cfg, textParser{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// site is a server that the fetcher may reach, with a record of its requests.
type site struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
}

func newSite(t *testing.T, handler http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.Clone(context.Background()))
		s.mu.Unlock()
		if r.URL.Path == "/robots.txt" && handler == nil {
			http.NotFound(w, r)
			return
		}
		handler(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) hostPort() string { return strings.TrimPrefix(s.URL, "http://") }

// count says how often path was asked for.
func (s *site) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.requests {
		if r.URL.Path == path {
			n++
		}
	}
	return n
}

// fetcherFor may reach the given sites; waits are recorded, not slept.
func fetcherFor(t *testing.T, cfg Config, sites ...*site) (*Fetcher, *[]time.Duration) {
	t.Helper()
	for _, s := range sites {
		cfg.AllowHosts = append(cfg.AllowHosts, s.hostPort())
	}
	f := newFetcher(t, cfg)
	var mu sync.Mutex
	waits := &[]time.Duration{}
	f.wait = func(ctx context.Context, d time.Duration) error {
		mu.Lock()
		*waits = append(*waits, d)
		mu.Unlock()
		if until, ok := ctx.Deadline(); ok && time.Until(until) < d {
			return pause(ctx, d)
		}
		return ctx.Err()
	}
	return f, waits
}

func wantCode(t *testing.T, no *research.Discarded, err error, code string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if no == nil || no.Code != code {
		t.Fatalf("discarded %+v, want %s", no, code)
	}
	if strings.Count(no.Reason, ". ") < 1 || !strings.HasSuffix(no.Reason, ".") || no.StepIndex != -1 {
		t.Errorf("the reason lacks a cause and a cure: %+v", no)
	}
}
