package embedded

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/progrouter/progrouter/retrieval/text"
)

// termSet is a set of index terms: stems, or character bigrams of Chinese,
// Japanese and Korean.
type termSet map[string]struct{}

func setOf(terms []string) termSet {
	s := make(termSet, len(terms))
	for _, t := range terms {
		s[t] = struct{}{}
	}
	return s
}

func (s termSet) has(t string) bool { _, ok := s[t]; return ok }

func (s termSet) addAll(o termSet) {
	for t := range o {
		s[t] = struct{}{}
	}
}

// overlap is the size of the intersection.
func overlap(a, b termSet) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	n := 0
	for t := range a {
		if b.has(t) {
			n++
		}
	}
	return n
}

// jaccard is the share of common terms, 0 for two empty sets.
func jaccard(a, b termSet) float64 {
	n := overlap(a, b)
	if n == 0 {
		return 0
	}
	return float64(n) / float64(len(a)+len(b)-n)
}

// tidy makes one line of a text: white space runs become one space.
func tidy(s string) string { return strings.Join(strings.Fields(s), " ") }

// capitalise makes the first letter a capital.
func capitalise(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 || !unicode.IsLower(r) {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// clip shortens a text to at most n code points at a word's end.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)[:n-1]
	cut := string(r)
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:-") + "…"
}

// wordCount counts words; a character of a script without spaces is half a word.
func wordCount(s string) int {
	cjk := 0
	for _, r := range s {
		if text.IsCJK(r) {
			cjk++
		}
	}
	if cjk*2 > utf8.RuneCountInString(s) {
		return (cjk + 1) / 2
	}
	return len(strings.Fields(s))
}

// isCJKText says whether a text is mostly Chinese, Japanese or Korean.
func isCJKText(s string) bool {
	cjk, letters := 0, 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
			if text.IsCJK(r) {
				cjk++
			}
		}
	}
	return cjk*2 > letters
}

// namesIn returns the capitalised words that do not open a sentence, lower-cased.
func namesIn(s string) []string {
	var out []string
	open := true
	for _, w := range strings.Fields(s) {
		bare := strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		r, _ := utf8.DecodeRuneInString(bare)
		if bare != "" && unicode.IsUpper(r) && !open && bare != "I" {
			out = append(out, strings.ToLower(bare))
		}
		if bare != "" {
			open = strings.ContainsRune(".!?:", rune(w[len(w)-1]))
		}
	}
	return out
}
