package research

import (
	"strings"
	"unicode"
)

// Languages lists the languages a run can be asked for, as BCP 47 base tags.
func Languages() []string {
	return []string{"en", "ko", "ja", "zh", "de", "es", "fr", "it", "nl", "pl", "pt", "ru"}
}

// GuessLanguage tells Korean, Japanese, Chinese and Russian by their script and
// the other languages by their function words. What it is not sure of is
// English, so a text of one or two words in another Latin language is not told.
func GuessLanguage(text string) string {
	var hangul, kana, han, cyrillic, letters int
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r):
			continue
		case unicode.Is(unicode.Hangul, r):
			hangul++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic++
		}
		letters++
	}
	// A fifth is enough: questions in these scripts carry Latin product names.
	enough := func(n int) bool { return n > 0 && n*5 >= letters }
	switch {
	case enough(hangul):
		return "ko"
	case kana > 0 && enough(kana+han):
		return "ja"
	case enough(han):
		return "zh"
	case enough(cyrillic):
		return "ru"
	}
	return latinLanguage(text)
}

// Points of a word for a language. Asking words count most, and only they
// decide alone; words that also stand in names, in other tongues' phrases or in
// English (da, la, was) support others and decide nothing by themselves.
const (
	asking    = 3
	strong    = 2
	weak      = 1
	decisive  = 3 // points a language needs
	outweighs = 2 // …and how many times those for English
)

// latinLanguage reads function words. An English opening settles it, so that
// English questions about foreign titles and phrases stay English.
func latinLanguage(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	if len(words) == 0 || hasWord(englishOpenings, words[0]) {
		return "en"
	}
	english, seen := 0, map[string]bool{}
	for _, w := range words {
		if !seen[w] && hasWord(englishWords, w) {
			english += strong
		}
		seen[w] = true
	}
	best, second, found := 0, 0, "en"
	for _, m := range latinMarks() {
		switch n := m.points(seen, text); {
		case n > best:
			best, second, found = n, best, m.language
		case n > second:
			second = n
		}
	}
	if best < decisive || best <= outweighs*english || best == second {
		return "en"
	}
	return found
}

// hasWord looks a lower-case word up in a list of words between spaces.
func hasWord(list, word string) bool { return strings.Contains(list, " "+word+" ") }

const (
	englishOpenings = " what how why when where who whom whose which explain describe does did are could should would were have tell give the "
	englishWords    = englishOpenings + " is of and to for with from by that this it its than then there their they you your my be been " +
		" has had can will between about into if not use used using one two some any all most more many "
)

// marks are the words a language is told by. A strong word is common in it, no
// English word, and rare in names.
type marks struct {
	language             string
	asking, strong, weak string
	signs                string // any of these characters counts as one strong word
}

func (m marks) points(words map[string]bool, text string) int {
	sum, sure := 0, false
	for w := range words {
		switch {
		case hasWord(m.asking, w):
			sum, sure = sum+asking, true
		case hasWord(m.strong, w):
			sum, sure = sum+strong, true
		case hasWord(m.weak, w):
			sum += weak
		}
	}
	if strings.ContainsAny(text, m.signs) {
		sum, sure = sum+strong, true
	}
	if !sure {
		return 0
	}
	return sum
}

// latinMarks leaves out what is as common in English (in, an, was, do, a).
func latinMarks() []marks {
	return []marks{
		{
			language: "de", signs: "ß",
			asking: " warum wieso weshalb welche welcher welches welchen wann wodurch womit worin wozu inwiefern ",
			strong: " wie wer ist sind das und nicht ein eine einer eines einem einen zum zur auf für wird werden kann können wurde wurden zwischen" +
				" über nach durch sich bei auch oder gibt haben ich erkläre beschreibe vergleiche funktioniert funktionieren bedeutet heißt entsteht entstehen ",
			weak: " was der die den dem des von vom zu am im war wo mit aus hat man es ",
		},
		{
			language: "es", signs: "¿¡",
			asking: " cómo cuál cuáles cuándo dónde quién quiénes cuánto cuánta cuántos cuántas ",
			strong: " es una por para que qué están está fue entre sobre más pero cuando donde quien explica explique funciona funcionan significa ",
			weak:   " de la el los las un en del al y su lo con se son como ",
		},
		{
			language: "fr", signs: "œ",
			asking: " pourquoi combien quel quelle quels quelles ",
			strong: " est une dans avec qui que quoi sont ce cette ces où elle entre été quand explique expliquez fonctionne fonctionnent signifie ",
			weak:   " de la le les l d du des un en au aux qu c n y à par pour sur ne pas plus il comment ",
		},
		{
			language: "it",
			asking:   " perché quali ",
			strong:   " è gli della delle degli dei nel nella sono quando qual quale quanto quanti quante una tra più anche viene spiega funziona funzionano significa ",
			weak:     " di la le lo il un del da al dal i e che chi come dove cosa perche per con si non ",
		},
		{
			language: "nl",
			asking:   " waarom welke wanneer waardoor waarvoor hoeveel ",
			strong:   " het een wordt worden zijn niet voor naar tussen bij ook zich uit deze dit waar wie heeft hebben werkt werken betekent ontstaat ",
			weak:     " de en hoe wat is er op te van met der dat kan ",
		},
		{
			language: "pl", signs: "ąęłńśźż",
			asking: " dlaczego kiedy gdzie jakie jaki jaka ",
			strong: " jest się nie czy czym jak przez dla oraz są był była było między który która które wyjaśnij działa działają oznacza ",
			weak:   " w z na i o co od po za kto ile ",
		},
		{
			language: "pt",
			asking:   " quais onde ",
			strong:   " é uma não por para que qual quem quando são foi pelo pela entre sobre mais explique funciona funcionam significa ",
			weak:     " de da o os um e se com como em das dos na ao ",
		},
	}
}
