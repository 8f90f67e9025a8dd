package agents

import (
	"regexp"
	"strings"
	"unicode"
)

// fence puts lines of data between two marks. Whoever wrote the data cannot know
// the mark; should it stand in the data all the same, it is taken out.
func fence(mark string, lines []string) string {
	m := "<<" + mark + ">>"
	var b strings.Builder
	b.WriteString(m)
	for _, l := range lines {
		b.WriteString("\n")
		b.WriteString(strings.ReplaceAll(plain(l), mark, ""))
	}
	b.WriteString("\n" + m)
	return b.String()
}

var (
	// reControl finds what chat templates and fences are made of.
	reControl = regexp.MustCompile(`(?i)<[|｜][^|｜<>]{0,40}[|｜]>|</?(?:s|bos|eos|pad|unk|think|thinking|system|user|assistant|start_of_turn|end_of_turn|start_of_image|tool_call|tool_response)>|\[/?(?:INST|THINK|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]|<</?SYS>>|<{2,}|>{2,}`)
	reLink    = regexp.MustCompile(`(?i)\b(?:https?|ftp|file|data|javascript)\s?:\S*|\bwww\.\S+|\b\S+@\S+\.\S+|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|edu|gov|info|biz|ru|cn|kr|jp|de|uk|co|ai|app|xyz|test|example)\b(?:/\S*)?`)
	reImage   = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)`)
	reMark    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	reTag     = regexp.MustCompile(`</?[a-zA-Z!][^<>]*>`)
)

// plain is a piece of data on one line, without characters that are not seen and
// without what a chat template would read as its own. What is not seen goes
// first: it could hide a token of the template that its going brings about.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
	s = reControl.ReplaceAllString(s, " ")
	return strings.Join(strings.Fields(s), " ")
}

// sentence is what a model wrote without images, tags and the targets of links,
// also those that only show when others have gone.
func sentence(s string) string {
	const most = 8 // of one within another
	s = plain(s)
	for range most {
		was := s
		s = reImage.ReplaceAllString(s, " ")
		s = reMark.ReplaceAllString(s, "$1")
		if s = plain(reTag.ReplaceAllString(s, " ")); s == was {
			break
		}
	}
	return s
}

// hasAddress says whether a text names an address that the question does not.
func hasAddress(s, question string) bool {
	for _, a := range reLink.FindAllString(s, -1) {
		if !strings.Contains(question, a) {
			return true
		}
	}
	return false
}

// clip shortens a text to about n characters, at the end of a word.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	cut := string(r[:n])
	if i := strings.LastIndexByte(cut, ' '); i > n/2 {
		cut = cut[:i]
	}
	return cut + "…"
}
