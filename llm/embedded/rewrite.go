package embedded

import (
	"sort"
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// rewordings are other wordings of a sub-question for a search that found
// nothing: with everyday and technical words exchanged, with the words that no
// found document knows left out, with the headings of what was read, and with
// the names alone.
func (s *step) rewordings(q research.Subquestion) []string {
	words := text.ContentWords(q.Text)
	if isCJKText(q.Text) {
		return cjkRewordings(q.Text)
	}
	var out []string
	if w := exchanged(words); w != nil {
		out = append(out, strings.Join(w, " "))
	}
	if w := s.commonWords(words); len(w) > 0 && len(w) < len(words) {
		out = append(out, strings.Join(w, " "))
	}
	if n := longestName(q.Text); n != "" {
		out = append(out, n)
	}
	if h := s.nearHeading(q); h != "" {
		out = append(out, h)
	}
	if len(words) > 3 {
		out = append(out, strings.Join(longest(words, (len(words)+1)/2), " "))
	}
	return out
}

// synonyms are pairs that writers of questions and of pages choose differently.
var synonyms = [...][2]string{
	{"cost", "price"}, {"buy", "purchase"}, {"start", "begin"}, {"end", "finish"}, {"make", "create"},
	{"delete", "remove"}, {"error", "failure"}, {"fix", "repair"}, {"fast", "speed"}, {"big", "large"},
	{"cause", "reason"}, {"effect", "impact"}, {"death", "fatalities"}, {"killed", "deaths"}, {"kill", "deaths"},
	{"damage", "destruction"}, {"house", "home"}, {"houses", "homes"}, {"car", "vehicle"}, {"doctor", "physician"},
	{"film", "movie"}, {"song", "single"}, {"author", "writer"}, {"founded", "established"}, {"born", "birth"},
	{"died", "death"}, {"married", "marriage"}, {"invented", "invention"}, {"discovered", "discovery"},
	{"country", "nation"}, {"war", "conflict"}, {"law", "act"}, {"help", "assistance"}, {"use", "usage"},
	{"show", "display"}, {"set", "configure"}, {"setting", "option"}, {"install", "installation"},
	{"change", "modify"}, {"stop", "prevent"}, {"allow", "permit"}, {"need", "require"}, {"choose", "select"},
	{"picture", "image"}, {"energy", "power"}, {"money", "funds"}, {"job", "occupation"}, {"old", "age"},
	{"storm", "typhoon"}, {"rain", "rainfall"}, {"hit", "landfall"}, {"people", "population"}, {"win", "winner"},
	{"prove", "proof"}, {"proven", "proof"}, {"test", "check"}, {"way", "method"}, {"kind", "type"},
	{"explain", "explanation"}, {"example", "instance"}, {"important", "significance"}, {"size", "magnitude"},
}

// exchanged replaces words by their synonyms; nil when there is none.
func exchanged(words []string) []string {
	out := append([]string(nil), words...)
	hit := false
	for i, w := range words {
		for _, p := range synonyms {
			switch {
			case text.Stem(w) == text.Stem(p[0]):
				out[i], hit = p[1], true
			case text.Stem(w) == text.Stem(p[1]):
				out[i], hit = p[0], true
			default:
				continue
			}
			break
		}
	}
	if !hit {
		return nil
	}
	return out
}

// commonWords keeps the words that occur in titles and snippets found so far.
func (s *step) commonWords(words []string) []string {
	seen := termSet{}
	for _, h := range s.ledger.Hits {
		seen.addAll(setOf(text.Terms(h.Title + " " + h.Snippet)))
	}
	for _, d := range s.ledger.Sources {
		seen.addAll(setOf(text.Terms(d.Title)))
	}
	var out []string
	for _, w := range words {
		if seen.has(text.Stem(w)) {
			out = append(out, w)
		}
	}
	return out
}

// nearHeading is the title of the read source that shares most words with the
// sub-question, as a lead to its neighbours.
func (s *step) nearHeading(q research.Subquestion) string {
	asked := setOf(text.Terms(q.Text))
	best, most := "", 0
	for _, d := range s.ledger.Sources {
		if n := overlap(asked, setOf(text.Terms(d.Title))); n > most {
			best, most = d.Title, n
		}
	}
	return best
}

// longest keeps the n longest words in their order: long words are rarer.
func longest(words []string, n int) []string {
	at := make([]int, len(words))
	for i := range at {
		at[i] = i
	}
	sort.SliceStable(at, func(a, b int) bool { return len(words[at[a]]) > len(words[at[b]]) })
	at = at[:min(n, len(at))]
	sort.Ints(at)
	out := make([]string, len(at))
	for i, j := range at {
		out[i] = words[j]
	}
	return out
}

// cjkRewordings drops the question words at the end and keeps the longest runs.
func cjkRewordings(s string) []string {
	runs := strings.FieldsFunc(s, func(r rune) bool {
		return strings.ContainsRune(" 　、。，．？?！!「」『』のをはがにとでへも的是在和与", r)
	})
	sort.SliceStable(runs, func(a, b int) bool { return len(runs[a]) > len(runs[b]) })
	var out []string
	if len(runs) > 1 {
		out = append(out, strings.Join(runs[:min(2, len(runs))], " "))
	}
	if len(runs) > 0 {
		out = append(out, runs[0])
	}
	return out
}
