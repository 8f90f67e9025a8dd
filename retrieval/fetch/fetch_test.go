package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func page(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, body)
	}
}

func TestFetchDocument(t *testing.T) {
	t.Parallel()
	s := newSite(t, page("words"))
	f, _ := fetcherFor(t, Config{Version: "1.2"}, s)
	doc, no, err := f.Fetch(t.Context(), s.URL+"/dir/page.txt?q=1#part")
	if err != nil || no != nil {
		t.Fatal(no, err)
	}
	if doc.Text != "words" || doc.Title != "page.txt" || doc.URL != s.URL+"/dir/page.txt?q=1" {
		t.Errorf("%+v", doc)
	}
	for _, r := range s.requests {
		if ua := r.Header.Get("User-Agent"); !strings.HasPrefix(ua, "ProgRouter/1.2 ") {
			t.Errorf("user agent %q", ua)
		}
		if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" || r.Header.Get("Referer") != "" {
			t.Errorf("headers %v", r.Header)
		}
	}
}

func TestFetchWithoutException(t *testing.T) {
	t.Parallel()
	s := newSite(t, page("words"))
	f := newFetcher(t, Config{})
	_, no, err := f.Fetch(t.Context(), s.URL+"/page")
	wantCode(t, no, err, CodePrivate)
	if want := s.hostPort() + " is a private or reserved address"; !strings.Contains(no.Reason, want) || !strings.Contains(no.Reason, "PROGROUTER_ALLOW_HOSTS="+s.hostPort()) {
		t.Errorf("reason %q", no.Reason)
	}
	if len(s.requests) != 0 {
		t.Error("the server was asked")
	}
}

func TestFetchExceptionByName(t *testing.T) {
	t.Parallel()
	s := newSite(t, page("words"))
	_, port, _ := net.SplitHostPort(s.hostPort())
	resolver := fakeDNS(t, map[string]string{"searx.example": "127.0.0.1", "other.example": "127.0.0.1"})
	f := newFetcher(t, Config{Resolver: resolver, AllowHosts: []string{"searx.example:" + port}})
	if doc, no, err := f.Fetch(t.Context(), "http://searx.example:"+port+"/"); err != nil || no != nil || doc.Text != "words" {
		t.Fatal(no, err)
	}
	_, no, err := f.Fetch(t.Context(), "http://other.example:"+port+"/")
	wantCode(t, no, err, CodePrivate)
	// An address in the list covers the names that lead to it.
	byAddress := newFetcher(t, Config{Resolver: resolver, AllowHosts: []string{"127.0.0.1:" + port}})
	if _, no, err := byAddress.Fetch(t.Context(), "http://other.example:"+port+"/"); err != nil || no != nil {
		t.Fatal(no, err)
	}
}

func TestFetchRedirects(t *testing.T) {
	t.Parallel()
	secret := newSite(t, page("secret"))
	var s *site
	s = newSite(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(w, r)
		case "/once":
			http.Redirect(w, r, "/end", http.StatusMovedPermanently)
		case "/end":
			fmt.Fprint(w, "arrived")
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/private":
			http.Redirect(w, r, secret.URL+"/x", http.StatusFound)
		case "/metadata":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		case "/octal":
			http.Redirect(w, r, "http://0177.1/", http.StatusFound)
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		case "/login":
			http.Redirect(w, r, "http://user:pw@"+s.hostPort()+"/end", http.StatusFound)
		case "/broken":
			w.Header().Set("Location", "http://[bad")
			w.WriteHeader(http.StatusFound)
		case "/nowhere":
			w.WriteHeader(http.StatusFound)
		case "/meta":
			fmt.Fprint(w, `<html><meta http-equiv="refresh" content="0; url=/end">`)
		case "/self":
			fmt.Fprint(w, `<html><meta http-equiv="refresh" content="5; url=/self">words`)
		}
	})
	f, _ := fetcherFor(t, Config{}, s)
	for path, code := range map[string]string{
		"/loop": CodeRedirects, "/private": CodePrivate, "/metadata": CodePrivate, "/octal": CodePrivate, "/file": CodeScheme,
		"/login": CodeCredentials, "/broken": CodeBadAnswer, "/nowhere": CodeBadAnswer,
	} {
		_, no, err := f.Fetch(t.Context(), s.URL+path)
		wantCode(t, no, err, code)
		if no.URL != s.URL+path {
			t.Errorf("%s: discarded under %s", path, no.URL)
		}
	}
	for path, end := range map[string]string{"/once": "/end", "/meta": "/end", "/self": "/self"} {
		doc, no, err := f.Fetch(t.Context(), s.URL+path)
		if err != nil || no != nil || doc.URL != s.URL+end {
			t.Errorf("%s: %q %v %v", path, doc.URL, no, err)
		}
	}
	if len(secret.requests) != 0 {
		t.Error("a redirect reached a private server")
	}
	if n := s.count("/loop"); n != 6 {
		t.Errorf("the loop was followed %d times", n)
	}
}

