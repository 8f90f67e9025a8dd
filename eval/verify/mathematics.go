package verify

import (
	"regexp"
	"strings"
)

// boxed is the content of the last \boxed{…} whose braces close.
func boxed(text string) (string, bool) {
	const open = `\boxed`
	for end := len(text); ; {
		i := strings.LastIndex(text[:end], open)
		if i < 0 {
			return "", false
		}
		if s, ok := braced(strings.TrimLeft(text[i+len(open):], " \t\n")); ok {
			return s, true
		}
		end = i
	}
}

// braced is what stands between the brace that s begins with and its partner.
func braced(s string) (string, bool) {
	if !strings.HasPrefix(s, "{") {
		return "", false
	}
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++ // \{ and \} are characters
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return s[1:i], true
			}
		}
	}
	return "", false
}

var (
	sideCommand = regexp.MustCompile(`\\(?:left|right)([^A-Za-z]|$)`)
	// A line break, \\\\, is none; it is matched first and kept.
	spacing     = regexp.MustCompile(`(\\\\)|\\[,!;: ]|\\q?quad([^A-Za-z]|$)|[\s~]`)
	textCommand = regexp.MustCompile(`\\text\s*\{`)
)

// normal is LaTeX without spacing, \left, \right and \text, with \frac for
// \dfrac. Nothing is calculated: 1/2 and \frac12 stay different.
func normal(s string) string {
	for {
		at := textCommand.FindStringIndex(s)
		if at == nil {
			break
		}
		inner, ok := braced(s[at[1]-1:])
		if !ok {
			break
		}
		s = s[:at[0]] + inner + s[at[1]+len(inner)+1:]
	}
	s = strings.ReplaceAll(s, `\dfrac`, `\frac`)
	// Twice, since one match takes the character that the next begins with.
	for range 2 {
		s = spacing.ReplaceAllString(sideCommand.ReplaceAllString(s, "$1"), "$1$2")
	}
	return s
}

var (
	figure = regexp.MustCompile(`-?(?:\\?\$)?\s?-?(?:\d{1,3}(?:(?:,|\{,\}|,\\!|\\,)\d{3})+|\d+)(?:\.\d+)?`)
	marker = regexp.MustCompile(`(?i)answer|####`)
	// sentences end at a line's end too; the points of decimals end none.
	sentences = regexp.MustCompile(`[.!?]\s|\n`)
	zeros     = regexp.MustCompile(`\.0+$`)
	noise     = strings.NewReplacer("$", "", `\`, "", ",", "", "{", "", "}", "", "!", "", " ", "")
)

// number is s as plain digits: without thousands separators, dollar sign and a
// fraction of zeros. False where s is anything but one number.
func number(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if m := figure.FindString(s); m == "" || m != s {
		return "", false
	}
	return plain(s), true
}

func plain(figure string) string {
	s := zeros.ReplaceAllString(noise.Replace(figure), "")
	digits := strings.TrimLeft(strings.TrimLeft(s, "-"), "0")
	if digits == "" || strings.HasPrefix(digits, ".") {
		digits = "0" + digits
	}
	if strings.HasPrefix(s, "-") && digits != "0" {
		return "-" + digits
	}
	return digits
}

// lastNumber is the number a solution ends with: in its last box, else on the
// first sentence or line with a number from the last word "answer" or "####" on, else the
// last one of the text.
func lastNumber(text string) (string, bool) {
	if s, ok := boxed(text); ok {
		if n, ok := last(s); ok {
			return n, true
		}
	}
	if marks := marker.FindAllStringIndex(text, -1); len(marks) > 0 {
		for _, sentence := range sentences.Split(text[marks[len(marks)-1][1]:], -1) {
			if n, ok := last(sentence); ok {
				return n, true
			}
		}
	}
	return last(text)
}

// last is the last number of a text. A minus right behind a figure subtracts.
func last(text string) (string, bool) {
	found := figure.FindAllStringIndex(text, -1)
	if len(found) == 0 {
		return "", false
	}
	at := found[len(found)-1]
	n := plain(text[at[0]:at[1]])
	if at[0] > 0 && strings.ContainsRune("0123456789)", rune(text[at[0]-1])) {
		n = strings.TrimPrefix(n, "-")
	}
	return n, true
}

// solved compares an extracted answer with the right one.
func (t Task) solved(answer string) bool {
	if t.latex() {
		return normal(answer) == normal(t.Answer)
	}
	want, ok := number(t.Answer)
	return ok && answer == want
}
