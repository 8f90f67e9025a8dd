package embedded

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/progrouter/progrouter/retrieval/text"
)

// statement is a claim laid out for comparing it with others.
type statement struct {
	draft    *draft
	bare     termSet // its words without numbers, units and negations
	measures []measure
	cjk      bool
}

// measure is a number with what it counts and what it is said of.
type measure struct {
	value  string
	unit   string  // stem of the word behind it, "year" for years
	near   string  // the content word right before it, "" if none
	around termSet // content words close to it
	before termSet // content words before near
}

// reYearValue matches the years that texts speak of.
var reYearValue = regexp.MustCompile(`^(?:1\d{3}|20\d\d)$`)

// around is how many content words before a number may say what it is of.
const around = 4

func statementOf(d *draft) statement {
	s := norm.NFKC.String(d.claim.Text)
	st := statement{draft: d, bare: termSet{}, cjk: isCJKText(s)}
	numbers := findNumbers(s)
	units := termSet{}
	for _, n := range numbers {
		m := measure{value: n.value, unit: unitAfter(s[n.end:])}
		if reYearValue.MatchString(n.value) && !strings.HasPrefix(strings.TrimSpace(s[n.end:]), "°") {
			m.unit = "year"
		} else {
			units[m.unit] = struct{}{}
		}
		before := meaningful(s[:n.start])
		m.around, m.before = termSet{}, termSet{}
		if len(before) > 0 {
			m.near = before[len(before)-1]
			m.before = setOf(before[:len(before)-1])
			m.around = setOf(before[max(0, len(before)-around):])
		}
		after := meaningful(s[n.end:])
		m.around.addAll(setOf(after[:min(len(after), around)]))
		st.measures = append(st.measures, m)
	}
	for _, t := range meaningful(s) {
		if !units.has(t) {
			st.bare[t] = struct{}{}
		}
	}
	return st
}

// meaningful are the terms of a text without numbers, negations and "every".
func meaningful(s string) []string {
	var out []string
	for _, t := range text.Terms(s) {
		if skipTerm(t) {
			continue
		}
		out = append(out, t)
	}
	return out
}

func skipTerm(t string) bool {
	switch t {
	case "never", "without", "neither", "nor", "none", "cannot", "everi", "each", "about", "around", "approxim", "near", "almost",
		"hundr", "thousand", "million", "billion", "year", "exact", "rough":
		return true
	}
	if t == "" || t[0] >= '0' && t[0] <= '9' || reNegation.MatchString(t) {
		return true
	}
	if _, ok := numberWords[t]; ok || ordinalWords[t] > 0 {
		return true
	}
	return strings.ContainsAny(t, "0123456789一二三四五六七八九十百千万")
}

// unitAfter is the word right behind a number, its different spellings made one.
func unitAfter(rest string) string {
	rest = strings.TrimLeft(rest, " -\u00a0")
	if r, _ := utf8.DecodeRuneInString(rest); r == '°' || r == '%' || text.IsCJK(r) {
		return string(r)
	}
	if rest == "" || strings.ContainsRune(".,;:)", rune(rest[0])) {
		return ""
	}
	words := text.Tokens(firstWord(rest))
	if len(words) == 0 || text.IsStop(words[0]) {
		return ""
	}
	if u, ok := unitNames[words[0]]; ok {
		return u
	}
	return text.Stem(words[0])
}

var unitNames = map[string]string{
	"m": "metr", "meter": "metr", "meters": "metr", "metre": "metr", "metres": "metr", "km": "kilometr", "kilometers": "kilometr", "kilometres": "kilometr",
	"percent": "%", "degrees": "°", "kg": "kilogram", "kilograms": "kilogram", "ft": "foot", "feet": "foot", "hrs": "hour", "hours": "hour",
	"mins": "minut", "minutes": "minut", "secs": "second", "seconds": "second", "tonnes": "tonn", "tons": "tonn",
}

// differ says whether two statements give different numbers for one thing: the
// same unit, no common value, and the same word led up to them.
func differ(a, b statement) bool {
	for _, x := range a.measures {
		for _, y := range b.measures {
			if x.unit != y.unit || x.value == y.value || a.gives(x.unit, y.value) || b.gives(y.unit, x.value) {
				continue
			}
			if a.cjk && b.cjk || sameThing(a, b, x, y) {
				return true
			}
		}
	}
	return false
}

func (s statement) gives(unit, value string) bool {
	for _, m := range s.measures {
		if m.unit == unit && m.value == value {
			return true
		}
	}
	return false
}

// sameThing says whether two numbers are said of the same: the word before one
// stands near the other, and what the shorter statement speaks of before it is
// named by the other.
func sameThing(a, b statement, x, y measure) bool {
	if x.near != "" && y.near != "" && !y.around.has(x.near) && !x.around.has(y.near) {
		return false
	}
	short, long := x.before, b.bare
	if len(y.before) < len(x.before) {
		short, long = y.before, a.bare
	}
	return overlap(short, long) >= len(short)-len(short)/4
}
