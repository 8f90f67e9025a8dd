package web_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
	"github.com/progrouter/progrouter/web/internal/fixture"
)

func page(t *testing.T, lang string) web.Page {
	t.Helper()
	b, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	return web.NewPage(b.Localizer(lang), web.ThemeSystem, "/here?x=1", web.NavRuns, fixture.Now())
}

func render(t *testing.T, c templ.Component) (string, *goquery.Document) {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), doc
}

func runPage(t *testing.T, l *research.Ledger) *goquery.Document {
	t.Helper()
	_, doc := render(t, web.RunPage(view(t, l)))
	return doc
}

func view(t *testing.T, l *research.Ledger) web.RunView {
	t.Helper()
	return web.NewRunView(page(t, "en"), l, web.RunInput{Cursor: 7, Meter: fixture.Meter, Formats: fixture.Formats})
}

// text is what a selection reads, with a space between elements.
func text(s *goquery.Selection) string {
	var words []string
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			words = append(words, strings.Fields(n.Data)...)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	for _, n := range s.Nodes {
		walk(n)
	}
	return strings.Join(words, " ")
}

// Rules that hold for every page in every language.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"en", "ko"} {
		for path, component := range fixture.Pages(page(t, lang)) {
			t.Run(lang+path, func(t *testing.T) {
				t.Parallel()
				raw, doc := render(t, component)
				checkDocument(t, doc, lang)
				checkPolicy(t, doc)
				checkIDs(t, doc)
				if m := regexp.MustCompile(`\[[a-z_]+\.[a-z_0-9.]+\]|\{\{\.\w+\}\}`).FindString(raw); m != "" {
					t.Errorf("a text is missing or unfilled: %s", m)
				}
			})
		}
	}
}

func checkDocument(t *testing.T, doc *goquery.Document, lang string) {
	t.Helper()
	if got, _ := doc.Find("html").Attr("lang"); got != lang {
		t.Errorf("lang is %q", got)
	}
	if n := doc.Find("h1").Length(); n != 1 {
		t.Errorf("%d h1", n)
	}
	if doc.Find("main#main").Length() != 1 || doc.Find(`a.skip[href="#main"]`).Length() != 1 {
		t.Error("no main region or skip link")
	}
	if !strings.HasSuffix(doc.Find("title").First().Text(), " · ProgRouter") {
		t.Errorf("title %q", doc.Find("title").First().Text())
	}
}

// checkPolicy finds what the content security policy would block.
func checkPolicy(t *testing.T, doc *goquery.Document) {
	t.Helper()
	doc.Find("*").Each(func(_ int, s *goquery.Selection) {
		for _, a := range s.Nodes[0].Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Key, "hx-on") {
				t.Errorf("<%s> has the attribute %s", goquery.NodeName(s), a.Key)
			}
			if (a.Key == "href" || a.Key == "src" || a.Key == "action") && strings.HasPrefix(strings.ToLower(a.Val), "javascript:") {
				t.Errorf("<%s %s=%q>", goquery.NodeName(s), a.Key, a.Val)
			}
		}
	})
	if doc.Find("style").Length() != 0 {
		t.Error("an inline style sheet")
	}
	doc.Find("script").Each(func(_ int, s *goquery.Selection) {
		if src, _ := s.Attr("src"); !strings.HasPrefix(src, "/static/") || strings.TrimSpace(s.Text()) != "" {
			t.Errorf("script %q %q", src, s.Text())
		}
	})
}

// checkIDs finds ids that occur twice and references that lead nowhere.
func checkIDs(t *testing.T, doc *goquery.Document) {
	t.Helper()
	seen := map[string]bool{}
	doc.Find("[id]").Each(func(_ int, s *goquery.Selection) {
		id, _ := s.Attr("id")
		if seen[id] {
			t.Errorf("the id %q occurs twice", id)
		}
		seen[id] = true
	})
	for _, attr := range []string{"for", "popovertarget", "aria-labelledby", "aria-describedby", "aria-errormessage"} {
		doc.Find("[" + attr + "]").Each(func(_ int, s *goquery.Selection) {
			value, _ := s.Attr(attr)
			for _, id := range strings.Fields(value) {
				if !seen[id] {
					t.Errorf("%s=%q leads nowhere", attr, id)
				}
			}
		})
	}
	doc.Find("input:not([type=hidden]), select, textarea").Each(func(_ int, s *goquery.Selection) {
		id, _ := s.Attr("id")
		if s.Closest("label").Length() == 0 && doc.Find(`label[for="`+id+`"]`).Length() != 1 {
			t.Errorf("the field %q has no label", id)
		}
	})
}

