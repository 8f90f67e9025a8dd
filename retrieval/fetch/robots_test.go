package fetch

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"
)

func TestRobots(t *testing.T) {
	t.Parallel()
	const rules = "User-agent: *\nDisallow: /private\nAllow: /private/open\n\nUser-agent: ProgRouter\nDisallow: /ours\nCrawl-delay: 60\n"
	tests := []struct {
		name   string
		status int
		body   string
		path   string
		code   string
	}{
		{"missing", 404, "", "/a", ""},
		{"forbidden counts as missing", 403, "", "/a", ""},
		{"server error refuses", 500, "", "/a", CodeRobotsDown},
		{"too many requests refuses", 429, "", "/a", CodeRobotsDown},
		{"our own group", 200, rules, "/ours/x", CodeRobots},
		{"our group replaces the general one", 200, rules, "/private/x", ""},
		{"general group", 200, "User-agent: *\nDisallow: /private\n", "/private/x", CodeRobots},
		{"query", 200, "User-agent: *\nDisallow: /*?print\n", "/a?print=1", CodeRobots},
		{"another's group", 200, "User-agent: Other\nDisallow: /\n", "/a", ""},
		{"everything", 200, "User-agent: *\nDisallow: /\n", "/a", CodeRobots},
		{"empty", 200, "", "/a", ""},
		{"a page instead", 200, "<html><body>Not found</body></html>", "/a", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					w.WriteHeader(tt.status)
					fmt.Fprint(w, tt.body)
					return
				}
				fmt.Fprint(w, "words")
			})
			f, _ := fetcherFor(t, Config{}, s)
			for range 2 {
				_, no, err := f.Fetch(t.Context(), s.URL+tt.path)
				if tt.code != "" {
					wantCode(t, no, err, tt.code)
				} else if err != nil || no != nil {
					t.Fatal(no, err)
				}
			}
			if n := s.count("/robots.txt"); n != 1 {
				t.Errorf("robots.txt was fetched %d times", n)
			}
		})
	}
}

func TestRobotsRedirect(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			http.Redirect(w, r, "/rules", http.StatusMovedPermanently)
		case "/rules":
			fmt.Fprint(w, "User-agent: *\nDisallow: /a\n")
		default:
			fmt.Fprint(w, "words")
		}
	})
	f, _ := fetcherFor(t, Config{}, s)
	_, no, err := f.Fetch(t.Context(), s.URL+"/a")
	wantCode(t, no, err, CodeRobots)
}

func TestMannersKeepApart(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	var waits []time.Duration
	m := &manners{
		gap: 500 * time.Millisecond, perHost: 2, now: func() time.Time { return now }, hosts: map[string]*hostState{},
		wait: func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil },
	}
	enter := func(host string, polite bool, gap time.Duration) {
		t.Helper()
		leave, err := m.enter(t.Context(), host, polite, gap)
		if err != nil {
			t.Fatal(err)
		}
		leave()
	}
	enter("a", true, 0)
	enter("a", true, 2*time.Second) // the site's crawl delay
	enter("a", true, 0)
	enter("b", true, 0)
	enter("c", false, 0)
	m.push("b", 10*time.Second)
	enter("b", true, 0)
	want := []time.Duration{0, 500 * time.Millisecond, 2500 * time.Millisecond, 0, 10 * time.Second}
	if fmt.Sprint(waits) != fmt.Sprint(want) {
		t.Errorf("waits %v, want %v", waits, want)
	}
}

func TestMannersForgetIdleHosts(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	m := &manners{perHost: 1, now: func() time.Time { return now }, wait: pause, hosts: map[string]*hostState{}}
	for i := range 3 * hostsMax {
		leave, err := m.enter(t.Context(), fmt.Sprint(i), false, 0)
		if err != nil {
			t.Fatal(err)
		}
		leave()
	}
	if len(m.hosts) > hostsMax {
		t.Errorf("%d hosts are remembered", len(m.hosts))
	}
}

func TestMannersEndWithContext(t *testing.T) {
	t.Parallel()
	m := &manners{gap: time.Hour, perHost: 1, now: time.Now, wait: pause, hosts: map[string]*hostState{}}
	leave, err := m.enter(t.Context(), "a", true, 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := m.enter(ctx, "a", true, 0); err == nil {
		t.Error("a second request entered a full host")
	}
	leave()
	ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := m.enter(ctx, "a", true, 0); err == nil {
		t.Error("a wait beyond the deadline was begun")
	}
	if h := m.hosts["a"]; h.users != 0 || len(h.slots) != 0 {
		t.Errorf("left behind: %d users, %d slots", h.users, len(h.slots))
	}
}
