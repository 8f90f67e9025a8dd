package i18n

import (
	"fmt"
	"strconv"
	"strings"
)

// text is a message cut at its {{.Name}} placeholders: words, then a name, then
// words … so odd places are names. "{{.Name one|other}}" is a word that agrees
// with the count of that name instead of the count itself.
type text []string

// cut reads a message. Only plain placeholders are known; anything else in
// braces stays as it is written.
func cut(s string) text {
	var out text
	for {
		before, rest, found := strings.Cut(s, "{{.")
		name, after, closed := strings.Cut(rest, "}}")
		if !found || !closed {
			return append(out, s)
		}
		out, s = append(out, before, name), after
	}
}

// fill puts values in; a missing one shows its placeholder, so that it is seen.
// form tells the plural form of a count.
func (t text) fill(value func(name string) (any, bool), form func(count int) string) string {
	if len(t) == 1 {
		return t[0]
	}
	var b strings.Builder
	for i, part := range t {
		if i%2 == 0 {
			b.WriteString(part)
			continue
		}
		name, forms, agrees := strings.Cut(part, " ")
		v, ok := value(name)
		switch {
		case !ok:
			b.WriteString("{{." + part + "}}")
		case agrees:
			b.WriteString(agree(v, forms, form))
		default:
			b.WriteString(show(v))
		}
	}
	return b.String()
}

// agree picks the form of a word, of "one|other" in this order, that goes with a
// count. A count that is already written as people read it is read back.
func agree(count any, forms string, form func(count int) string) string {
	one, other, _ := strings.Cut(forms, "|")
	n, err := strconv.Atoi(strings.ReplaceAll(fmt.Sprint(count), ",", ""))
	if err == nil && form(n) == "one" {
		return one
	}
	return other
}
