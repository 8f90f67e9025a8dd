package embedded

import (
	"regexp"
	"strings"

	"github.com/progrouter/progrouter/retrieval/text"
)

// sense is what turns a statement round without changing its other words: how
// often it negates, its numbers, and its words for finding opposites.
type sense struct {
	negations int
	numbers   termSet
	words     termSet
}

func senseOf(s string) sense {
	return sense{negations: negations(s), numbers: setOf(numbersIn(s)), words: setOf(text.Tokens(s))}
}

// agrees says whether nothing speaks against two statements of like words saying
// the same: equal negations, equal numbers, no opposite words.
func (a sense) agrees(b sense) bool {
	return a.negations == b.negations && len(a.numbers) == len(b.numbers) &&
		overlap(a.numbers, b.numbers) == len(a.numbers) && !opposed(a.words, b.words)
}

var (
	reNegation = regexp.MustCompile(`(?i)\b(?:not|never|no|none|nor|neither|nobody|nothing|nowhere|cannot|without)\b|n['’]t\b` +
		`|않|아니|아닌|아닙|아님|아닐|못|없|(?:^|\s)안\s|지 (?:마|말)` +
		`|ない|なかっ|なく|ません|せず|ずに|[不没沒無无未]`)
	// Words of negation that negate nothing.
	reNoNegation = regexp.MustCompile(`(?i)\bnot only\b|\bno\.\s*\d|\bno doubt\b|잘못|연못|[不没] ?[仅僅]|无论|無論|不过|不過`)
)

// negations counts the words that turn a statement into its opposite.
func negations(s string) int {
	return len(reNegation.FindAllStringIndex(reNoNegation.ReplaceAllString(s, " "), -1))
}

// opposites are pairs of words that turn a statement round.
var opposites = func() map[string][]string {
	out := map[string][]string{}
	for _, p := range [...][2]string{
		{"increase", "decrease"}, {"increases", "decreases"}, {"increased", "decreased"}, {"rise", "fall"}, {"rises", "falls"},
		{"rose", "fell"}, {"grew", "shrank"}, {"more", "less"}, {"more", "fewer"}, {"most", "least"}, {"most", "few"}, {"all", "some"},
		{"always", "sometimes"}, {"higher", "lower"}, {"above", "below"}, {"before", "after"}, {"first", "last"}, {"true", "false"},
		{"allows", "forbids"}, {"allowed", "forbidden"}, {"allowed", "prohibited"}, {"permitted", "prohibited"}, {"starts", "stops"},
		{"won", "lost"}, {"wins", "loses"}, {"accepted", "rejected"}, {"accepts", "rejects"}, {"maximum", "minimum"}, {"safe", "dangerous"},
		{"north", "south"}, {"east", "west"}, {"northern", "southern"}, {"eastern", "western"}, {"left", "right"}, {"on", "off"},
		{"opened", "closed"}, {"opens", "closes"}, {"included", "excluded"}, {"includes", "excludes"}, {"faster", "slower"},
		{"larger", "smaller"}, {"longer", "shorter"}, {"succeeded", "failed"}, {"enable", "disable"}, {"enables", "disables"}, {"enabled", "disabled"},
		{"with", "without"}, {"can", "cannot"}, {"guilty", "innocent"}, {"alive", "dead"}, {"male", "female"}, {"odd", "even"},
	} {
		out[p[0]], out[p[1]] = append(out[p[0]], p[1]), append(out[p[1]], p[0])
	}
	return out
}()

// opposed says whether one statement has a word where the other has its
// opposite.
func opposed(a, b termSet) bool {
	return opposedWords(a, b) || opposedWords(b, a)
}

func opposedWords(a, b termSet) bool {
	for w := range a {
		if b.has(w) {
			continue
		}
		for _, o := range opposites[w] {
			if b.has(o) && !a.has(o) {
				return true
			}
		}
		for _, prefix := range [...]string{"un", "in", "im", "il", "ir", "dis", "non"} {
			if rest, ok := strings.CutPrefix(w, prefix); ok && len(rest) > 3 && b.has(rest) && !a.has(rest) {
				return true
			}
		}
	}
	return false
}
