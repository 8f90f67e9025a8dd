package embedded

import (
	"regexp"
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// quoted is a quote laid out for checking claims against it.
type quoted struct {
	id      string
	clean   string
	tokens  termSet
	terms   termSet
	numbers termSet
	words   termSet // as plainWords
}

func layOut(e research.Evidence) quoted {
	clean := cleanQuote(e.Quote)
	return quoted{
		id: e.ID, clean: clean, tokens: setOf(text.Tokens(e.Quote)), terms: setOf(text.Terms(e.Quote)),
		numbers: setOf(numbersIn(clean)), words: setOf(plainWords(e.Quote)),
	}
}

var rePlainWord = regexp.MustCompile(`[a-z0-9]+`)

// plainWords are the content words as citation precision is measured with:
// unstemmed, of a to z and digits, without a few function words.
func plainWords(s string) []string {
	var out []string
	for _, w := range rePlainWord.FindAllString(strings.ToLower(s), -1) {
		if !strings.Contains(functionWords, " "+w+" ") {
			out = append(out, w)
		}
	}
	return out
}

const functionWords = " the a an of in on and or to is are was were be by for with as at from that this it its which what how who whom when where" +
	" why does did do has have had into than then their they he she his her "

// nearNumber is the share of a claim's words that a quote must hold for its
// numbers to count: a number from a quote about something else proves nothing.
const nearNumber = 0.4

// heldTogether tells what of a claim the quotes do not hold, "" when together
// they hold all of it: every number and name, the same negations, what it
// opens with, and leastHeld of its words, stemmed and as written.
func heldTogether(claim string, quotes []quoted) string {
	terms := setOf(text.Terms(claim))
	all, stems, written := termSet{}, termSet{}, termSet{}
	for _, q := range quotes {
		all.addAll(q.tokens)
		stems.addAll(q.terms)
		written.addAll(q.words)
	}
	for _, n := range numbersIn(claim) {
		if !numberHeld(n, terms, quotes) {
			return "The number " + n + " does not stand in the quote."
		}
	}
	for _, n := range namesIn(claim) {
		for _, t := range text.Tokens(n) {
			if !all.has(t) {
				return "The name " + n + " does not stand in the quote."
			}
		}
	}
	if !negatedAlike(claim, quotes) || opposed(setOf(text.Tokens(claim)), all) {
		return "The quote says the opposite."
	}
	words := setOf(plainWords(claim))
	if len(terms) == 0 || !opensAlike(claim, stems) || float64(overlap(terms, stems)) < leastHeld*float64(len(terms)) ||
		float64(overlap(words, written)) < leastHeld*float64(len(words)) {
		return "The quote does not say this."
	}
	return ""
}

// opensAlike says whether the word that a claim opens with is in the quotes: it
// tells what the claim is about, and as it is always a capital one, it is not
// checked as a name.
func opensAlike(claim string, stems termSet) bool {
	rest := []rune(claim)[skipOpener(claim):]
	first := text.Terms(firstWord(strings.TrimSpace(string(rest))))
	return len(first) == 0 || isCJKText(claim) || overlap(setOf(first), stems) > 0
}

func numberHeld(n string, claim termSet, quotes []quoted) bool {
	for _, q := range quotes {
		if q.numbers.has(n) && float64(overlap(claim, q.terms)) >= nearNumber*float64(len(claim)) {
			return true
		}
	}
	return false
}

// negatedAlike says whether a claim negates as often as a quote that holds much
// of it, or as all of them together.
func negatedAlike(claim string, quotes []quoted) bool {
	want, sum := negations(claim), 0
	for _, q := range quotes {
		n := negations(q.clean)
		if n == want {
			return true
		}
		sum += n
	}
	return sum == want
}

// citer finds the quotes that a claim rests on.
type citer struct {
	quotes []quoted
	by     map[string]int
}

func newCiter(evidence []research.Evidence) *citer {
	c := &citer{by: map[string]int{}}
	for _, e := range evidence {
		c.by[e.ID] = len(c.quotes)
		c.quotes = append(c.quotes, layOut(e))
	}
	return c
}

// mostTogether is how many quotes a claim may be put together from.
const mostTogether = 3

// cite returns the ids of quotes that hold a claim, the cited ones if they do;
// nil when none do. A quote that alone holds it is better than several.
func (c *citer) cite(claim string, cited []string) []string {
	var own []quoted
	for _, id := range cited {
		if i, ok := c.by[id]; ok {
			own = append(own, c.quotes[i])
		}
	}
	if alone := aloneHold(claim, own, mostTogether); len(alone) > 0 {
		return alone
	}
	if len(own) > 1 && heldTogether(claim, own) == "" {
		return fewest(claim, own)
	}
	if alone := aloneHold(claim, c.quotes, 1); len(alone) > 0 {
		return alone
	}
	return c.together(claim, own)
}

func aloneHold(claim string, quotes []quoted, most int) []string {
	var out []string
	for _, q := range quotes {
		if len(out) < most && heldTogether(claim, []quoted{q}) == "" {
			out = append(out, q.id)
		}
	}
	return out
}

// fewest leaves out quotes that the others can do without.
func fewest(claim string, quotes []quoted) []string {
	for i := 0; i < len(quotes) && len(quotes) > 1; {
		rest := append(append([]quoted{}, quotes[:i]...), quotes[i+1:]...)
		if heldTogether(claim, rest) == "" {
			quotes = rest
			continue
		}
		i++
	}
	var out []string
	for _, q := range quotes {
		out = append(out, q.id)
	}
	return out
}

// together adds to the cited quotes those that hold most of what is missing.
func (c *citer) together(claim string, own []quoted) []string {
	terms := setOf(text.Terms(claim))
	own = append([]quoted{}, own[:min(len(own), mostTogether)]...)
	for len(own) < mostTogether {
		held := termSet{}
		for _, q := range own {
			held.addAll(q.terms)
		}
		best, most := -1, 0
		for i, q := range c.quotes {
			n := 0
			for t := range terms {
				if q.terms.has(t) && !held.has(t) {
					n++
				}
			}
			if n > most {
				best, most = i, n
			}
		}
		if best < 0 {
			return nil
		}
		own = append(own, c.quotes[best])
		if heldTogether(claim, own) == "" {
			return fewest(claim, own)
		}
	}
	return nil
}

// nearest is the quote that has most of a claim's words, cited ones first; ""
// when none has many.
func (c *citer) nearest(claim string, cited []string) string {
	terms := setOf(text.Terms(claim))
	best, most := "", 0.4*float64(len(terms))
	for _, q := range c.quotes {
		n := float64(overlap(terms, q.terms))
		if containsString(cited, q.id) {
			n *= 1.5
		}
		if n > most {
			best, most = q.id, n
		}
	}
	return best
}
