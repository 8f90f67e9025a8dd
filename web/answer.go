package web

import (
	"encoding/json"
	"strings"
)

// readable is what a model is writing, as a person reads it: the texts and
// numbers of an answer in JSON that may still be incomplete, one to a line and
// ids of quotes in brackets behind theirs. What is no JSON stays as it is.
func readable(s string) string {
	t := strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(t, "```"); ok {
		_, t, _ = strings.Cut(rest, "\n")
	}
	if !strings.HasPrefix(t, "{") {
		return s
	}
	var r answerReader
	for t != "" {
		t = r.next(t)
	}
	return strings.Join(r.lines, "\n")
}

// answerReader walks through the tokens of an answer.
type answerReader struct {
	open   []byte // brackets that are open
	value  bool   // behind a colon
	number bool   // the last line ends with a number
	lines  []string
}

// next takes the first token of t and gives what follows.
func (r *answerReader) next(t string) string {
	switch c := t[0]; c {
	case '{', '[':
		r.open, r.value = append(r.open, c), false
	case '}', ']':
		r.open, r.value, r.number = r.open[:max(0, len(r.open)-1)], false, false
	case ':':
		r.value = true
	case ',':
		r.value = false
	case ' ', '\n', '\t', '\r', '`':
	case '"':
		text, rest := quoted(t)
		if r.wanted() {
			r.text(text)
		}
		return rest
	default:
		n := strings.IndexAny(t, "{}[],:\" \n\t\r`")
		if n < 0 {
			n = len(t)
		}
		if r.wanted() {
			r.figure(t[:n])
		}
		return t[n:]
	}
	return t[1:]
}

// wanted tells values from names of fields.
func (r *answerReader) wanted() bool {
	return r.value || len(r.open) > 0 && r.open[len(r.open)-1] == '['
}

func (r *answerReader) text(s string) {
	r.number = false
	if last := len(r.lines) - 1; last >= 0 && isQuoteID(s) {
		r.lines[last] += " [" + s + "]"
	} else if s != "" {
		r.lines = append(r.lines, s)
	}
}

func (r *answerReader) figure(s string) {
	if last := len(r.lines) - 1; last >= 0 && r.number {
		r.lines[last] += ", " + s
	} else {
		r.lines = append(r.lines, s)
	}
	r.number = true
}

func isQuoteID(s string) bool {
	return len(s) > 1 && s[0] == 'e' && strings.Trim(s[1:], "0123456789") == ""
}

// quoted reads the string that t begins with, as far as it goes.
func quoted(t string) (text, rest string) {
	end := 1
	for end < len(t) && t[end] != '"' {
		if t[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(t) {
		text, rest = t[1:], ""
	} else {
		text, rest = t[1:end], t[end+1:]
	}
	var out string
	for cut := 0; cut <= min(6, len(text)); cut++ { // an escape may be cut off in its middle
		if json.Unmarshal([]byte(`"`+text[:len(text)-cut]+`"`), &out) == nil {
			return out, rest
		}
		if rest != "" {
			break
		}
	}
	return text, rest
}
