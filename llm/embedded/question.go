package embedded

import (
	"regexp"
	"strings"

	"github.com/progrouter/progrouter/retrieval/text"
)

// kind is what a question asks for.
type kind int

const (
	kindOpen       kind = iota // describe, explain, summarise: several facts
	kindFact                   // one fact: who, when, how many
	kindComparison             // two or more things side by side
)

// answerType is the form an answer must have; it raises sentences that have it.
type answerType int

const (
	answerAny answerType = iota
	answerDate
	answerNumber
	answerPerson
	answerPlace
)

// inquiry is a question taken apart.
type inquiry struct {
	text   string
	kind   kind
	answer answerType
	topic  string   // the thing it is about, "" when unclear
	parts  []string // what it asks for besides the whole, readable
}

var (
	reFact    = regexp.MustCompile(`(?i)\b(who|whom|whose|when|where|how (?:many|much|long|old|far|large|big|tall|often|fast|high|deep)|(?:what|which) (?:year|date|day|month|time|percentage|percent|number|country|city|state|person|name|age|amount|size)|on what date|in what year|in which)\b`)
	reWh      = regexp.MustCompile(`(?i)\b(what|which|who|whom|whose|when|where|why|how)\b`)
	reHow     = regexp.MustCompile(`(?i)^\s*(?:how (?:do|does|can|should|is|are)\b|compare|list|give an overview|provide|detail|analy[sz]e|evaluate|tell me about)`)
	reWideCJK = regexp.MustCompile(`설명|정리|요약|어떻게|방법|について|説明|仕組み|どのように|介绍|说明|如何|怎么`)
	reWide    = regexp.MustCompile(`(?i)\b(describe|explain|summari[sz]e|characteri[sz]e|outline|discuss|trace|overview|history|evolution|causes?|consequences|effects|impacts?|advantages|disadvantages|benefits|differences|pros and cons|factors|steps|ways|reasons|types|kinds|methods|what are)\b`)

	reDate   = regexp.MustCompile(`(?i)\b(when|what date|what year|which year|what day|which day|on what date|what time|date)\b|언제|몇 년|いつ|何年|何时|什么时候|哪一年`)
	reNumber = regexp.MustCompile(`(?i)\b(how (many|much|long|old|far|large|big|tall|fast|high|deep)|number of|percentage|percent|population|cost|price|size|total|estimated?)\b|몇|얼마|いくつ|いくら|何人|多少|几个`)
	rePerson = regexp.MustCompile(`(?i)\b(who|whom|whose)\b|누가|누구|誰|だれ|谁`)
	rePlace  = regexp.MustCompile(`(?i)\b(where|which (country|city|state|place|town)|location)\b|어디|どこ|哪里|哪儿`)
	reYear   = regexp.MustCompile(`\b1\d{3}\b|\b20\d\d\b|(?i)\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|\d{1,4}\s?[年月日년월일]`)
)

// analyse takes a question apart by its words alone.
func analyse(question string) inquiry {
	q := inquiry{text: tidy(question)}
	q.answer = answerOf(q.text)
	q.parts = compoundParts(q.text)
	switch {
	case isComparison(q.text):
		q.kind = kindComparison
	case len(q.parts) == 0 && !isWide(q.text):
		q.kind = kindFact
	}
	q.topic = topicOf(q.text)
	return q
}

// isWide says whether a question asks for an account rather than for one fact.
func isWide(s string) bool {
	return reWide.MatchString(s) || reHow.MatchString(s) && !reFact.MatchString(s) || reWideCJK.MatchString(s)
}

func answerOf(s string) answerType {
	switch {
	case reDate.MatchString(s):
		return answerDate
	case reNumber.MatchString(s):
		return answerNumber
	case rePerson.MatchString(s):
		return answerPerson
	case rePlace.MatchString(s):
		return answerPlace
	}
	return answerAny
}

// topicOf finds the thing a question is about: its longest run of names, else
// the words after "of".
func topicOf(s string) string {
	if n := longestName(s); n != "" {
		return n
	}
	words := text.ContentWords(s)
	if len(words) == 0 {
		return ""
	}
	if i := strings.LastIndex(strings.ToLower(s), " of "); i >= 0 {
		t := trimPhrase(s[i+4:])
		if n := len(strings.Fields(t)); n > 0 && n <= 5 {
			return t
		}
	}
	return ""
}

// longestName is the longest run of capitalised words inside a question, small
// linking words allowed within it.
func longestName(s string) string {
	fields := strings.Fields(s)
	best := ""
	for i := 1; i < len(fields); i++ {
		if !capital(fields[i]) || text.IsStop(strings.ToLower(trimPhrase(fields[i]))) {
			continue
		}
		j := i + 1
		for j < len(fields) && !endsPhrase(fields[j-1]) &&
			(capital(fields[j]) || linking(fields[j]) && j+1 < len(fields) && capital(fields[j+1])) {
			j++
		}
		if name := trimPhrase(strings.Join(fields[i:j], " ")); len(name) > len(best) {
			best = name
		}
		i = j
	}
	return best
}

func capital(w string) bool {
	w = strings.TrimLeft(w, "\"'“‘(")
	return w != "" && (w[0] >= 'A' && w[0] <= 'Z' || w[0] >= '0' && w[0] <= '9')
}

func linking(w string) bool { return w == "of" || w == "the" || w == "de" || w == "von" }

func endsPhrase(w string) bool { return strings.ContainsAny(w[len(w)-1:], ",.;:?!)") }

func trimPhrase(s string) string {
	s = strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "\"'“”‘’()?!.,;:、。？！"))
	if strings.Count(s, "(") > strings.Count(s, ")") {
		s += ")"
	}
	return strings.TrimSuffix(strings.TrimSuffix(s, "'s"), "’s")
}
