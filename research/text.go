package research

import (
	"crypto/sha256"
	"encoding/hex"
)

// Passage is a window of a document that ranking works on. Start and End count
// Unicode code points of the document's text.
type Passage struct {
	URL     string
	Title   string
	Heading string // nearest heading above, "" if none
	Text    string
	Start   int
	End     int
	Ordinal int // position within the document, from 0
}

// Document is text that was fetched, uploaded or bundled, before a run makes it
// a Source.
type Document struct {
	URL       string // library documents: library:PATH
	Title     string
	Text      string // plain text, paragraphs separated by blank lines, headings as Markdown "# …"
	MediaType string
	Published string
	Language  string
	Links     []string // absolute, same document order, deduplicated
	SHA256    string
}

// HashText is the sha256 of the UTF-8 text in lower-case hex.
func HashText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Slice returns text[start:end] counted in Unicode code points, and false when
// the offsets do not lie inside the text.
func Slice(text string, start, end int) (string, bool) {
	if start < 0 || end < start {
		return "", false
	}
	n, from := 0, -1
	for i := range text {
		if n == start {
			from = i
		}
		if n == end {
			return text[from:i], true
		}
		n++
	}
	if n == end && start <= n {
		if from < 0 {
			from = len(text)
		}
		return text[from:], true
	}
	return "", false
}