// Every code of the domain has words in both languages.
func TestEveryCodeHasWords(t *testing.T) {
	t.Parallel()
	var keys []string
	add := func(prefix, code string) { keys = append(keys, prefix+code) }
	for _, x := range research.Roles() {
		add("role.", string(x))
		add("now.doing.", string(x))
	}
	for _, x := range research.Tiers() {
		add("tier.", string(x))
	}
	for _, x := range research.Depths() {
		add("depth.", string(x))
	}
	for _, x := range research.Policies() {
		add("policy.", string(x))
		add("policy.note.", string(x))
	}
	for _, x := range research.Languages() {
		add("language.", x)
	}
	for _, x := range []research.Status{research.Queued, research.Running, research.Paused, research.Complete, research.Partial, research.NoEvidence, research.Failed, research.Cancelled} {
		add("status.", string(x))
		add("report.empty.", string(x))
	}
	for _, x := range []research.Outcome{research.OutcomeOK, research.OutcomeEmpty, research.OutcomeInvalid, research.OutcomeError, research.OutcomeInterrupted, research.OutcomeCancelled} {
		add("outcome.", string(x))
	}
	for _, x := range []research.Regime{research.RegimeInvalid, research.RegimeRecoverable, research.RegimePartial, research.RegimeComplete} {
		add("regime.", string(x))
	}
	for _, x := range []research.Verdict{research.Supported, research.Weak, research.Unsupported, research.Contradicted} {
		add("verdict.", string(x))
	}
	for _, x := range []string{research.MethodNVML, research.MethodRAPL, research.MethodCPU, research.MethodModel, research.MethodUnknown, research.MethodMixed} {
		add("method.", strings.ReplaceAll(x, ":", "_"))
	}
	l := page(t, "ko").L
	for _, key := range keys {
		if !l.Has(key) {
			t.Errorf("no words for %s", key)
		}
	}
}

// Messages that pages translate by key must exist for every way a request can
// be refused.
func TestEveryRequestErrorHasWords(t *testing.T) {
	t.Parallel()
	src, err := fs.ReadFile(os.DirFS("../research"), "request.go")
	if err != nil {
		t.Fatal(err)
	}
	keys := regexp.MustCompile(`p\.fail\([^,]+, "([a-z_]+)"`).FindAllStringSubmatch(string(src), -1)
	keys = append(keys, regexp.MustCompile(`, "(url_[a-z]+)"\n`).FindAllStringSubmatch(string(src), -1)...)
	if len(keys) < 15 {
		t.Fatalf("only %d keys found: the pattern no longer fits", len(keys))
	}
	l := page(t, "ko").L
	for _, m := range keys {
		if !l.Has("error." + m[1]) {
			t.Errorf("no words for error.%s", m[1])
		}
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	ko := page(t, "ko").L
	_, faults := research.ParseRequest(research.RequestInput{Question: "ab", Joules: "lots"})
	if got := web.ErrorText(ko, faults.For("question")); got != "질문이 너무 짧습니다. 3자 이상 적어 주세요." {
		t.Errorf("question: %q", got)
	}
	if got := web.ErrorText(ko, faults.For("joules")); !strings.HasPrefix(got, "에너지: “lots”") {
		t.Errorf("joules: %q", got)
	}
	secret := research.Errorf(research.EInternal, "x", "the password is 1234")
	if got := web.ErrorText(ko, secret); strings.Contains(got, "1234") {
		t.Errorf("an internal error shows %q", got)
	}
	if got := web.ErrorText(ko, os.ErrNotExist); strings.Contains(got, "exist") {
		t.Errorf("a foreign error shows %q", got)
	}
	unknown := research.Errorf(research.EInvalid, "brand_new", "A new fault. Do this.")
	if got := web.ErrorText(ko, unknown); got != "A new fault. Do this." {
		t.Errorf("a key without words shows %q", got)
	}
}

func TestErrorPageNamesCauseAndCure(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{404: "Not found", 409: "That does not fit", 403: "Refused", 421: "Refused", 422: "That cannot be used", 500: "Something went wrong", 503: "Not available"} {
		_, doc := render(t, web.ErrorPage(web.NewErrorView(page(t, "en"), status, research.Errorf(research.EInvalid, "", "The cause."))))
		if got := text(doc.Find("h1")); !strings.HasPrefix(got, want) {
			t.Errorf("%d: %q", status, got)
		}
		if body := text(doc.Find("main")); !strings.Contains(body, "The cause.") || len(body) < 60 {
			t.Errorf("%d: %q", status, body)
		}
	}
}

func TestFragmentsMatchTheirPlaces(t *testing.T) {
	t.Parallel()
	v := view(t, fixture.Running())
	_, doc := render(t, web.RunPage(v))
	var events []string
	for _, f := range web.Fragments(v) {
		events = append(events, f.Event)
		place := doc.Find("#run-" + f.Event)
		if got, _ := place.Attr("sse-swap"); got != f.Event {
			t.Errorf("no place for %s", f.Event)
		}
		_, part := render(t, f.Component)
		if text(part.Find("body")) != text(place) {
			t.Errorf("%s: the fragment differs from the page", f.Event)
		}
	}
	if got, _ := doc.Find("[sse-connect]").Attr("sse-connect"); got != "/runs/run-running/events?after=7" {
		t.Errorf("stream %q", got)
	}
	if !slices.Contains(events, "report") {
		t.Error("the report is not live")
	}
	if n := runPage(t, fixture.Complete()).Find("[sse-connect]").Length(); n != 0 {
		t.Error("a final run keeps a stream open")
	}
}
