package text

import (
	"strings"
	"unicode"
)

// Readable reports whether a sentence can be quoted to a person: it has enough
// words, is mostly letters, and is not navigation, a formula fragment or link
// soup. Scraped pages are full of what is not.
func Readable(s string) bool {
	letters, cjk, digits, marks, spaces := 0, 0, 0, 0, 0
	for _, r := range s {
		switch {
		case IsCJK(r):
			cjk++
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		case unicode.IsSpace(r):
			spaces++
		default:
			marks++
		}
	}
	all := letters + cjk + digits + marks
	if all == 0 {
		return false
	}
	if cjk*2 > all {
		return cjk >= 8 && marks*4 <= all
	}
	words := len(strings.Fields(s))
	if words < 5 || words > 90 {
		return false
	}
	if strings.Count(s, "](") > 3 || strings.Contains(s, "![") {
		return false
	}
	return letters*10 >= all*6 && marks*4 <= all && longWords(s)*2 <= words
}

// longWords counts words longer than people write: glued menus and identifiers.
func longWords(s string) int {
	n := 0
	for w := range strings.FieldsSeq(s) {
		if len(w) > 30 {
			n++
		}
	}
	return n
}