func TestFetchStatus(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		var status int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &status); err != nil {
			status = 404
		}
		w.WriteHeader(status)
	})
	f, _ := fetcherFor(t, Config{Attempts: 1}, s)
	for status, code := range map[int]string{
		404: CodeNotFound, 410: CodeNotFound, 401: CodeForbidden, 403: CodeForbidden, 451: CodeForbidden, 400: CodeClientError, 418: CodeClientError,
		429: CodeRateLimited, 500: CodeServerError, 502: CodeServerError, 503: CodeServerError, 204: CodeBadAnswer, 304: CodeBadAnswer,
	} {
		_, no, err := f.Fetch(t.Context(), fmt.Sprintf("%s/%d", s.URL, status))
		wantCode(t, no, err, code)
		if !strings.Contains(no.Reason, fmt.Sprint(status)) {
			t.Errorf("%d is not in %q", status, no.Reason)
		}
	}
}

func TestFetchRetries(t *testing.T) {
	t.Parallel()
	var tries atomic.Int32
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		switch n := tries.Add(1); {
		case r.URL.Path == "/robots.txt":
			tries.Store(0)
			http.NotFound(w, r)
		case r.URL.Path == "/date" && n == 1:
			w.Header().Set("Retry-After", time.Now().Add(4*time.Second).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusServiceUnavailable)
		case n == 1:
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(http.StatusTooManyRequests)
		case n == 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			fmt.Fprint(w, "finally")
		}
	})
	f, waits := fetcherFor(t, Config{Timeout: 30 * time.Second}, s)
	doc, no, err := f.Fetch(t.Context(), s.URL+"/page")
	if err != nil || no != nil || doc.Text != "finally" {
		t.Fatal(no, err)
	}
	if len(*waits) != 2 || (*waits)[0] != 3*time.Second || (*waits)[1] < time.Second || (*waits)[1] > 2*time.Second {
		t.Errorf("waits %v", *waits)
	}
	tries.Store(0)
	*waits = nil
	if _, no, err := f.Fetch(t.Context(), s.URL+"/date"); err != nil || no != nil || (*waits)[0] < 2*time.Second || (*waits)[0] > 4*time.Second {
		t.Errorf("waits %v, %v %v", *waits, no, err)
	}
}

func TestFetchGivesUp(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		if r.URL.Path == "/long" {
			w.Header().Set("Retry-After", "3600")
		}
		w.WriteHeader(http.StatusTooManyRequests)
	})
	f, _ := fetcherFor(t, Config{}, s)
	_, no, err := f.Fetch(t.Context(), s.URL+"/always")
	wantCode(t, no, err, CodeRateLimited)
	if n := s.count("/always"); n != 3 {
		t.Errorf("%d attempts", n)
	}
	_, no, err = f.Fetch(t.Context(), s.URL+"/long")
	wantCode(t, no, err, CodeRateLimited)
	if s.count("/long") != 1 || !strings.Contains(no.Reason, "3600 s") {
		t.Errorf("%d attempts, %q", s.count("/long"), no.Reason)
	}
}

func TestFetchLimitsBytes(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	zw := gzip.NewWriter(&bomb)
	_, _ = zw.Write(make([]byte, 4<<20))
	zw.Close()
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(w, r)
		case "/announced":
			w.Header().Set("Content-Length", "5000000")
		case "/stream":
			for range 40 {
				fmt.Fprint(w, strings.Repeat("a", 64<<10))
				w.(http.Flusher).Flush()
			}
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		case "/brotli":
			w.Header().Set("Content-Encoding", "br")
			fmt.Fprint(w, "???")
		case "/badgzip":
			w.Header().Set("Content-Encoding", "gzip")
			fmt.Fprint(w, "not compressed at all")
		case "/cut":
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "short")
		case "/fits":
			fmt.Fprint(w, strings.Repeat("a", 1<<20))
		}
	})
	f, _ := fetcherFor(t, Config{MaxBytes: 1 << 20}, s)
	for path, code := range map[string]string{
		"/announced": CodeTooBig, "/stream": CodeTooBig, "/bomb": CodeTooBig, "/brotli": CodeBadAnswer, "/badgzip": CodeBadAnswer, "/cut": CodeConnection,
	} {
		_, no, err := f.Fetch(t.Context(), s.URL+path)
		wantCode(t, no, err, code)
		if code == CodeTooBig && !strings.Contains(no.Reason, "1 MB") {
			t.Errorf("%s: the limit is not in %q", path, no.Reason)
		}
	}
	if doc, no, err := f.Fetch(t.Context(), s.URL+"/fits"); err != nil || no != nil || len(doc.Text) != 1<<20 {
		t.Error(no, err)
	}
}

