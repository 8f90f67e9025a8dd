package verify

import (
	"regexp"
	"slices"
	"strings"
)

// Extract is the answer in what a model wrote. For code it is the last complete
// fenced block that defines the function, else one that was cut, else the last
// block, else the text itself where it reads like code. For mathematics it is
// what stands in the last box; numbers are also found without one. False where
// there is no answer.
func Extract(t Task, text string) (string, bool) {
	switch {
	case t.Kind == Code:
		return code(t.function(), t.Entry != "", text)
	case t.latex():
		s, ok := boxed(text)
		return strings.TrimSpace(s), ok && strings.TrimSpace(s) != ""
	}
	return lastNumber(text)
}

// block is a fenced block. Complete blocks have a closing fence.
type block struct {
	language string
	text     string
	complete bool
}

var fence = regexp.MustCompile("^([ \t]*)(```+|~~~+)[ \t]*([^`]*)$")

// blocks are the fenced blocks of a text. before is what stands before the
// first fence.
func blocks(text string) (found []block, before string) {
	var body []string
	var open []string // indentation, fence, language; nil outside
	first := true
	for _, line := range strings.Split(text, "\n") {
		m := fence.FindStringSubmatch(strings.TrimRight(line, "\r"))
		switch {
		case m != nil && open == nil:
			open = m[1:]
			if first {
				before, first = strings.Join(body, "\n"), false
			}
			body = nil
		case m != nil && strings.HasPrefix(m[2], open[1]) && strings.TrimSpace(m[3]) == "":
			found = append(found, block{language(open[2]), strings.Join(body, "\n"), true})
			open, body = nil, nil
		case open != nil:
			body = append(body, strings.TrimPrefix(line, open[0]))
		default:
			body = append(body, line)
		}
	}
	if open != nil {
		found = append(found, block{language(open[2]), strings.Join(body, "\n"), false})
	}
	return found, before
}

func language(info string) string {
	f := strings.Fields(strings.ToLower(strings.Trim(info, "{}. \t")))
	if len(f) == 0 {
		return ""
	}
	return f[0]
}

func (b block) python() bool {
	return b.language == "" || strings.HasPrefix(b.language, "py")
}

// code finds the program for function in a text. body tells whether it may be
// only the function's body.
func code(function string, body bool, text string) (string, bool) {
	found, before := blocks(text)
	// Whoever was given the opening fence closes it and no more.
	if len(found) == 1 && found[0].language == "" && strings.TrimSpace(found[0].text) == "" && looksLikeCode(before, body) {
		return trimmed(before), true
	}
	defines := definition(function)
	var best string
	score := 0
	for _, b := range found {
		s := 1
		switch {
		case strings.TrimSpace(b.text) == "":
			continue
		case defines.MatchString(b.text) && b.complete:
			s = 4
		case defines.MatchString(b.text):
			s = 3
		case b.python():
			s = 2
		}
		if s >= score {
			best, score = b.text, s
		}
	}
	if score > 0 {
		return trimmed(best), true
	}
	return bare(defines, body, text)
}

// definition matches a definition of name that does not stand in another one.
// Without a name it matches any function.
func definition(name string) *regexp.Regexp {
	n := `\w+`
	if name != "" {
		n = regexp.QuoteMeta(name)
	}
	return regexp.MustCompile(`(?m)^[ \t]*(?:(?:async[ \t]+)?def[ \t]+` + n + `[ \t]*\(|class[ \t]+` + n + `\b|` + n + `[ \t]*=[^=])`)
}

var (
	statement = regexp.MustCompile(`^(?:from\s+\S+\s+import\b|import\s+\w|(?:async\s+)?def\s+\w+\s*\(|class\s+\w+\s*[:(]|@\w|if\b.*:|for\b.*:|while\b.*:|with\b.*:|try:|return\b|print\(|assert\b|#|[\w.\[\], ]+\s*[-+*/|&]?=[^=]|[\w.]+\(.*\)$|[)\]}]|"""|'''|else:|elif\b.*:|except\b.*:|finally:)`)
	opening   = regexp.MustCompile(`^(?:from\s+\S+\s+import\b|import\s+\w|(?:async\s+)?def\s+\w+\s*\(|class\s+\w+\s*[:(]|@\w)`)
)

// bare finds code in a text without fences: from the first line that begins a
// program to the last that can belong to it.
func bare(defines *regexp.Regexp, body bool, text string) (string, bool) {
	lines := strings.Split(text, "\n")
	if defines.MatchString(text) {
		from := slices.IndexFunc(lines, func(l string) bool { return opening.MatchString(l) })
		if from >= 0 {
			return trimmed(strings.Join(lines[from:from+programEnd(lines[from:])], "\n")), true
		}
	}
	if body && looksLikeCode(text, true) {
		return trimmed(strings.Join(lines[:programEnd(lines)], "\n")), true
	}
	return "", false
}

// programEnd is the number of lines before prose begins.
func programEnd(lines []string) int {
	quoted := false
	for i, l := range lines {
		inside := quoted
		if (strings.Count(l, `"""`)+strings.Count(l, `'''`))%2 == 1 {
			quoted = !quoted
		}
		if inside || strings.TrimSpace(l) == "" || strings.HasPrefix(l, " ") || strings.HasPrefix(l, "\t") || statement.MatchString(l) {
			continue
		}
		return i
	}
	return len(lines)
}

// looksLikeCode judges by the first line that is not empty.
func looksLikeCode(text string, body bool) bool {
	for _, l := range strings.Split(text, "\n") {
		s := strings.TrimSpace(l)
		if s == "" {
			continue
		}
		return opening.MatchString(s) || body && statement.MatchString(s)
	}
	return false
}

// trimmed drops empty lines around code and the blank end, never indentation.
func trimmed(s string) string {
	s = strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), " \t\r\n")
	for {
		line, rest, ok := strings.Cut(s, "\n")
		if !ok || strings.TrimSpace(line) != "" {
			return s
		}
		s = rest
	}
}

var (
	literal = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`)
	call    = regexp.MustCompile(`[\w.]*[A-Za-z_]\w*\s*\(`)
)

// function is the name of the function that a code task wants: its entry, else
// what every one of its tests calls. Names that Python has itself count only
// where there is no other.
func (t Task) function() string {
	if t.Entry != "" {
		return t.Entry
	}
	var common []string
	for i, test := range t.Tests {
		names := called(test)
		if i == 0 {
			common = names
		}
		common = slices.DeleteFunc(common, func(n string) bool { return !slices.Contains(names, n) })
	}
	for _, n := range common {
		if !slices.Contains(own, n) {
			return n
		}
	}
	if len(common) > 0 {
		return common[0]
	}
	return ""
}

// called are the names that an expression calls; methods are left out.
func called(test string) (names []string) {
	for _, m := range call.FindAllString(literal.ReplaceAllString(test, `""`), -1) {
		name := strings.TrimRight(m, " \t(")
		if !strings.Contains(name, ".") && !slices.Contains(operators, name) {
			names = append(names, name)
		}
	}
	return names
}

var operators = strings.Fields("assert not and or in is if else lambda")

// own are Python's functions that tests wrap around the one they test.
var own = strings.Fields("abs all any bool dict enumerate float frozenset int isinstance iter len list map max min next range repr reversed round set sorted str sum tuple type zip")
