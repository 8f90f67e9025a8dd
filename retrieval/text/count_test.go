package text

import (
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func TestCountIsWhatSplitMakes(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", " \n ", "word", strings.Repeat("word ", WindowWords), strings.Repeat("word ", WindowWords+1),
		strings.Repeat("word ", 5000), strings.Repeat("漢字。", 700), strings.Repeat("x", 50_000), "# Head\n\n" + strings.Repeat("한국어 문장입니다. ", 300),
	} {
		doc := research.Document{Text: s}
		if got, want := Count(doc), len(Split(doc)); got != want {
			t.Errorf("%.20q (%d bytes): %d, want %d", s, len(s), got, want)
		}
	}
}
