package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func parseAs(t *testing.T, name, media, data string) research.Document {
	t.Helper()
	doc, no, err := New(nil).Parse(t.Context(), name, media, []byte(data), "https://example.org/"+name)
	if err != nil || no != nil {
		t.Fatalf("discarded %+v, err %v", no, err)
	}
	return doc
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	doc := parseAs(t, "guide.md", "", `# The *guide*

Opening words with [a link](other.md#x) and `+"`code`"+`,
wrapped in the source. ![picture](p.png)

## Steps

1. First **step**
2. Second step
   - inner

| a | b |
|---|---|
| 1 | 2 |

`+"```go\nfunc main() {\n\n}\n```"+`

> quoted words

<div>block <b>html</b></div>
`)
	want := `Opening words with a link and code, wrapped in the source.

## Steps

- First step
- Second step
- inner

a | b
1 | 2

func main() {

}

quoted words

block html`
	if doc.Text != want {
		t.Errorf("text:\n%s\nwant:\n%s", doc.Text, want)
	}
	if doc.Title != "The guide" || doc.MediaType != "text/markdown" || fmt.Sprint(doc.Links) != "[https://example.org/other.md]" {
		t.Errorf("%q %q %v", doc.Title, doc.MediaType, doc.Links)
	}
}

// Scraped pages come as Markdown full of navigation; quotes from them must be
// readable.
func TestMarkdownScraped(t *testing.T) {
	t.Parallel()
	doc := parseAs(t, "p.md", "text/markdown", `# Bay bridge opens

Bay bridge opens : Example News
===============
[Skip to main content](https://example.org/x#main)

[Home](https://example.org/)[World](https://example.org/w "World")[Sport](https://example.org/s)

*   [All stories](https://example.org/all)
*   [![Image 3: logo (small)](https://example.org/a_(b).png)Photos](https://example.org/photos)

    The bridge was opened on Monday by [the mayor](https://example.org/mayor_(2)) of the city, who cut the ribbon.

First headline today ##### Second headline of today

2^136\_279 − 1 is written a\_b \[sic\].
`)
	for _, want := range []string{"Bay bridge opens : Example News", "Home World Sport", "- All stories", "The bridge was opened on Monday by the mayor of the city, who cut the ribbon.", "First headline today\nSecond headline", "2^136_279 − 1 is written a_b [sic]."} {
		if !strings.Contains(doc.Text, want) {
			t.Errorf("text lacks %q", want)
		}
	}
	for _, junk := range []string{"](", "Skip to main", "Image 3", "====", "http"} {
		if strings.Contains(doc.Text, junk) {
			t.Errorf("text contains %q:\n%s", junk, doc.Text)
		}
	}
	if doc.Title != "Bay bridge opens" {
		t.Errorf("title %q", doc.Title)
	}
}

func TestMarkdownFrontMatter(t *testing.T) {
	t.Parallel()
	doc := parseAs(t, "a.md", "", "---\ntitle: \"A title\"\ndate: 2024-03-12\nlang: de\n---\n\nWords enough to be kept as a text.\n")
	if doc.Title != "A title" || doc.Published != "2024-03-12" || doc.Language != "de" || strings.Contains(doc.Text, "---") {
		t.Errorf("%+v", doc)
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	doc := parseAs(t, "notes.txt", "text/plain", `Notes on the harbour

The harbour was built in the last years of the century by a
company from the north, which went out of business soon after-
wards because nobody paid.

- first item that is long enough to be wrapped by an editor
  and goes on here
- second item

    code := 1
    more := 2

name      size
one          1
`)
	want := `Notes on the harbour

The harbour was built in the last years of the century by a company from the north, which went out of business soon after-wards because nobody paid.

- first item that is long enough to be wrapped by an editor and goes on here
- second item

    code := 1
    more := 2

name      size
one          1`
	if doc.Text != want {
		t.Errorf("text:\n%s\nwant:\n%s", doc.Text, want)
	}
	if doc.Title != "Notes on the harbour" || doc.MediaType != "text/plain" {
		t.Errorf("%q %q", doc.Title, doc.MediaType)
	}
}

func TestPlainTitleFallsBackToName(t *testing.T) {
	t.Parallel()
	doc := parseAs(t, "report-2024.txt", "", "This first line is a whole sentence, so it is no title.")
	if doc.Title != "report-2024.txt" {
		t.Errorf("title %q", doc.Title)
	}
}
