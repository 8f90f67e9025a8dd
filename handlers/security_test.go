package handlers

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestHostHeader(t *testing.T) {
	t.Parallel()
	tests := []struct {
		addr, host string
		extra      []string
		status     int
	}{
		{"127.0.0.1:8080", "127.0.0.1:8080", nil, 200},
		{"127.0.0.1:8080", "127.0.0.1", nil, 200},
		{"127.0.0.1:8080", "localhost:9999", nil, 200},
		{"127.0.0.1:8080", "LOCALHOST", nil, 200},
		{"127.0.0.1:8080", "localhost.", nil, 200},
		{"127.0.0.1:8080", "[::1]:8080", nil, 200},
		{"127.0.0.1:8080", "[::1]", nil, 200},
		{"[::1]:8080", "[::1]:8080", nil, 200},
		{"[::1]:8080", "127.0.0.1:8080", nil, 200},
		{"localhost:8080", "[::1]:8080", nil, 200},
		{"127.0.0.1:8080", "[::2]:8080", nil, 421},
		{"192.168.7.7:8080", "192.168.7.7:8080", nil, 200},
		{"0.0.0.0:8080", "127.0.0.1:8080", nil, 200},
		{"0.0.0.0:8080", "0.0.0.0:8080", nil, 421},
		{":8080", "10.9.8.7:8080", nil, 421},
		{"127.0.0.1:8080", "evil.example", nil, 421},
		{"127.0.0.1:8080", "localhost.evil.example:8080", nil, 421},
		{"127.0.0.1:8080", "127.0.0.1.nip.io", nil, 421},
		{"127.0.0.1:8080", "research.example", []string{"Research.Example"}, 200},
		{"127.0.0.1:8080", "research.example:443", []string{"research.example"}, 200},
		{"127.0.0.1:8080", "research.example:443", []string{"research.example:443"}, 200},
		{"127.0.0.1:8080", "research.example:80", []string{"research.example:443"}, 421},
		{"127.0.0.1:8080", "other.example", []string{"research.example", " "}, 421},
	}
	for _, tt := range tests {
		t.Run(tt.addr+" "+tt.host, func(t *testing.T) {
			t.Parallel()
			s := setup(t, func(c *Config, _ *Deps) { c.Addr, c.Hosts = tt.addr, tt.extra })
			a := s.get("/", "Host", tt.host)
			s.want(a, tt.status)
			if tt.status == 421 && (!strings.Contains(a.body, "PROGROUTER_HOSTS") || len(a.Cookies()) > 0) {
				t.Errorf("answer %q", a.body)
			}
			s.want(s.get("/api/v1/runs", "Host", tt.host), tt.status)
		})
	}
}

// With all addresses bound, the address a connection came in on is the bound one.
func TestHostHeaderOfTheConnection(t *testing.T) {
	t.Parallel()
	h := newHostCheck(":8080", nil)
	for host, want := range map[string]bool{"192.0.2.7:8080": true, "192.0.2.8:8080": false, "evil.example": false} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Host = host
		ctx := contextWithAddr(r, &net.TCPAddr{IP: net.ParseIP("192.0.2.7"), Port: 8080})
		if got := h.allows(ctx); got != want {
			t.Errorf("allows(%s) = %v", host, got)
		}
	}
}

func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	s := setup(t)
	own := s.http.URL
	tests := []struct {
		name   string
		header []string
		status int
	}{
		{"no browser", nil, 303},
		{"own form", []string{"Sec-Fetch-Site", "same-origin", "Origin", own}, 303},
		{"typed address", []string{"Sec-Fetch-Site", "none"}, 303},
		{"old browser, own", []string{"Origin", own}, 303},
		{"other site", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"other port", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"old browser, other site", []string{"Origin", "https://evil.example"}, 403},
		{"sandboxed frame", []string{"Origin", "null"}, 403},
	}
	for _, tt := range tests {
		before := len(s.store.runs)
		s.want(s.post("/runs", goodForm(), tt.header...), tt.status)
		if stored := len(s.store.runs) > before; stored != (tt.status == 303) {
			t.Errorf("%s: stored %v", tt.name, stored)
		}
	}
	s.want(s.get("/", "Sec-Fetch-Site", "cross-site"), 200)
	s.want(s.json("POST", "/api/v1/runs", `{"question":"What is it?"}`, "Sec-Fetch-Site", "cross-site"), 403)
	s.want(s.json("DELETE", "/api/v1/runs/run1", "", "Origin", "https://evil.example"), 403)
}

