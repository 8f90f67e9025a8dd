package embedded

import (
	"regexp"
	"strings"
)

// Sentences of a report stand without the text they were taken from. What
// points back at that text ("It", "the latter", "as shown above") is told here
// from what only looks so ("It is possible to", "There are five").
var (
	// reEmptySubject finds sentences whose "it" or "there" stands for nothing.
	reEmptySubject = regexp.MustCompile(`(?i)^(?:it(?: is|'s|’s| was| may be| can be| might be| has been| will be| would be)(?: also| often| usually| generally| not| thus| now| still)* \w+(?: \w+)? (?:to|that|whether|if|when|how|for)\b|it (?:takes|took) \S+ .*\bto\b|there (?:is|are|was|were|may|can|has|have|will|exist|exists)\b)`)
	// reOwnText finds sentences that speak of the text they stand in, which a
	// report names in front of them.
	reOwnText = regexp.MustCompile(`(?i)^(?:in )?(?:this|these) (?:modules?|pages?|documents?|articles?|chapters?|sections?|guides?|papers?|stud(?:y|ies)|reports?|books?|manuals?|tutorials?|notes?)\b`)
	// reBackward finds words that point at something said before.
	reBackward = regexp.MustCompile(`(?i)\bthe (?:former|latter|aforementioned|said|other (?:one|ones|two))\b|^(?:as|like) (?:you (?:can )?see|(?:just |already )?(?:shown|seen|described|mentioned|noted|discussed|explained|stated|said))\b` +
		`|\b(?:as|shown|described|mentioned|given|listed|seen|see|discussed) (?:above|earlier|previously)\b|^(?:in|for|to|at|by|with|on|from|after|before|under|unlike|like|because of|due to|despite|during) (?:this|these|that|those|such|it|them|him|her)\b` +
		`|^(?:use|do|don['’]t do|do not do|choose|take|set|stop|open|give|try|run|make|call|see|setting|using|doing|making|having|giving|among|one of|some of|most of|many of|all of|both of|each of|none of|neither of|either of|(?:if|when|while|since|although|though|because|as|once|unless|until)) (?:that|this|these|those|it|them|they|he|she|so|him|her)\b|^\pL+ing (?:this|these|those|it|them)\b`)
	// reConclusion finds sentences that draw a conclusion from others.
	reConclusion = regexp.MustCompile(`(?i)^the (?:other|others|same|above|following)\b|(?:^| )(?:이|그|저) \p{Hangul}|\b(?:therefore|thus|hence|consequently|however|instead|otherwise|nevertheless|likewise|also|too|in turn)\b`)
)

// leansCJK are openings in Korean, Japanese and Chinese that point back.
var leansCJK = [...]string{
	"이는 ", "이것은 ", "그는 ", "그녀는 ", "그들은 ", "그러나 ", "또한 ", "이러한 ", "이런 ", "그런 ", "이 경우", "이때", "이 때", "따라서 ", "하지만 ", "그래서 ",
	"これは", "それは", "しかし", "また、", "この", "その", "彼は", "彼女は", "这", "它", "但", "此", "其", "他们", "她",
}

// leans says whether a sentence opens with a word that points back.
func leans(s string) bool {
	if reEmptySubject.MatchString(s) || reOwnText.MatchString(s) {
		return false
	}
	w := strings.ToLower(strings.TrimRight(firstWord(s), ",;:"))
	if w, _, _ = strings.Cut(strings.ReplaceAll(w, "’", "'"), "'"); leaningWords.has(w) {
		return true
	}
	for _, p := range leansCJK {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

var leaningWords = setOf(strings.Fields(`it its this these that those they their them he she his her such but and so then here
both another otherwise or yet there nor`))

// pointsBack says whether a sentence cannot be understood without what was said
// before it: it leans, or names that further on.
func pointsBack(s string) bool {
	return leans(s) || reBackward.MatchString(s) && !reOwnText.MatchString(s)
}

// standsFirst says whether a sentence can open a report: it leans on nothing
// and concludes from nothing.
func standsFirst(s string) bool {
	return !pointsBack(s) && !reConclusion.MatchString(strings.Join(firstWords(s, 9), " "))
}

func firstWords(s string, n int) []string {
	w := strings.Fields(s)
	return w[:min(n, len(w))]
}
