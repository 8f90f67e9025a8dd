package embedded

import (
	"regexp"
	"strings"

	"github.com/progrouter/progrouter/retrieval/text"
)

var (
	reMarks   = regexp.MustCompile(`[?？]+\s*`)
	reClauses = regexp.MustCompile(`(?i)(?:,\s*|\s+)(?:and|or|as well as)\s+((?:how|why|what|when|where|who|which|in what|to what)\b)`)
	reBetween = regexp.MustCompile(`(?i)\b(?:differences?|similarities|relationship|comparison|distinction|trade-?offs?)\s+between\s+(.+?)\s+and\s+(.+)$`)
	reCompare = regexp.MustCompile(`(?i)\b(?:compare|contrast)\s+(.+?)\s+(?:and|with|to|against)\s+(.+)$`)
	reVersus  = regexp.MustCompile(`(?i)^(?:.*?\b(?:is|are|use|choose|of|about|for|does|do)\s+)?(.+?)\s+(?:versus|vs\.?|compared (?:to|with)|as opposed to)\s+(.+)$`)
	reDiffer  = regexp.MustCompile(`(?i)^how (?:does|do|did|is|are)\s+(.+?)\s+(?:differ|different)\s+from\s+(.+)$`)
	reVerb    = regexp.MustCompile(`(?i)^(?:please\s+)?(?:describe|explain|summari[sz]e|outline|discuss|list|detail|trace|analy[sz]e|give an overview of|provide (?:an?|the) (?:overview|summary|account) of|what (?:are|were|is|was))\s+`)
	rePair    = regexp.MustCompile(`(?i)^(?:the\s+)?([\pL-]+(?:\s[\pL-]+)?)(?:,\s*(?:the\s+)?([\pL-]+(?:\s[\pL-]+)?))?,?\s+and\s+(?:the\s+)?([\pL-]+(?:\s[\pL-]+)?)\s+(of|for|behind|in|on|to|surrounding)\s+(.+)$`)
	reExtra   = regexp.MustCompile(`(?i)[,;]\s*(?:including|noting|covering|particularly regarding|specifically|especially|focusing on|with (?:a focus|attention) on|considering|highlighting)\s+(?:both\s+|the\s+)*(.+)$`)
	reItems   = regexp.MustCompile(`(?i),\s*(?:and\s+)?|\s+and\s+`)
	rePrep    = regexp.MustCompile(`(?i)^(?:for|of|in|on|at|by|with|from|to|like|as|that|which)\b`)
	rePronoun = regexp.MustCompile(`(?i)\b(it|they|them|its|their)\b`)

	reKoDiff = regexp.MustCompile(`^(.+?)(?:와|과|하고|랑)\s+(.+?)(?:의)?\s*(?:차이|비교)`)
	reJaDiff = regexp.MustCompile(`^(.+?)と(.+?)の(?:違い|比較|差)`)
	reZhDiff = regexp.MustCompile(`^(.+?)(?:和|与|跟|與)(.+?)(?:的)?(?:区别|差异|不同|比较|區別|差異)`)
)

// isComparison says whether a question sets things side by side.
func isComparison(s string) bool { return len(comparands(s)) > 1 }

// comparands are the things a question compares, nil when it does not.
func comparands(s string) []string {
	s = strings.TrimRight(s, "?？.。 ")
	for _, re := range []*regexp.Regexp{reBetween, reDiffer, reCompare, reVersus, reKoDiff, reJaDiff, reZhDiff} {
		m := re.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		a, b := trimPhrase(m[1]), trimPhrase(cutClause(m[2]))
		if shortPhrase(a) && shortPhrase(b) && !strings.EqualFold(a, b) {
			return []string{a, b}
		}
	}
	return nil
}

// cutClause ends a phrase where a further clause begins.
func cutClause(s string) string {
	if i := strings.IndexAny(s, ",;"); i > 0 {
		s = s[:i]
	}
	for _, w := range []string{" in terms of ", " when ", " with regard ", " for the ", " regarding "} {
		if i := strings.Index(strings.ToLower(s), w); i > 0 {
			s = s[:i]
		}
	}
	return s
}

func shortPhrase(s string) bool {
	n := wordCount(s)
	return s != "" && n <= 7 && len(text.Terms(s)) > 0
}