func TestLogin(t *testing.T) {
	t.Parallel()
	s := setup(t, withPassword)
	s.store.add(finished("r1"))
	for _, path := range []string{"/", "/runs", "/runs/r1?x=1", "/runs/r1/export?format=md", "/settings", "/library"} {
		a := s.get(path)
		s.want(a, 303)
		if to := a.Header.Get("Location"); !strings.HasPrefix(to, "/login") {
			t.Errorf("%s leads to %s", path, to)
		}
	}
	s.want(s.post("/runs", goodForm()), 303)
	if len(s.store.runs) != 1 {
		t.Fatal("a stranger stored a run")
	}
	s.want(s.get("/api/v1/runs"), 401)
	s.want(s.get("/runs/r1/events"), 401)
	s.want(s.get("/healthz"), 200)
	if a := s.get("/runs", "HX-Request", "true"); a.StatusCode != 401 || a.Header.Get("HX-Redirect") != "/login" {
		t.Errorf("htmx gets %d %v", a.StatusCode, a.Header)
	}
	page := s.get("/login?next=/runs/r1")
	s.want(page, 200)
	if got := s.doc(page).Find(`form[action="/login"] input[name=next]`).AttrOr("value", ""); got != "/runs/r1" {
		t.Errorf("next is %q", got)
	}
	if s.doc(page).Find(`a[href="/runs"]`).Length() > 0 {
		t.Error("the login page shows the navigation")
	}
	wrong := s.post("/login", url.Values{"password": {"guess"}})
	s.want(wrong, 401)
	if !strings.Contains(wrong.body, "The password is wrong") || s.cookie[cookieSession] != "" {
		t.Error("a wrong password is not refused in words")
	}
	right := s.post("/login", url.Values{"password": {"correct horse"}, "next": {"/runs/r1"}})
	s.want(right, 303)
	if got := right.Header.Get("Location"); got != "/runs/r1" {
		t.Errorf("leads to %s", got)
	}
	c := right.Cookies()[0]
	if c.Name != cookieSession || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Secure || c.Path != "/" {
		t.Errorf("cookie %+v", c)
	}
	s.want(s.get("/runs/r1"), 200)
	s.want(s.get("/api/v1/runs"), 200)
	s.want(s.post("/logout", nil), 303)
	s.want(s.get("/runs/r1"), 303)
	a := s.post("/login", url.Values{"password": {"correct horse"}}, "X-Forwarded-Proto", "https")
	if !a.Cookies()[0].Secure {
		t.Error("the cookie of a TLS site is not Secure")
	}
}

func TestBearer(t *testing.T) {
	t.Parallel()
	s := setup(t, withPassword)
	s.want(s.get("/api/v1/runs", "Authorization", "Bearer correct horse"), 200)
	s.want(s.get("/api/v1/runs", "Authorization", "bearer correct horse"), 200)
	s.want(s.get("/api/v1/runs", "Authorization", "Basic Y29ycmVjdCBob3JzZQ=="), 401)
	a := s.get("/api/v1/runs", "Authorization", "Bearer wrong")
	s.want(a, 401)
	if a.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("type %s", a.Header.Get("Content-Type"))
	}
}

