package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// TestMainJobWithoutScript asks, follows and exports a run by plain links and
// forms, read from the pages as a browser without JavaScript would.
func TestMainJobWithoutScript(t *testing.T) {
	t.Parallel()
	s := startSite(t, nil)
	_, first := s.page(t, "/")
	form := formOf(first.Find("#ask"))
	form.Set("question", handbookAsk)
	form.Set("depth", "quick")
	form.Set("policy", "fixed-small")
	action, _ := first.Find("#ask").Attr("action")
	resp, err := http.PostForm(s.url+action, form)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	path := resp.Request.URL.Path
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(path, "/runs/") {
		t.Fatalf("the form leads to %s with status %d", path, resp.StatusCode)
	}

	doc := s.untilFinal(t, path)
	if doc.Find("#run-head .status-complete").Length() == 0 {
		t.Fatalf("the run ended as %q", doc.Find("#run-head").Text())
	}
	// Every citation is a button with a popover: both work without a script.
	doc.Find("#run-report .cite").Each(func(_ int, c *goquery.Selection) {
		id := c.AttrOr("popovertarget", "")
		if quote := doc.Find("#" + id + "[popover] blockquote").Text(); strings.TrimSpace(quote) == "" {
			t.Errorf("citation %q opens nothing", id)
		}
	})
	if n := doc.Find("#run-report .cite").Length(); n < 4 {
		t.Errorf("%d citations", n)
	}
	doc.Find("#menu-export a").Each(func(_ int, a *goquery.Selection) {
		if status, head, body := s.fetch(t, a.AttrOr("href", "")); status != http.StatusOK || len(body) < 100 || head.Get("Content-Disposition") == "" {
			t.Errorf("%s: status %d, %d bytes", a.Text(), status, len(body))
		}
	})
	for _, link := range []string{path + "/timeline", "/dashboard", "/library", "/settings", "/runs?status=complete"} {
		if status, page := s.page(t, link); status != http.StatusOK || page.Find("main h1").Length() != 1 {
			t.Errorf("%s: status %d, %d headings", link, status, page.Find("main h1").Length())
		}
	}
	if _, list := s.page(t, "/runs?status=complete"); !strings.Contains(list.Find("#runs").Text(), handbookAsk) {
		t.Error("the filter form does not work by its address")
	}
}

func (s *site) page(t *testing.T, path string) (int, *goquery.Document) {
	t.Helper()
	status, _, body := s.fetch(t, path)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return status, doc
}

// untilFinal reloads a run's page until the run is over.
func (s *site) untilFinal(t *testing.T, path string) *goquery.Document {
	t.Helper()
	tick, deadline := time.NewTicker(30*time.Millisecond), time.After(patience)
	defer tick.Stop()
	for {
		_, doc := s.page(t, path)
		if doc.Find("[sse-connect]").Length() == 0 {
			return doc
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("the run did not end: %s", doc.Find("#run-head").Text())
		}
	}
}

// formOf is what a browser would send of a form that nobody touched.
func formOf(form *goquery.Selection) url.Values {
	v := url.Values{}
	form.Find("input[name], textarea[name]").Each(func(_ int, f *goquery.Selection) {
		kind := f.AttrOr("type", "")
		_, checked := f.Attr("checked")
		switch {
		case goquery.NodeName(f) == "textarea":
			v.Add(f.AttrOr("name", ""), f.Text())
		case kind == "checkbox" || kind == "radio":
			if checked {
				v.Add(f.AttrOr("name", ""), f.AttrOr("value", "on"))
			}
		default:
			v.Add(f.AttrOr("name", ""), f.AttrOr("value", ""))
		}
	})
	form.Find("select[name]").Each(func(_ int, f *goquery.Selection) {
		v.Add(f.AttrOr("name", ""), f.Find("option[selected]").AttrOr("value", ""))
	})
	return v
}
