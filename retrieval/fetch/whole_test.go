package fetch_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/text/encoding/korean"

	"github.com/progrouter/progrouter/retrieval/extract"
	"github.com/progrouter/progrouter/retrieval/fetch"
)

var _ fetch.Parser = (*extract.Extractor)(nil)

// The fetcher and the extractor together, as programs use them.
func TestFetchAndExtract(t *testing.T) {
	t.Parallel()
	const sentence = "한강은 서울을 지나 황해로 흘러 들어가는 강으로, 길이는 약 오백 킬로미터이다."
	encoded, err := korean.EUCKR.NewEncoder().String(`<html><head><meta charset="ms949"><title>한강</title></head><body><nav><a href="/a">메뉴</a></nav><h1>한강</h1><p>` + sentence + `</p><a href="next.html">다음</a></body></html>`)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/docs/river":
			w.Header().Set("Content-Type", "text/html; charset=utf-8") // a lie
			fmt.Fprint(w, encoded)
		case "/gone":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html><title>Page not found</title><p>Sorry, there is nothing here. Please use the search.</p></html>")
		case "/paper":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "%PDF-1.4\n")
		case "/picture.html":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "\x89PNG\r\n\x1a\n\x00\x00")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	f, err := fetch.New(fetch.Config{AllowHosts: []string{strings.TrimPrefix(s.URL, "http://")}}, extract.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	doc, no, err := f.Fetch(t.Context(), s.URL+"/docs/river")
	if err != nil || no != nil {
		t.Fatal(no, err)
	}
	if doc.Text != sentence+"\n\n다음" && doc.Text != sentence || doc.Title != "한강" || doc.Language != "ko" {
		t.Errorf("%+v", doc)
	}
	if fmt.Sprint(doc.Links) != fmt.Sprintf("[%s/a %s/docs/next.html]", s.URL, s.URL) {
		t.Errorf("links %v", doc.Links)
	}
	for path, code := range map[string]string{"/gone": extract.CodeSoft404, "/paper": extract.CodeNoPDF, "/picture.html": extract.CodeUnsupportedType, "/none": fetch.CodeNotFound} {
		_, no, err := f.Fetch(t.Context(), s.URL+path)
		if err != nil || no == nil || no.Code != code || no.URL != s.URL+path {
			t.Errorf("%s: %+v %v, want %s", path, no, err, code)
		}
	}
}

func TestGuardedClient(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		}
	}))
	t.Cleanup(s.Close)
	g, err := fetch.NewGuard(fetch.GuardConfig{AllowHosts: []string{strings.TrimPrefix(s.URL, "http://")}})
	if err != nil {
		t.Fatal(err)
	}
	for path, ok := range map[string]bool{"/": true, "/away": false} {
		res, err := g.Client(0).Get(s.URL + path)
		if err == nil {
			res.Body.Close()
		}
		if (err == nil) != ok {
			t.Errorf("%s: %v", path, err)
		}
	}
}
