package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// Tokens returns the words of s in order: lower-cased runs of letters and
// digits, accents folded, thousands separators removed ("41,024" is "41024"),
// possessive 's dropped. A run of Chinese, Japanese or Korean characters is one
// token. Link targets and image markup of Markdown are not words.
func Tokens(s string) []string {
	var out []string
	scan(s, func(w string, _ bool) { out = append(out, w) })
	return out
}

// ContentWords returns the tokens of s that carry meaning: without stop words,
// unstemmed.
func ContentWords(s string) []string {
	var out []string
	scan(s, func(w string, _ bool) {
		if !IsStop(w) {
			out = append(out, w)
		}
	})
	return out
}

// Stem reduces an English word to its Porter2 stem. Words that hold a digit or
// a character outside a–z are returned unchanged.
func Stem(w string) string {
	if len(w) < 3 {
		return w
	}
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return w
		}
	}
	return english.Stem(w, true)
}

// Singular drops the plural ending of an English word (Harman's S-stemmer): much
// less than Stem does, so that words of one stem can be told apart.
func Singular(w string) string {
	n := len(w)
	switch {
	case n < 4 || w[n-1] != 's':
		return w
	case strings.HasSuffix(w, "ies") && w[n-4] != 'e' && w[n-4] != 'a':
		return w[:n-3] + "y"
	case strings.HasSuffix(w, "es"):
		if strings.IndexByte("aeo", w[n-3]) >= 0 {
			return w
		}
		return w[:n-1]
	case w[n-2] == 'u' || w[n-2] == 's':
		return w
	}
	return w[:n-1]
}

// Terms returns the index form of s: stems of its content words, and character
// bigrams of Chinese, Japanese and Korean runs (a run of one character stands
// for itself). Bigrams make Korean words findable whatever particle follows.
func Terms(s string) []string { return NewAnalyzer().Terms(s) }

// IndexTerms is Terms joined by spaces, as the full-text index stores it.
func IndexTerms(s string) string { return strings.Join(Terms(s), " ") }

// Analyzer makes index terms and remembers stems, which is worth much over many
// passages. It is not safe for concurrent use.
type Analyzer struct{ stems map[string]string }

// NewAnalyzer returns an Analyzer that remembers nothing yet.
func NewAnalyzer() *Analyzer { return &Analyzer{stems: make(map[string]string)} }

// maxStems bounds the memory of an Analyzer.
const maxStems = 50_000

// Terms is like the function of that name.
func (a *Analyzer) Terms(s string) []string {
	out := make([]string, 0, len(s)/7)
	a.Each(s, func(term string) { out = append(out, term) })
	return out
}

// Each calls f for every index term of s in order.
func (a *Analyzer) Each(s string, f func(term string)) {
	a.EachWord(s, func(term, _ string) { f(term) })
}

// EachWord is Each with the word the term was made of, its plural ending
// dropped; for bigrams the two are the same.
func (a *Analyzer) EachWord(s string, f func(term, word string)) {
	same := func(term string) { f(term, term) }
	scan(s, func(w string, cjk bool) {
		switch {
		case cjk:
			bigrams(w, same)
		case !IsStop(w):
			f(a.stem(w), Singular(w))
		}
	})
}

// Beginnings are the first letters of index terms. A stem begins like its word,
// so a word that begins otherwise cannot make one of the terms.
type Beginnings map[[2]byte]bool

// BeginningsOf collects the beginnings of terms.
func BeginningsOf(terms []string) Beginnings {
	b := make(Beginnings, len(terms))
	for _, t := range terms {
		b[beginning(t)] = true
	}
	return b
}

// beginning is the first two bytes of a word. Stemming makes "die" of "dying",
// so y counts as i there.
func beginning(w string) (b [2]byte) {
	copy(b[:], w)
	if b[1] == 'y' {
		b[1] = 'i'
	}
	return b
}

// has says whether a word may make one of the terms. A stem may be cut down to
// its first letter.
func (b Beginnings) has(w string) bool {
	return b[beginning(w)] || b[beginning(w[:1])]
}

