package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/progrouter/progrouter/research"
)

// rendered shows Markdown the way a careless reader would: raw HTML allowed.
func rendered(t *testing.T, md string) *goquery.Document {
	t.Helper()
	var buf bytes.Buffer
	m := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	if err := m.Convert([]byte(md), &buf); err != nil {
		t.Fatal(err)
	}
	doc, err := goquery.NewDocumentFromReader(&buf)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func nasty() []string {
	return []string{
		"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "&lt;b&gt;", "a & b &amp; c &#60;",
		"[x](javascript:alert(1))", "![x](http://evil/x.png)", "[1]: http://evil.example", "`code` ``x", "*bold* _it_ __x__ ~~no~~",
		"# heading", "- list", "+ list", "1. one", "1) one", "> quote", "| a | b |", "=== ", "--- ", "a\n\n# b", "\\*", "snake_case_name",
		"~~~\nfenced", "<!-- -->", "</style><script>alert(1)</script>", "한국어 [링크](x) 😀", "http://example.org/x_y_z", "a\x00\x1b[31mb", "$5 and $6",
		strings.Repeat("long", 2000),
	}
}

// Text of any kind must come out as the same text, in one paragraph.
func TestEscapeIsLiteral(t *testing.T) {
	t.Parallel()
	for _, s := range nasty() {
		doc := rendered(t, escape(s))
		if got := strings.TrimSpace(doc.Text()); got != oneLine(s) {
			t.Errorf("escape(%.60q) reads %.80q", s, got)
		}
		doc.Find("body *").Each(func(_ int, e *goquery.Selection) {
			if n := goquery.NodeName(e); n != "p" && n != "a" { // GitHub links bare addresses
				t.Errorf("escape(%.60q) makes <%s>", s, n)
			}
		})
	}
}

func TestLinksOnlyToTheWeb(t *testing.T) {
	t.Parallel()
	for _, u := range []string{"javascript:alert(1)", "data:text/html,x", "library:a<b>.md", "vbscript:x", " javascript:alert(1)", "//evil.example", "http:", "java\nscript:alert(1)"} {
		if doc := rendered(t, link("T", u)); doc.Find("a").Length() > 0 {
			t.Errorf("%q became a link", u)
		}
	}
	for _, u := range []string{"http://example.org/a(b)?x=<y>&z=`w`", "https://예시.한국/길?q=가 나", "http://example.org/" + strings.Repeat("x", 3000), `http://example.org/a\b`} {
		a := rendered(t, link("T] (x", u)).Find("a")
		if a.Length() != 1 || a.Text() != "T] (x" || !strings.HasPrefix(a.AttrOr("href", ""), "http") {
			t.Errorf("%.60q became %d links, text %q", u, a.Length(), a.Text())
		}
	}
}

// poisoned puts a text into every field that comes from outside.
func poisoned(s string) *research.Ledger {
	l := sample()
	l.Run.Question, l.Run.StopReason, l.Run.Notices = s, s, []research.Note{{Text: s}}
	l.Report.Title, l.Report.NotFound = s, []string{s}
	for i := range l.Sources {
		l.Sources[i].Title, l.Sources[i].URL = s, s
	}
	for i := range l.Report.Claims {
		l.Report.Claims[i].Text, l.Report.Claims[i].Note = s, s
	}
	for i := range l.Report.Sections {
		l.Report.Sections[i].Heading = s
	}
	for i := range l.Evidence {
		l.Evidence[i].Quote = s
	}
	l.Discarded = []research.Discarded{{URL: s, Reason: s}}
	for i := range l.Steps {
		l.Steps[i].Decision.Reason, l.Steps[i].Note, l.Steps[i].Model = s, s, s
	}
	return l
}

func TestReportsCannotCarryMarkup(t *testing.T) {
	t.Parallel()
	for _, s := range nasty() {
		page, err := HTML(poisoned(s), "en")
		if err != nil {
			t.Fatal(err)
		}
		md, err := Markdown(poisoned(s), "en")
		if err != nil {
			t.Fatal(err)
		}
		htmlDoc, _ := goquery.NewDocumentFromReader(strings.NewReader(page))
		for name, doc := range map[string]*goquery.Document{"html": htmlDoc, "md": rendered(t, md)} {
			doc.Find("figure > svg").Remove() // our own chart
			if n := doc.Find("script, img, iframe, object, embed, form, link, base, svg, del").Length(); n > 0 {
				t.Errorf("%s of %.60q contains %d foreign elements", name, s, n)
			}
			doc.Find("a[href]").Each(func(_ int, a *goquery.Selection) {
				h := a.AttrOr("href", "")
				if !strings.HasPrefix(h, "http://") && !strings.HasPrefix(h, "https://") && !strings.HasPrefix(h, "#quote-") {
					t.Errorf("%s of %.60q links to %q", name, s, h)
				}
			})
			doc.Find("*").Each(func(_ int, e *goquery.Selection) {
				for _, a := range e.Nodes[0].Attr {
					if strings.HasPrefix(a.Key, "on") || (name == "html" && a.Key == "style") {
						t.Errorf("%s of %.60q has attribute %s", name, s, a.Key)
					}
				}
			})
			want := map[string]int{"md": 8, "html": 9}[name] // summary, two sections, not found, quotes, sources, discarded, cost; the work
			if got := doc.Find("h2").Length(); got != want {
				t.Errorf("%s of %.60q has %d headings, want %d", name, s, got, want)
			}
		}
	}
}

func TestHTMLPolicyMatchesItsStyle(t *testing.T) {
	t.Parallel()
	page, err := HTML(sample(), "en")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(page, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	doc, _ := goquery.NewDocumentFromReader(strings.NewReader(page))
	policy := doc.Find(`meta[http-equiv="Content-Security-Policy"]`).AttrOr("content", "")
	if want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
		t.Errorf("policy %q does not allow the style sheet %s", policy, want)
	}
	if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("policy %q is not strict", policy)
	}
	doc.Find("a.cite").Each(func(_ int, a *goquery.Selection) {
		if target := a.AttrOr("href", ""); doc.Find(target).Length() != 1 {
			t.Errorf("citation %s leads nowhere", target)
		}
	})
}

