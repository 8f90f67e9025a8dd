package extract

import (
	"context"
	"strings"
	"testing"
)

type longPDF string

func (p longPDF) Read(context.Context, []byte) (title, text string, err error) {
	return "A long book", string(p), nil
}

// One document's text is bounded in every format, and the reason names the limit.
func TestTextOfOneDocumentIsBounded(t *testing.T) {
	t.Parallel()
	line := "Words of a very long book follow each other line by line.\n\n"
	long := strings.Repeat(line, MaxText/len(line)+2)
	huge := strings.Repeat(line, 2*MaxText/len(line)+2)
	fits := strings.Repeat(line, MaxText/2/len(line))
	for _, tt := range []struct {
		name, media, data string
		ok                bool
	}{
		{"a.txt", "text/plain", long, false},
		{"b.txt", "text/plain", huge, false},
		{"c.txt", "text/plain", fits, true},
		{"a.md", "text/markdown", huge, false},
		{"a.html", "text/html", "<html><body><p>" + strings.ReplaceAll(long, "\n\n", "</p><p>") + "</p></body></html>", false},
		{"a.pdf", "application/pdf", "%PDF-1.7 " + line, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc, no, err := New(longPDF(long)).Parse(t.Context(), tt.name, tt.media, []byte(tt.data), "")
			switch {
			case err != nil:
				t.Fatal(err)
			case tt.ok && (no != nil || len(doc.Text) < len(fits)/2):
				t.Errorf("refused: %+v", no)
			case !tt.ok && (no == nil || no.Code != CodeTooBig || !strings.Contains(no.Reason, "8 MB")):
				t.Errorf("%+v, %d bytes of text", no, len(doc.Text))
			}
		})
	}
}
