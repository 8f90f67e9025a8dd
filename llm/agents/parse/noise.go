package parse

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/progrouter/progrouter/research"
)

var (
	reRefusal = regexp.MustCompile(`(?i)^\W*(?:i['’]?m sorry|i am sorry|sorry,|i apologi[sz]e|i (?:can(?:no|['’])t|cannot|am unable to|am not able to|won['’]t|will not|must decline)|as an ai\b|unfortunately,? i (?:can|am)|i do(?:n['’]t| not) have (?:access|the ability|enough information))` +
		`|^\W*(?:죄송|미안하지만)|^\W*(?:申し訳|すみません)|^\W*(?:抱歉|对不起|對不起|很抱歉)|^\W*(?:es tut mir leid|lo siento|je suis désolé|mi dispiace)`)
	reTool = regexp.MustCompile(`(?i)<\|?/?(?:tool_call|function_call|tool_response|tool▁calls?[^>]*)\|?>|\[TOOL_CALLS?\]|<function=|"(?:tool_calls|function_call)"\s*:|\{\s*"name"\s*:\s*"[^"]+"\s*,\s*"(?:arguments|parameters)"\s*:|^\s*functions?\.\w+\(`)
	// reTemplate finds tokens of chat templates, which a model that was not made
	// for chat repeats.
	reTemplate = regexp.MustCompile(`<\|?/?(?:im_start|im_end|start_of_turn|end_of_turn|eot_id|endoftext|start_header_id|end_header_id|assistant|user|system|bos|eos|s|pad|unk|unused\d+)\|?>|\[/?INST\]|<</?SYS>>`)
)

// Refuses says whether an answer declines to answer.
func Refuses(s string) bool { return reRefusal.MatchString(s) }

// CallsTool says whether an answer calls a tool, which nobody offered.
func CallsTool(s string) bool { return reTool.MatchString(s) }

// TemplateNoise says whether an answer is mostly tokens of chat templates.
func TemplateNoise(s string) bool {
	n := 0
	for _, m := range reTemplate.FindAllStringIndex(s, -1) {
		n += m[1] - m[0]
	}
	return n > 0 && n*2 > len(strings.TrimSpace(s))
}

// WithoutTemplate leaves the tokens of chat templates out.
func WithoutTemplate(s string) string { return reTemplate.ReplaceAllString(s, "") }

const (
	loopTail   = 480 // bytes at the end that are looked at
	loopLeast  = 160 // bytes that a repetition must fill
	loopRounds = 6   // times that it must be seen
)

// Loops says whether the end of a text repeats itself: one piece, again and
// again. It is cheap enough to be asked while a text arrives.
func Loops(s string) bool {
	tail := s[max(0, len(s)-loopTail):]
	for period := 1; period*loopRounds <= len(tail); period++ {
		need := max(loopLeast, period*loopRounds)
		if need > len(tail) {
			return false
		}
		end := tail[len(tail)-need:]
		if end[period:] == end[:len(end)-period] {
			return strings.TrimSpace(end) != "" || need == len(tail)
		}
	}
	return false
}

// Speaks says whether a text may be in one of the languages (BCP 47 base tags).
// Short texts may be in any.
func Speaks(s string, languages ...string) bool {
	letters := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters < 12 {
		return true
	}
	told := research.GuessLanguage(s)
	for _, l := range languages {
		if told == l || l == "ja" && told == "zh" { // Japanese titles may do without kana
			return true
		}
	}
	if scriptOf(told) != latin {
		return false
	}
	// Among languages of one script only a clear case counts: English is what a
	// text is called that nothing tells.
	for _, l := range languages {
		if scriptOf(l) == latin && (told == "en" && len(strings.Fields(s)) < 12 || l == "en" && len(strings.Fields(s)) < 6) {
			return true
		}
	}
	return false
}

const latin = "latin"

func scriptOf(language string) string {
	switch language {
	case "ko", "ja", "zh", "ru":
		return language
	}
	return latin
}