func TestCostCSV(t *testing.T) {
	t.Parallel()
	l := sample()
	l.Steps[1].Model = "=HYPERLINK(\"http://evil\")"
	l.Steps[1].Decision.Reason = "+1\n-1"
	body, err := CostCSV(l, "")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	if len(rows) != len(l.Steps)+2 {
		t.Fatalf("%d rows for %d steps", len(rows), len(l.Steps))
	}
	total := rows[len(rows)-1]
	for _, name := range []string{"joules", "joules_low", "joules_high", "router_joules", "retrieval_joules", "dollars"} {
		var sum research.Micro
		for _, r := range rows[1 : len(rows)-1] {
			if text := r[column[name]]; text != "" {
				f, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				sum += research.ToMicro(f)
			}
		}
		if total[column[name]] != sum.String() {
			t.Errorf("total of %s is %s, rows sum to %s", name, total[column[name]], sum)
		}
	}
	if want := l.Totals(); total[column["joules"]] != want.Joules.String() || total[column["dollars"]] != want.Dollars.String() {
		t.Errorf("total row %v differs from the run's totals %+v", total, want)
	}
	for _, r := range rows[1:] {
		for _, c := range r {
			if c != "" && strings.ContainsRune("=+-@\t\r", rune(c[0])) {
				t.Errorf("cell %q would run as a formula", c)
			}
		}
	}
	if rows[3][column["joules"]] != "" || rows[3][column["dollars"]] != "" {
		t.Errorf("unknown cost is written as %q and %q", rows[3][column["joules"]], rows[3][column["dollars"]])
	}
}

func TestCostsUnknownThroughout(t *testing.T) {
	t.Parallel()
	l := sample()
	for i := range l.Steps {
		l.Steps[i].Energy, l.Steps[i].Dollars = research.Energy{Method: research.MethodUnknown}, nil
	}
	body, err := CostJSON(l, "")
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Totals map[string]any   `json:"totals"`
		Steps  []map[string]any `json:"steps"`
	}
	if err := json.Unmarshal(body, &d); err != nil {
		t.Fatal(err)
	}
	if d.Totals["joules"] != nil || d.Totals["dollars"] != nil || d.Totals["unknown_steps"] != 3.0 {
		t.Errorf("totals %v, want null joules and dollars and three unknown steps", d.Totals)
	}
	md, _ := Markdown(l, "en")
	if !strings.Contains(md, "| **Total** | 3 | unknown | unknown |") {
		t.Error("the report shows unknown costs as a number")
	}
}

// The contract of scripts: these names may gain neighbours but must not go.
func TestJSONContract(t *testing.T) {
	t.Parallel()
	body, err := JSON(sample(), "en")
	if err != nil {
		t.Fatal(err)
	}
	var d map[string]any
	if err := json.Unmarshal(body, &d); err != nil {
		t.Fatal(err)
	}
	step := d["steps"].([]any)[0].(map[string]any)
	claim := d["report"].(map[string]any)["claims"].([]any)[0].(map[string]any)
	for _, tt := range []struct {
		name string
		in   any
		keys string
	}{
		{"run", d, "id question language depth policy status stop_reason created_at finished_at budget report sources discarded steps totals"},
		{"budget", d["budget"], "joules dollars seconds"},
		{"report", d["report"], "title markdown claims not_found"},
		{"claim", claim, "text verdict evidence"},
		{"evidence", claim["evidence"].([]any)[0], "source_id quote start end"},
		{"source", d["sources"].([]any)[0], "id url title text fetched_at sha256"},
		{"discarded", d["discarded"].([]any)[0], "url reason"},
		{"step", step, "index role tier model outcome seconds dollars energy router_joules retrieval_joules tokens progress_before progress_after decision"},
		{"energy", step["energy"], "joules low high method"},
		{"tokens", step["tokens"], "input cached output reasoning counted"},
		{"decision", step["decision"], "policy chosen explored propensity reason progress queue allowance_joules spent remaining candidates realised"},
		{"totals", d["totals"], "joules low high method dollars seconds unknown_steps"},
	} {
		got, ok := tt.in.(map[string]any)
		if !ok {
			t.Errorf("%s is %T", tt.name, tt.in)
			continue
		}
		for _, k := range strings.Fields(tt.keys) {
			if _, ok := got[k]; !ok {
				t.Errorf("%s lacks %q", tt.name, k)
			}
		}
	}
}

// Quotes in the sample lie at their offsets, so the golden files show true ones.
func TestSampleQuotesAreVerbatim(t *testing.T) {
	t.Parallel()
	l := sample()
	for _, e := range l.Evidence[:3] {
		s, _ := l.SourceByID(e.SourceID)
		if got, ok := research.Slice(s.Text, e.Start, e.End); !ok || got != e.Quote {
			t.Errorf("%s: %q at its offsets, want %q", e.ID, got, e.Quote)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range nasty() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if doc := rendered(t, escape(s)); doc.Find("script, img, h1, h2, ul, ol, table, blockquote, em, strong, code, hr").Length() > 0 {
			t.Errorf("escape(%q) makes markup", s)
		}
	})
}
