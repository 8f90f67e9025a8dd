package static

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, method, url string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, url, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func TestEveryAssetIsServedUnderItsHash(t *testing.T) {
	t.Parallel()
	types := map[string]string{".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
	hashed := regexp.MustCompile(`^/static/[a-z.-]+\.[0-9a-f]{12}\.(css|js|svg)$`)
	for _, name := range []string{"app.css", "app.js", "htmx.min.js", "htmx-sse.min.js", "icon.svg"} {
		url := URL(name)
		if !hashed.MatchString(url) {
			t.Errorf("%s has the address %s", name, url)
		}
		res := get(t, http.MethodGet, url)
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", url, res.StatusCode)
		}
		want := types[name[strings.LastIndex(name, "."):]]
		if got := res.Header.Get("Content-Type"); !strings.HasPrefix(got, want) {
			t.Errorf("%s: type %q", name, got)
		}
		if got := res.Header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
			t.Errorf("%s: cache %q", name, got)
		}
	}
	if len(Names()) < 5 {
		t.Errorf("names: %v", Names())
	}
}

func TestGzipHoldsTheSameBytes(t *testing.T) {
	t.Parallel()
	plain, err := io.ReadAll(get(t, http.MethodGet, URL("app.css")).Body)
	if err != nil {
		t.Fatal(err)
	}
	res := get(t, http.MethodGet, URL("app.css"), "Accept-Encoding", "gzip, br")
	if res.Header.Get("Content-Encoding") != "gzip" {
		t.Fatal("not compressed")
	}
	zr, err := gzip.NewReader(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := io.ReadAll(zr)
	if err != nil || string(unpacked) != string(plain) {
		t.Fatalf("differs: %v", err)
	}
}

func TestWhatIsNotServed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		method, url string
	}{
		{http.MethodGet, "/static/app.css"}, // without its hash
		{http.MethodGet, "/static/"},
		{http.MethodGet, "/static/../static.go"},
		{http.MethodGet, URL("missing.js")},
		{http.MethodPost, URL("app.css")},
	} {
		if res := get(t, tc.method, tc.url); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s %s: status %d", tc.method, tc.url, res.StatusCode)
		}
	}
}

func TestHeadHasNoBody(t *testing.T) {
	t.Parallel()
	res := get(t, http.MethodHead, URL("app.js"), "Accept-Encoding", "gzip")
	if body, err := io.ReadAll(res.Body); err != nil || len(body) != 0 {
		t.Errorf("body of %d bytes, %v", len(body), err)
	}
}

// The content security policy blocks what these would need.
func TestOurScriptNeedsNoEval(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"js/app.js"} {
		body, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"eval(", "new Function", "innerHTML", "document.write", "http://", "https://"} {
			if strings.Contains(string(body), bad) {
				t.Errorf("%s contains %q", name, bad)
			}
		}
	}
}
