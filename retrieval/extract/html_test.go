package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func parse(t *testing.T, data, base string) research.Document {
	t.Helper()
	doc, no, err := New(nil).Parse(t.Context(), "page.html", "text/html; charset=utf-8", []byte(data), base)
	if err != nil {
		t.Fatal(err)
	}
	if no != nil {
		t.Fatalf("discarded: %s: %s", no.Code, no.Reason)
	}
	return doc
}

const para = "The river rises in the northern hills and reaches the sea after two hundred kilometres, as the survey of that year found. "

func article(body string) string {
	return `<!doctype html><html lang="en-GB"><head><title>River - Example Site</title></head><body>
<header class="site-header"><a href="/">Home</a> <a href="/about">About us</a></header>
<nav><ul><li><a href="/a">Alpha section</a></li><li><a href="/b">Beta section</a></li><li><a href="/c">Gamma</a></li></ul></nav>
<main>` + body + `</main>
<aside class="sidebar">Related: <a href="/r1">Another story</a></aside>
<div class="cookie-banner">We use cookies to improve this site.</div>
<footer>Copyright 2019. Published 1 January 2001.</footer></body></html>`
}

func TestHTMLMainText(t *testing.T) {
	t.Parallel()
	doc := parse(t, article(`<h1>The river</h1><p>`+para+`</p><h2>Fish</h2><p>`+para+`</p>
<ul><li>trout</li><li>salmon with <b>long</b> name</li></ul>
<table><tr><th>Year</th><th>Level | m</th></tr><tr><td>1990</td><td>2.4</td></tr></table>
<pre>line one
  line two</pre>`), "https://example.org/river")
	want := strings.TrimSpace(para) + "\n\n## Fish\n\n" + strings.TrimSpace(para) + `

- trout
- salmon with long name

Year | Level / m
1990 | 2.4

line one
  line two`
	if doc.Text != want {
		t.Errorf("text:\n%s\nwant:\n%s", doc.Text, want)
	}
	if doc.Title != "The river" || doc.Language != "en" || doc.MediaType != "text/html" || doc.Published != "" {
		t.Errorf("title %q language %q media %q published %q", doc.Title, doc.Language, doc.MediaType, doc.Published)
	}
	if doc.SHA256 != research.HashText(doc.Text) || doc.URL != "https://example.org/river" {
		t.Errorf("hash or url: %+v", doc)
	}
}

// Reference pages are mostly lists and tables, which readability loses.
func TestHTMLKeepsReferencePages(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("<h1>Options</h1><dl>")
	for i := range 40 {
		fmt.Fprintf(&b, "<dt><code>--option-%d</code></dt><dd>Sets value number %d.</dd>", i, i)
	}
	doc := parse(t, article(b.String()+"</dl>"), "")
	for _, want := range []string{"--option-0", "Sets value number 39."} {
		if !strings.Contains(doc.Text, want) {
			t.Errorf("text lacks %q", want)
		}
	}
	if strings.Contains(doc.Text, "Alpha section") || strings.Contains(doc.Text, "cookies") {
		t.Errorf("navigation leaked: %.300s", doc.Text)
	}
}

