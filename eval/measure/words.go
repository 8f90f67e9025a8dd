package measure

import (
	"regexp"
	"strings"
	"unicode"
)

var token = regexp.MustCompile(`[a-z0-9]+`)

//nolint:gosec // words, no credentials
const stopWords = `the a an of in on and or to is are was were be by for with as at from that this it its
which what how who whom when where why does did do has have had into than then their they he she his her`

var stops = set(strings.Fields(stopWords))

// Tokens are the runs of a–z and 0–9 of the lower-cased text, unstemmed.
func Tokens(s string) []string { return token.FindAllString(strings.ToLower(s), -1) }

// ContentWords are the tokens that are no stop words.
func ContentWords(s string) []string {
	var out []string
	for _, w := range Tokens(s) {
		if !stops[w] {
			out = append(out, w)
		}
	}
	return out
}

// plain lower-cases s and drops punctuation and articles, with one space
// between words.
func plain(s string) string {
	kept := strings.Map(func(r rune) rune {
		if unicode.IsPunct(r) {
			return -1
		}
		return r
	}, strings.ToLower(s))
	var words []string
	for _, w := range strings.Fields(kept) {
		if w != "a" && w != "an" && w != "the" {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}
