package handlers

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/progrouter/progrouter/research"
)

func everyPage() []string {
	return []string{
		"/", "/?again=r1", "/runs", "/runs?q=WAL&status=complete&page=2", "/runs/r1", "/runs/r2", "/runs/r1/timeline", "/runs/r1/sources/s1",
		"/compare", "/compare?a=r1", "/compare?a=r1&b=r2", "/compare?a=r1&b=gone", "/dashboard", "/dashboard?days=7", "/library", "/library?q=x&page=9", "/settings",
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.add(finished("r1"))
	s.store.add(running("r2"))
	for _, path := range everyPage() {
		a := s.get(path)
		s.want(a, 200)
		d := s.doc(a)
		if got := d.Find("h1").Length(); got != 1 {
			t.Errorf("%s has %d h1", path, got)
		}
		if title := strings.TrimSpace(d.Find("title").Text()); title == "" {
			t.Errorf("%s has no title", path)
		}
		checkInline(t, path, d)
		if strings.Contains(a.body, "[error.") || strings.Contains(a.body, "<no value>") {
			t.Errorf("%s shows a missing text", path)
		}
		for header, part := range map[string]string{
			"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
			"Content-Type": "text/html; charset=UTF-8", "Cache-Control": "no-cache", "X-Frame-Options": "DENY",
		} {
			if got := a.Header.Get(header); !strings.Contains(got, part) {
				t.Errorf("%s: %s is %q, want %q in it", path, header, got, part)
			}
		}
	}
}

// checkInline finds what the content security policy would block.
func checkInline(t *testing.T, path string, d *goquery.Document) {
	t.Helper()
	d.Find("*").Each(func(_ int, e *goquery.Selection) {
		name := goquery.NodeName(e)
		if (name == "script" && e.AttrOr("src", "") == "") || (name == "style" && e.Closest("svg").Length() == 0) || name == "base" || name == "iframe" {
			t.Errorf("%s has an inline <%s>", path, name)
		}
		for _, a := range e.Nodes[0].Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				t.Errorf("%s: <%s> has %s=%q", path, name, a.Key, a.Val)
			}
			if (a.Key == "href" || a.Key == "src" || a.Key == "action") && strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:") {
				t.Errorf("%s: <%s> leads to %q", path, name, a.Val)
			}
		}
	})
}

func TestLanguageAndTheme(t *testing.T) {
	t.Parallel()
	s := setup(t)
	lang := func(a answer) string { return s.doc(a).Find("html").AttrOr("lang", "") }
	if got := lang(s.get("/")); got != "en" {
		t.Errorf("no header: %s", got)
	}
	if got := lang(s.get("/", "Accept-Language", "fr, ko;q=0.8, en;q=0.5")); got != "ko" {
		t.Errorf("browser wants ko: %s", got)
	}
	a := s.post("/preferences", url.Values{"lang": {"ko"}, "next": {"/runs?q=x"}})
	s.want(a, 303)
	if got := a.Header.Get("Location"); got != "/runs?q=x" {
		t.Errorf("leads to %s", got)
	}
	if got := lang(s.get("/", "Accept-Language", "en")); got != "ko" {
		t.Errorf("cookie loses: %s", got)
	}
	s.post("/preferences", url.Values{"lang": {"klingon"}, "theme": {"dark"}})
	if s.cookie[cookieLang] != "ko" || s.cookie[cookieTheme] != "dark" {
		t.Errorf("cookies %v", s.cookie)
	}
	if !strings.Contains(s.get("/").body, "dark") {
		t.Error("the page does not know its theme")
	}
	s.post("/preferences", url.Values{"theme": {"system"}})
	if _, kept := s.cookie[cookieTheme]; kept {
		t.Error("system theme is kept as a cookie")
	}
}

func TestAskAgainIsPrefilled(t *testing.T) {
	t.Parallel()
	s := setup(t)
	l := finished("r1")
	l.Run.Given.Joules = research.Known(7_500_000)
	l.Run.URLs = []string{"https://example.org/a"}
	s.store.add(l)
	d := s.doc(s.get("/?again=r1"))
	if got := d.Find("textarea[name=question]").Text(); got != l.Run.Question {
		t.Errorf("question %q", got)
	}
	if got := d.Find("input[name=joules]").AttrOr("value", ""); got != "7.5" {
		t.Errorf("joules %q", got)
	}
	if got := strings.TrimSpace(d.Find("textarea[name=urls]").Text()); got != "https://example.org/a" {
		t.Errorf("urls %q", got)
	}
	s.want(s.get("/?again=nobody"), 404)
	if got := s.doc(s.get("/?question=Why%3F")).Find("textarea[name=question]").Text(); got != "Why?" {
		t.Errorf("question from the address: %q", got)
	}
}