func TestHTMLInline(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"exponent", "It is 2<sup>136279841</sup> − 1 here.", "It is 2^136279841 − 1 here."},
		{"ordinal", "On the 1<sup>st</sup> of May.", "On the 1st of May."},
		{"footnote mark", `He died.<sup id="r1" class="reference"><a href="#n1">[1]</a></sup> Then.`, "He died. Then."},
		{"sub", "H<sub>2</sub>O is wet.", "H2O is wet."},
		{"break", "First line<br>second line.", "First line\nsecond line."},
		{"entities", "Tom &amp; Jerry&nbsp;&lt;3 &#8212; yes.", "Tom & Jerry <3 — yes."},
		{"soft hyphen", "ex&shy;ample zero\u200bwidth.", "example zerowidth."},
		{"source line breaks", "wrapped\n   in the\tsource.", "wrapped in the source."},
		{"bidi override", "safe\u202egnp.exe text.", "safegnp.exe text."},
		{"hidden", `Seen.<span hidden>unseen</span><span style="display:none">unseen</span> End.`, "Seen. End."},
		{"math", `So <math alttext="x^2"><mi>x</mi><mn>2</mn></math> grows.`, "So x^2 grows."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc := parse(t, article("<h1>T</h1><p>"+para+"</p><p>"+tt.in+"</p>"), "")
			if got := doc.Text[strings.LastIndex(doc.Text, "\n\n")+2:]; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHTMLTables(t *testing.T) {
	t.Parallel()
	layoutTable := `<table><tr><td><p>` + para + `</p><p>` + para + `</p><p>` + para + `</p></td></tr></table>`
	if doc := parse(t, article(layoutTable), ""); strings.Contains(doc.Text, "|") || strings.Count(doc.Text, "\n\n") != 2 {
		t.Errorf("layout table: %q", doc.Text)
	}
	data := `<p>` + para + `</p><table><caption>Levels</caption><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td></td></tr><tr><td></td><td></td></tr></tbody></table>`
	if doc := parse(t, article(data), ""); !strings.HasSuffix(doc.Text, "Levels\n\na | b\n1 |") {
		t.Errorf("data table: %q", doc.Text)
	}
}

func TestHTMLTitles(t *testing.T) {
	t.Parallel()
	p := "<p>" + para + "</p>"
	tests := []struct{ name, in, want string }{
		{"h1", "<title>Site</title><h1>The <i>river</i> ¶</h1>" + p, "The river"},
		{"title", "<title> A  page </title>" + p, "A page"},
		{"navigation h1", "<title>Right</title><nav><h1>Menu</h1></nav>" + p, "Right"},
		{"empty h1", "<title>Right</title><h1><img src=x></h1>" + p, "Right"},
		{"file name", p, "page.html"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := parse(t, "<html>"+tt.in, "").Title; got != tt.want {
				t.Errorf("title %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHTMLLinks(t *testing.T) {
	t.Parallel()
	doc := parse(t, `<html><head><base href="/docs/"></head><body><p>`+para+`</p>
<a href="b.html#part">B</a> <a href="b.html">B again</a> <a href="../c?x=1">C</a> <a href="#top">top</a>
<a href="mailto:a@example.org">mail</a> <a href="javascript:alert(1)">js</a> <a href="https://user:pw@example.net/">secret</a>
<a href="//example.net/d">D</a> <a href="https://example.org/page">self</a> <a href="http://[bad">bad</a>`, "https://example.org/page#here")
	want := []string{"https://example.org/docs/b.html", "https://example.org/c?x=1", "https://example.net/d"}
	if fmt.Sprint(doc.Links) != fmt.Sprint(want) {
		t.Errorf("links %v, want %v", doc.Links, want)
	}
}

func TestHTMLLanguage(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, lang, text, want string }{
		{"declared", "fr-CA", frText, "fr"},
		{"korean page that says en", "en", koText, "ko"},
		{"japanese undeclared", "", jaText, "ja"},
		{"chinese", "zh-Hans", zhText, "zh"},
		{"undeclared latin", "", frText, ""},
		{"nonsense", "x!", frText, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := parse(t, `<html lang="`+tt.lang+`"><p>`+tt.text, "").Language; got != tt.want {
				t.Errorf("language %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHTMLDeepNesting(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("<div>", 3000) + "<h1>Deep</h1><p>" + para + "</p><ul><li>one</li></ul>" + strings.Repeat("</div>", 3000) + "<p>After it.</p>"
	lists := strings.Repeat("<ul><li>", 700) + "<p>" + para + "</p>" + strings.Repeat("</li></ul>", 700)
	for _, body := range []string{deep, lists} {
		doc := parse(t, "<html><title>T</title><body>"+body, "")
		if !strings.Contains(doc.Text, strings.TrimSpace(para)) {
			t.Errorf("text %.200q", doc.Text)
		}
	}
}

func TestHTMLPageInsideForm(t *testing.T) {
	t.Parallel()
	doc := parse(t, `<html><body><form id="aspnetForm"><input type="hidden" value="x"><p>`+para+`</p><select><option>one</option></select></form>`, "")
	if doc.Text != strings.TrimSpace(para) {
		t.Errorf("text %q", doc.Text)
	}
}
