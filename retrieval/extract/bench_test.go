package extract

import (
	"fmt"
	"strings"
	"testing"
)

// A reference page of about 60 kB, with headings, paragraphs, lists, tables
// and code.
func benchPage() []byte {
	var b strings.Builder
	b.WriteString("<h1>Reference</h1>")
	for i := range 60 {
		fmt.Fprintf(&b, `<h2 id="s%d">Section %d</h2><p>%s See <a href="page%d.html">page %d</a>.</p><ul><li>first</li><li>second</li></ul>
<table><tr><th>name</th><th>value</th></tr><tr><td>n%d</td><td>%d</td></tr></table><pre>run --option %d</pre>`, i, i, strings.Repeat(para, 4), i, i, i, i, i)
	}
	return []byte(article(b.String()))
}

func BenchmarkParseHTML(b *testing.B) {
	data, x := benchPage(), New(nil)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, no, err := x.Parse(b.Context(), "p", "text/html; charset=utf-8", data, "https://example.org/p"); err != nil || no != nil {
			b.Fatal(no, err)
		}
	}
}

func BenchmarkParseMarkdown(b *testing.B) {
	data, x := []byte(strings.Repeat("## Heading\n\n"+para+"See [a link](x.md).\n\n- one\n- two\n\n", 200)), New(nil)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, no, err := x.Parse(b.Context(), "p.md", "text/markdown", data, "https://example.org/p.md"); err != nil || no != nil {
			b.Fatal(no, err)
		}
	}
}