func TestErrorsBecomePages(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for path, status := range map[string]int{"/nowhere": 404, "/runs/none": 404, "/runs/none/export": 404, "/runs/none/events": 404, "/healthz/x": 404, "/static/nothing.js": 404} {
		s.want(s.get(path), status)
	}
	s.store.add(finished("r1"))
	s.want(s.get("/runs/r1/sources/s9"), 404)
	s.want(s.do("PUT", "/runs", ""), 405)
	a := s.get("/nowhere", "Accept-Language", "ko")
	if !strings.Contains(a.body, "이 주소에는 아무것도 없습니다") {
		t.Errorf("no Korean message in\n%.800s", a.body)
	}
	if a := s.get("/nowhere", "HX-Request", "true"); strings.Contains(a.body, "<html") {
		t.Error("htmx gets a whole page for an error")
	}
	if a := s.get("/nowhere", "HX-Request", "true", "HX-Boosted", "true"); !strings.Contains(a.body, "<html") {
		t.Error("a boosted link gets no page for an error")
	}
}

func TestOwnFaultsAreHiddenAndLogged(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.broken = errors.New("secret path /var/lib/db")
	a := s.get("/runs")
	s.want(a, 500)
	if strings.Contains(a.body, "secret") || !strings.Contains(a.body, "Internal error") {
		t.Errorf("page says\n%.800s", a.body)
	}
	if !strings.Contains(s.log.String(), "secret path") {
		t.Error("the cause is not in the log")
	}
	s.want(s.get("/readyz"), 503)
	s.want(s.get("/healthz"), 200)
	a = s.get("/api/v1/runs")
	s.want(a, 500)
	if strings.Contains(a.body, "secret") || a.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("API says %s", a.body)
	}
	s.store.broken = nil
	s.want(s.get("/readyz"), 200)
	s.store.panics = true
	s.want(s.get("/runs/r1"), 500)
	if !strings.Contains(s.log.String(), "the store fell over") {
		t.Error("the panic is not in the log")
	}
}

func TestStaticFilesAreKeptLong(t *testing.T) {
	t.Parallel()
	s := setup(t)
	href := s.doc(s.get("/")).Find("link[rel=stylesheet]").AttrOr("href", "")
	a := s.get(href)
	s.want(a, 200)
	if got := a.Header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
		t.Errorf("%s: Cache-Control %q", href, got)
	}
}

func TestXSSThroughEveryPage(t *testing.T) {
	t.Parallel()
	const evil = `<script>alert(1)</script>"><img src=x onerror=alert(1)>`
	s := setup(t)
	for id, u := range map[string]string{"r1": "javascript:alert(1)", "r2": "https://example.org/\"><script>alert(1)</script>"} {
		l := running(id)
		l.Run.Question, l.Run.Notices, l.Run.StopReason = evil, []research.Note{{Text: evil}}, evil
		l.Sources[0].Title, l.Sources[0].URL, l.Sources[0].Text = evil, u, evil
		l.Evidence[0].Quote, l.Evidence[0].End = evil, len([]rune(evil))
		l.Report.Title, l.Report.Claims[0].Text, l.Report.Claims[0].Note, l.Report.Sections[0].Heading = evil, evil, evil, evil
		l.Report.NotFound = []string{evil}
		l.Discarded = []research.Discarded{{URL: u, Reason: evil}}
		l.Queries = []research.Query{{Text: evil, Error: evil}}
		l.Steps[0].Note, l.Steps[0].Decision.Reason = evil, evil
		l.Steps[0].Actions = []research.Action{{Kind: evil, Detail: evil, Error: evil}}
		s.store.add(l)
	}
	s.store.library = []research.LibraryDocument{{URL: evil, Title: evil, Collection: evil}}
	for _, path := range append(everyPage(), "/runs?q="+url.QueryEscape(evil), "/library?q="+url.QueryEscape(evil), "/?question="+url.QueryEscape(evil), "/dashboard?days="+url.QueryEscape(evil), "/nowhere"+url.QueryEscape(evil)) {
		a := s.get(path)
		d := s.doc(a)
		checkInline(t, path, d)
		if n := d.Find("img[src=x], script:not([src])").Length(); n > 0 {
			t.Errorf("%s lets markup through", path)
		}
	}
}
