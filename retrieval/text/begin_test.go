package text

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Words that a stemmer treats as exceptions, and short ones.
const oddWords = `skis skies dying lying tying idly gently ugly early only singly sky news howe atlas cosmos bias andes
inning outing canning herring earring proceed exceed succeed generate commune arsenal y ye yes by die dies died eye eyes
tried ties gas this kiwis gaps cries yellow yoyo boy say happy a ab abc`

func TestStemsBeginLikeTheirWords(t *testing.T) {
	t.Parallel()
	check := func(t interface{ Errorf(string, ...any) }, w string) {
		if st := Stem(w); w != "" && !BeginningsOf([]string{st}).has(w) {
			t.Errorf("%q becomes %q", w, st)
		}
	}
	for w := range strings.FieldsSeq(oddWords) {
		check(t, w)
	}
	endings := []string{"", "s", "es", "ies", "ied", "ing", "ed", "edly", "ingly", "ational", "ousness", "ement", "ying", "ly", "'", "ss", "eed"}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.StringMatching(`[a-z]{0,6}`).Draw(t, "root")+rapid.SampledFrom(endings).Draw(t, "ending"))
	})
}

// Looking for terms in a text finds what analysing all of it finds, at the same
// places.
func TestEachLikeFindsWhatEachWordFinds(t *testing.T) {
	t.Parallel()
	words := strings.Fields(oddWords + " The 41,024 Über naïve über-ich 데이터베이스의 色彩 [link](http://a.b/dying) Kings' king’s x")
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) string {
			return strings.Join(rapid.SliceOf(rapid.SampledFrom(words)).Draw(t, name), " ")
		}
		terms, s := Terms(draw("asked")), draw("text")
		var all, like [][2]string
		keep := func(out *[][2]string) func(string, string) {
			return func(term, word string) {
				if !slices.Contains(terms, term) {
					term, word = "", ""
				}
				*out = append(*out, [2]string{term, word})
			}
		}
		NewAnalyzer().EachWord(s, keep(&all))
		NewAnalyzer().EachLike(s, BeginningsOf(terms), keep(&like))
		if !slices.Equal(all, like) {
			t.Fatalf("asked %q of %q: %v, want %v", terms, s, like, all)
		}
	})
}