func TestWrongPasswordsAreSlowedDown(t *testing.T) {
	t.Parallel()
	now := noon()
	s := setup(t, withPassword, func(c *Config, _ *Deps) { c.Now = func() time.Time { return now } })
	for range attemptBurst {
		s.want(s.post("/login", url.Values{"password": {"guess"}}), 401)
	}
	for range checkBurst {
		a := s.post("/login", url.Values{"password": {"guess"}})
		s.want(a, 429)
		if wait, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || wait < 1 || wait > 10 {
			t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
		}
	}
	// Guessing without end does not find the password sooner.
	s.want(s.get("/api/v1/runs", "Authorization", "Bearer correct horse"), 429)
	now = now.Add(checkPause)
	s.want(s.get("/api/v1/runs", "Authorization", "Bearer guess"), 429)
	s.want(s.get("/api/v1/runs", "Authorization", "Bearer correct horse"), 429)
	now = now.Add(checkPause)
	s.want(s.post("/login", url.Values{"password": {"correct horse"}}), 303)
}

// Wrong passwords from an address do not lock out who knows the right one there.
func TestWrongPasswordsDoNotLockOutTheOwner(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(s *site) (answer, int){
		"token": func(s *site) (answer, int) {
			return s.get("/api/v1/runs", "Authorization", "Bearer correct horse"), 200
		},
		"login": func(s *site) (answer, int) {
			return s.post("/login", url.Values{"password": {"correct horse"}}), 303
		},
	} {
		for _, guesses := range []int{1, attemptBurst, attemptBurst + 1, attemptBurst + checkBurst - 1} {
			s := setup(t, withPassword, func(c *Config, _ *Deps) { c.Now = noon })
			for range guesses {
				s.post("/login", url.Values{"password": {"guess"}})
			}
			a, want := ask(s)
			if a.StatusCode != want {
				t.Errorf("%s after %d guesses: %d", name, guesses, a.StatusCode)
			}
			s.want(s.post("/login", url.Values{"password": {"guess"}}), 401) // counted anew
		}
	}
}

func TestAttemptsAreForgotten(t *testing.T) {
	t.Parallel()
	a, now := newAttempts(), noon()
	for i := range attemptsKept + 50 {
		a.failed("net"+strconv.Itoa(i), now.Add(time.Duration(i)*time.Millisecond))
	}
	if len(a.by) > attemptsKept {
		t.Errorf("%d addresses kept", len(a.by))
	}
	a.failed("late", now.Add(time.Hour))
	if len(a.by) != 1 {
		t.Errorf("%d addresses kept after an hour", len(a.by))
	}
}

func TestClientAddress(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"192.0.2.1:99": "192.0.2.1", "[2001:db8:1:2:3::4]:9": "2001:db8:1:2::/64", "[::ffff:192.0.2.1]:9": "192.0.2.1", "pipe": "pipe", "[fe80::1%eth0]:9": "fe80::/64",
	} {
		if got := clientAddress(in); got != want {
			t.Errorf("clientAddress(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	key := []byte("0123456789abcdef0123456789abcdef")
	s := newSessions(key, "a")
	token := s.issue(noon())
	if !s.valid(token, noon()) || !newSessions(key, "a").valid(token, noon()) {
		t.Error("a fresh session is refused")
	}
	if s.valid(token, noon().Add(sessionLife)) {
		t.Error("a session lives for ever")
	}
	if newSessions(key, "b").valid(token, noon()) {
		t.Error("a session outlives its password")
	}
	if newSessions([]byte("another"), "a").valid(token, noon()) {
		t.Error("a session of another key is taken")
	}
	if token == s.issue(noon()) {
		t.Error("two sessions are the same")
	}
	for _, bad := range []string{"", "x", token[:len(token)-2], token + "AA", "A" + token[1:], strings.Repeat("A", len(token))} {
		if s.valid(bad, noon()) && bad != token {
			t.Errorf("%q is taken as a session", bad)
		}
	}
}

func TestLocalPath(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"/runs/1?a=b": "/runs/1?a=b", "": "/", "runs": "/", "//evil.example": "/", "/\\evil.example": "/", "https://evil.example/": "/",
		"/\t/evil.example": "/", "javascript:alert(1)": "/", "/login?next=/runs": "/login?next=/runs", "/a\r\nSet-Cookie: x=y": "/", "/한글": "/한글", "///evil": "/",
	} {
		if got := localPath(in); got != want {
			t.Errorf("localPath(%q) = %q, want %q", in, got, want)
		}
	}
}
