package chat

import "strings"

// Some models think aloud inside their answer, between tags at its beginning.
var thinkTags = []string{"<think>", "<thinking>"}

// Splitter parts a stream into thinking and answer. Its zero value is ready.
type Splitter struct {
	held     string // not yet decided
	begun    bool   // past where an opening tag may stand
	closing  string // the tag that ends the thinking under way
	trimming bool   // the answer has not begun, spaces before it are dropped
}

// Add takes what arrived and returns what is known of it by now.
func (s *Splitter) Add(text string) Delta {
	s.held += text
	if !s.begun {
		s.open()
		if !s.begun {
			return Delta{}
		}
	}
	if s.closing != "" {
		return s.think()
	}
	return Delta{Text: s.take(s.held)}
}

// End returns what was held back.
func (s *Splitter) End() Delta {
	held := s.held
	s.held = ""
	if s.closing != "" {
		return Delta{Reasoning: held}
	}
	return Delta{Text: held}
}

func (s *Splitter) open() {
	rest := strings.TrimLeft(s.held, " \t\r\n")
	for _, tag := range thinkTags {
		if strings.HasPrefix(rest, tag) {
			s.begun, s.held, s.closing = true, rest[len(tag):], "</"+tag[1:]
			return
		}
		if strings.HasPrefix(tag, rest) {
			return // may become one
		}
	}
	s.begun = true
}

func (s *Splitter) think() Delta {
	thought, answer, done := strings.Cut(s.held, s.closing)
	if done {
		s.closing, s.trimming = "", true
		return Delta{Reasoning: thought, Text: s.take(answer)}
	}
	keep := partial(thought, s.closing)
	s.held = thought[len(thought)-keep:]
	return Delta{Reasoning: thought[:len(thought)-keep]}
}

func (s *Splitter) take(text string) string {
	s.held = ""
	if s.trimming {
		text = strings.TrimLeft(text, " \t\r\n")
		s.trimming = text == ""
	}
	return text
}

// partial is how many bytes at the end of s may begin tag.
func partial(s, tag string) int {
	for n := min(len(s), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(s, tag[:n]) {
			return n
		}
	}
	return 0
}

// SplitThinking parts a whole answer. It also knows answers whose opening tag was
// part of the prompt, so that only the closing one is left.
func SplitThinking(text string) (answer, reasoning string) {
	var s Splitter
	a, b := s.Add(text), s.End()
	answer, reasoning = a.Text+b.Text, a.Reasoning+b.Reasoning
	for _, tag := range thinkTags {
		closing := "</" + tag[1:]
		if i := strings.LastIndex(answer, closing); i >= 0 && !strings.Contains(answer[:i], tag) {
			return strings.TrimLeft(answer[i+len(closing):], " \t\r\n"), reasoning + answer[:i]
		}
	}
	return answer, reasoning
}
