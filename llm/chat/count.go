package chat

import "unicode"

// Where a Usage comes from.
const (
	FromServer = "server"
	FromLocal  = "local"
)

// Plus adds two usages. The sum is local as soon as one of them is.
func (u Usage) Plus(v Usage) Usage {
	u.Input += v.Input
	u.Cached += v.Cached
	u.Output += v.Output
	u.Reasoning += v.Reasoning
	if u.Counted == "" || v.Counted == FromLocal {
		u.Counted = v.Counted
	}
	return u
}

// Count estimates the tokens of a text without a tokenizer: one per Chinese,
// Japanese or Korean character, and one per four bytes of everything else,
// rounded up. For English prose it is within about a quarter of common
// tokenizers; numbers, code and rare scripts take more tokens than it says.
func Count(s string) int {
	wide, bytes := 0, 0
	for _, r := range s {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			wide++
			continue
		}
		bytes += runeBytes(r)
	}
	return wide + (bytes+3)/4
}

func runeBytes(r rune) int { return len(string(r)) }

// perMessage is what chat templates add around a message, in tokens.
const perMessage = 4

// CountRequest estimates the tokens of a prompt, with what chat templates add
// and with the schema, which some servers put into the prompt.
func CountRequest(r Request) int {
	n := perMessage + Count(string(r.Schema))
	for _, m := range r.Messages {
		n += perMessage + Count(m.Text)
	}
	return n
}

// CountResponse estimates the usage of an answer, or of what arrived of one.
func CountResponse(r Request, text, reasoning string) Usage {
	thought := Count(reasoning)
	return Usage{Input: CountRequest(r), Output: Count(text) + thought, Reasoning: thought, Counted: FromLocal}
}