// compoundParts are what a question asks for one by one, nil when it asks for
// one thing. Every part is readable by itself.
func compoundParts(s string) []string {
	var parts []string
	switch {
	case len(comparands(s)) > 1:
		return comparands(s)
	case countQuestions(s) > 1:
		parts = splitQuestions(s)
	default:
		body := strings.TrimRight(s, "?？.。 ")
		for _, split := range []func(string) []string{splitClauses, splitPair, splitExtra} {
			if parts = split(body); len(parts) > 0 {
				break
			}
		}
	}
	return sensible(parts, s)
}

func countQuestions(s string) int {
	n := 0
	for _, p := range reMarks.Split(s, -1) {
		if len(text.Terms(p)) > 0 {
			n++
		}
	}
	return n
}

func splitQuestions(s string) []string {
	topic := ""
	var out []string
	rest := s
	for {
		loc := reMarks.FindStringIndex(rest)
		if loc == nil {
			return out // what follows the last mark is an instruction, not a part
		}
		p := strings.TrimSpace(rest[:loc[0]])
		rest = rest[loc[1]:]
		if len(text.Terms(p)) == 0 {
			continue
		}
		if topic == "" {
			topic = nounAfterIs(p)
		}
		if len(out) > 0 {
			p = resolve(p, topic)
		}
		out = append(out, p)
	}
}

var reNoun = regexp.MustCompile(`(?i)^(?:what|who|where)\s+(?:is|are|was|were)\s+(?:an?\s+|the\s+)?(.+)$`)

// nounAfterIs is X of "what is X", or the topic of the question.
func nounAfterIs(p string) string {
	if m := reNoun.FindStringSubmatch(p); m != nil && shortPhrase(m[1]) {
		return trimPhrase(m[1])
	}
	return topicOf(p)
}

// resolve puts the topic in the place of the first pronoun.
func resolve(p, topic string) string {
	if topic == "" {
		return p
	}
	loc := rePronoun.FindStringIndex(p)
	if loc == nil {
		return p
	}
	word := strings.ToLower(p[loc[0]:loc[1]])
	if word == "its" || word == "their" {
		topic = possessive(topic)
	}
	return p[:loc[0]] + topic + p[loc[1]:]
}

func possessive(s string) string {
	if strings.HasSuffix(s, "s") {
		return s + "’"
	}
	return s + "’s"
}

func splitClauses(s string) []string {
	loc := reClauses.FindStringSubmatchIndex(s)
	if loc == nil || loc[0] == 0 {
		return nil
	}
	left, right := s[:loc[0]], s[loc[2]:]
	if len(text.ContentWords(left)) < 2 || len(text.ContentWords(right)) < 2 {
		return nil
	}
	topic := topicOf(left)
	if topic == "" {
		topic = nounAfterIs(left)
	}
	return []string{left, resolve(right, topic)}
}

func splitPair(s string) []string {
	verb := reVerb.FindString(s)
	if verb == "" {
		return nil
	}
	m := rePair.FindStringSubmatch(cutExtra(s[len(verb):]))
	if m == nil || wordCount(m[1]) != wordCount(m[3]) {
		return nil // "human and economic toll" is one thing
	}
	var out []string
	for _, head := range []string{m[1], m[2], m[3]} {
		if head != "" {
			out = append(out, head+" "+m[4]+" "+m[5])
		}
	}
	return append(out, splitExtra(s)...)
}

func cutExtra(s string) string {
	if loc := reExtra.FindStringIndex(s); loc != nil {
		return s[:loc[0]]
	}
	return s
}

func splitExtra(s string) []string {
	m := reExtra.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	topic := topicOf(cutExtra(s))
	var out []string
	for _, item := range reItems.Split(m[1], -1) {
		if item = trimPhrase(item); rePrep.MatchString(item) {
			return nil // the list was none: a further clause follows
		}
		if rePronoun.MatchString(item) {
			item = resolve(item, topic)
		} else if topic != "" && overlap(setOf(text.Terms(item)), setOf(text.Terms(topic))) == 0 {
			item += " (" + topic + ")"
		}
		out = append(out, item)
	}
	return out
}

// sensible drops parts that would make a poor heading or repeat another part.
func sensible(parts []string, whole string) []string {
	all := setOf(text.Terms(whole))
	var out []string
	var sets []termSet
	for _, p := range parts {
		p = trimPhrase(tidy(p))
		set := setOf(text.Terms(p))
		if len(set) < 2 || wordCount(p) > 24 || len(set) == len(all) && wordCount(p) >= wordCount(whole) || repeats(set, sets) {
			continue
		}
		out, sets = append(out, p), append(sets, set)
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

func repeats(set termSet, seen []termSet) bool {
	for _, o := range seen {
		if jaccard(set, o) > 0.8 {
			return true
		}
	}
	return false
}
