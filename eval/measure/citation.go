package measure

import (
	"strings"
	"unicode"

	"github.com/progrouter/progrouter/research"
)

// CitationPrecision is the share of citations (a claim with one of its quotes)
// that hold: the quote stands verbatim at its offsets in the stored snapshot,
// and the claim's numbers, names and at least Support of its content words
// occur in the quotes it cites. 0 when there is no citation.
func CitationPrecision(doc research.RunDocument) float64 {
	sources := sourcesByID(doc)
	all, hold := 0, 0
	for _, c := range doc.Report.Claims {
		supported := Supported(c)
		for _, e := range c.Evidence {
			all++
			if supported && Verbatim(e, sources) {
				hold++
			}
		}
	}
	if all == 0 {
		return 0
	}
	return float64(hold) / float64(all)
}

// Verbatim reports whether the quote stands at its offsets in its source.
func Verbatim(e research.EvidenceDocument, sources map[string]research.Source) bool {
	s, ok := sources[e.SourceID]
	if !ok {
		return false
	}
	got, ok := research.Slice(s.Text, e.Start, e.End)
	return ok && e.Quote != "" && got == e.Quote
}

// Supported reports whether the claim's numbers, names and enough of its content
// words occur in the quotes it cites.
func Supported(c research.ClaimDocument) bool {
	have := map[string]bool{}
	for _, e := range c.Evidence {
		for _, w := range Tokens(e.Quote) {
			have[w] = true
		}
	}
	for _, w := range append(Numbers(c.Text), Names(c.Text)...) {
		if !have[w] {
			return false
		}
	}
	want := set(ContentWords(c.Text))
	return float64(common(want, have)) >= Support*float64(len(want))
}

// Numbers returns the tokens of s that hold a digit.
func Numbers(s string) []string {
	var out []string
	for _, w := range Tokens(s) {
		if strings.ContainsAny(w, "0123456789") {
			out = append(out, w)
		}
	}
	return out
}

// Names returns the tokens of the capitalised words of s that do not open a
// sentence.
func Names(s string) []string {
	var out []string
	opens := true // the next word opens a sentence
	rs := []rune(s)
	for i := 0; i < len(rs); {
		r := rs[i]
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			if strings.ContainsRune(".!?", r) && (i+1 == len(rs) || !isWordRune(rs[i+1])) {
				opens = true
			}
			i++
			continue
		}
		from := i
		for i < len(rs) && isWordRune(rs[i]) {
			i++
		}
		if unicode.IsUpper(r) && !opens {
			out = append(out, Tokens(string(rs[from:i]))...)
		}
		opens = false
	}
	return out
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func sourcesByID(doc research.RunDocument) map[string]research.Source {
	m := make(map[string]research.Source, len(doc.Sources))
	for _, s := range doc.Sources {
		m[s.ID] = s
	}
	return m
}
