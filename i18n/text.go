package i18n

import "strings"

// text is a message cut at its {{.Name}} placeholders: words, then a name, then
// words … so odd places are names.
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
func (t text) fill(value func(name string) (any, bool)) string {
	if len(t) == 1 {
		return t[0]
	}
	var b strings.Builder
	for i, part := range t {
		if i%2 == 0 {
			b.WriteString(part)
		} else if v, ok := value(part); ok {
			b.WriteString(show(v))
		} else {
			b.WriteString("{{." + part + "}}")
		}
	}
	return b.String()
}
