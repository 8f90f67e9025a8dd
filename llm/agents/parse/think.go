package parse

import "strings"

// thoughts are the marks that models put around what they think aloud.
var thoughts = [...][2]string{
	{"<think>", "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"<reasoning>", "</reasoning>"},
	{"<|begin_of_thought|>", "<|end_of_thought|>"},
	{"◁think▷", "◁/think▷"},
	{"[THINK]", "[/THINK]"},
	{"<|channel|>analysis<|message|>", "<|end|>"},
}

// Split parts an answer from the thought around it. A thought that was never
// closed is all thought; one that was only closed (the opening mark was part of
// the prompt) reaches back to the start.
func Split(s string) (answer, thought string) {
	var said strings.Builder
	var aloud []string
	for range maxThoughts {
		from, body, to, rest := nextThought(s)
		if from < 0 {
			break
		}
		if body == 0 { // closed only
			aloud = append(aloud, strings.TrimSpace(said.String()))
			said.Reset()
		}
		aloud = append(aloud, strings.TrimSpace(s[body:to]))
		said.WriteString(s[:from])
		s = s[rest:]
	}
	return strings.TrimSpace(said.String() + s), strings.TrimSpace(strings.Join(aloud, "\n"))
}

// maxThoughts bounds the work on an answer that is all marks.
const maxThoughts = 64

// nextThought finds the first thought: where its mark, its text, the text's end
// and the rest begin. from is -1 where there is none.
func nextThought(s string) (from, body, to, rest int) {
	from = -1
	for _, m := range thoughts {
		open, end := strings.Index(s, m[0]), strings.Index(s, m[1])
		switch {
		case open < 0 && (end < 0 || m[1] == "<|end|>"):
			continue
		case end >= 0 && (open < 0 || end < open): // closed only
			if from < 0 || from > 0 {
				from, body, to, rest = 0, 0, end, end+len(m[1])
			}
			continue
		case from >= 0 && open >= from:
			continue
		}
		from, body = open, open+len(m[0])
		to, rest = len(s), len(s)
		if i := strings.Index(s[body:], m[1]); i >= 0 {
			to, rest = body+i, body+i+len(m[1])
		}
	}
	return from, body, to, rest
}