// EachLike is EachWord for looking for a few terms in much text: words that
// begin like none of them are given as two empty strings, which saves stemming
// them.
func (a *Analyzer) EachLike(s string, like Beginnings, f func(term, word string)) {
	same := func(term string) { f(term, term) }
	scan(s, func(w string, cjk bool) {
		switch {
		case cjk:
			bigrams(w, same)
		case IsStop(w):
		case like.has(w):
			f(a.stem(w), Singular(w))
		default:
			f("", "")
		}
	})
}

func (a *Analyzer) stem(w string) string {
	if st, ok := a.stems[w]; ok {
		return st
	}
	if len(a.stems) >= maxStems {
		clear(a.stems)
	}
	st := Stem(w)
	a.stems[strings.Clone(w)] = st
	return st
}

func bigrams(run string, f func(string)) {
	prev := -1
	for i, r := range run {
		if prev >= 0 {
			f(run[prev : i+utf8.RuneLen(r)])
		}
		prev = i
	}
	if prev == 0 {
		f(run)
	}
}

// IsCJK reports whether r belongs to a script written without spaces, or with
// particles stuck to words: Han, Hiragana, Katakana, Hangul.
func IsCJK(r rune) bool {
	if r < 0x1100 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー'
}

// scan finds the words of s, folded, and says which are runs of a script without
// spaces.
func scan(s string, emit func(word string, cjk bool)) {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if next := skipMarkup(s, i); next > i {
			i = next
			continue
		}
		if !isWord(r) {
			i += size
			continue
		}
		start, cjk := i, IsCJK(r)
		for i < len(s) {
			r, size = utf8.DecodeRuneInString(s[i:])
			if isWord(r) && (IsCJK(r) == cjk || unicode.Is(unicode.M, r)) {
				i += size
				continue
			}
			if !cjk && joinsNumber(s, start, i) {
				i++
				continue
			}
			break
		}
		emit(fold(s[start:i]), cjk)
		if !cjk {
			i = skipPossessive(s, i)
		}
	}
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

// joinsNumber says whether the byte at i is a thousands separator: a comma
// between digits with exactly three of them behind it.
func joinsNumber(s string, start, i int) bool {
	if s[i] != ',' || i == start || i+3 >= len(s) || !allDigits(s[i+1:i+4]) {
		return false
	}
	if i+4 < len(s) && isDigit(s[i+4]) {
		return false
	}
	digits := 0
	for j := i - 1; j >= start && s[j] != ','; j-- {
		if !isDigit(s[j]) {
			return false
		}
		digits++
	}
	return digits <= 3
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func skipPossessive(s string, i int) int {
	for _, p := range []string{"'s", "’s"} {
		if strings.HasPrefix(s[i:], p) {
			if end := i + len(p); end == len(s) || !isWordAt(s, end) {
				return end
			}
		}
	}
	return i
}

func isWordAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return isWord(r)
}

// skipMarkup returns the end of a Markdown link target or of a bare URL that
// starts at i, or i. Scraped pages are half link targets, and their words would
// drown what the page says.
func skipMarkup(s string, i int) int {
	switch {
	case s[i] == ']' && i+1 < len(s) && s[i+1] == '(':
		if end := strings.IndexAny(s[i:], ")\n"); end > 0 {
			return i + end + 1
		}
	case s[i] == 'h' && (strings.HasPrefix(s[i:], "http://") || strings.HasPrefix(s[i:], "https://")):
		end := strings.IndexAny(s[i:], " \t\n)>]\"|")
		if end < 0 {
			return len(s)
		}
		return i + end
	}
	return i
}

// fold lower-cases a word, makes full-width forms narrow and drops accents.
func fold(w string) string {
	ascii := true
	for i := range len(w) {
		if w[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		w = strings.ToLower(w)
		if strings.Contains(w, ",") {
			w = strings.ReplaceAll(w, ",", "")
		}
		return w
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(w) {
		if !unicode.Is(unicode.Mn, r) || unicode.In(r, unicode.Hiragana, unicode.Katakana) || isKanaMark(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return norm.NFC.String(strings.ReplaceAll(b.String(), ",", ""))
}

// isKanaMark keeps the voiced sound marks, which distinguish Japanese letters
// rather than decorate them.
func isKanaMark(r rune) bool { return r == 0x3099 || r == 0x309A }