func TestFetchConnectionFailures(t *testing.T) {
	t.Parallel()
	closed := newSite(t, page(""))
	closed.Server.Close()
	reset, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reset.Close() })
	go func() {
		for {
			c, err := reset.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	secure := httptest.NewTLSServer(page("words"))
	secure.Config.ErrorLog = nil
	t.Cleanup(secure.Close)
	plain := newSite(t, page("words"))
	resolver := fakeDNS(t, map[string]string{"broken.example": ""})
	f, _ := fetcherFor(t, Config{Resolver: resolver, AllowHosts: []string{reset.Addr().String(), strings.TrimPrefix(secure.URL, "https://")}}, closed, plain)
	for raw, code := range map[string]string{
		closed.URL + "/":                        CodeRefused,
		"http://" + reset.Addr().String() + "/": CodeConnection,
		secure.URL + "/":                        CodeTLS,
		"https://" + plain.hostPort() + "/":     CodeTLS,
		"http://missing.example/":               CodeNameNotFound,
		"http://broken.example/":                CodeNoNetwork,
		"nonsense":                              CodeMalformedURL,
		"ftp://example.org/":                    CodeScheme,
		"http://user:pw@example.org/":           CodeCredentials,
	} {
		_, no, err := f.Fetch(t.Context(), raw)
		wantCode(t, no, err, code)
		if no.URL != raw {
			t.Errorf("discarded under %s, want %s", no.URL, raw)
		}
	}
}

func TestFetchTimeoutAndContext(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(release) })
	f, _ := fetcherFor(t, Config{Timeout: 200 * time.Millisecond}, s)
	_, no, err := f.Fetch(t.Context(), s.URL+"/slow")
	wantCode(t, no, err, CodeTimeout)
	patient, _ := fetcherFor(t, Config{Timeout: time.Minute}, s)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, no, err := patient.Fetch(ctx, s.URL+"/slow"); !errors.Is(err, context.DeadlineExceeded) || no != nil {
		t.Errorf("the caller's deadline: %v %v", no, err)
	}
}

func TestFetchConditionally(t *testing.T) {
	t.Parallel()
	version := atomic.Int32{}
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		tag := fmt.Sprintf(`"v%d"`, version.Load())
		if r.URL.Path == "/tagged" {
			w.Header().Set("Etag", tag)
			if r.Header.Get("If-None-Match") == tag {
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
		fmt.Fprintf(w, "text of version %d", version.Load())
	})
	f, _ := fetcherFor(t, Config{}, s)
	get := func(path string) string {
		t.Helper()
		doc, no, err := f.Fetch(t.Context(), s.URL+path)
		if err != nil || no != nil {
			t.Fatal(no, err)
		}
		return doc.Text
	}
	first := get("/tagged")
	if again := get("/tagged"); again != first {
		t.Errorf("%q after %q", again, first)
	}
	version.Add(1)
	if changed := get("/tagged"); changed != "text of version 1" {
		t.Errorf("stale: %q", changed)
	}
	get("/plain")
	get("/plain")
	for _, r := range s.requests {
		if r.URL.Path == "/plain" && r.Header.Get("If-None-Match") != "" {
			t.Error("a page without a tag was asked for conditionally")
		}
	}
}

func TestFetchConcurrency(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int32
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		n := now.Add(1)
		for {
			m := most.Load()
			if n <= m || most.CompareAndSwap(m, n) {
				break
			}
		}
		time.Sleep(20 * time.Millisecond)
		now.Add(-1)
		fmt.Fprint(w, "words")
	})
	f, _ := fetcherFor(t, Config{}, s)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			if _, no, err := f.Fetch(t.Context(), fmt.Sprintf("%s/%d", s.URL, i)); err != nil || no != nil {
				t.Error(no, err)
			}
		})
	}
	wg.Wait()
	if m := most.Load(); m > 2 {
		t.Errorf("%d requests at once to one host", m)
	}
	if n := s.count("/robots.txt"); n != 1 {
		t.Errorf("robots.txt was fetched %d times", n)
	}
}
