package chat

import (
	"unicode"
	"unicode/utf8"
)

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
	var t tally
	t.add(s)
	return t.tokens()
}

// tally is a count in progress.
type tally struct{ wide, bytes int }

func (t *tally) add(s string) {
	for _, r := range s {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			t.wide++
			continue
		}
		t.bytes += utf8.RuneLen(r)
	}
}

func (t *tally) tokens() int { return t.wide + (t.bytes+3)/4 }

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

// CountResponse estimates the usage of an answer, or of what arrived of one. What
// is a little above MaxTokens is our estimate's fault, not the server's.
func CountResponse(r Request, text, reasoning string) Usage {
	thought, written := Count(reasoning), Count(text)
	total := thought + written
	if r.MaxTokens > 0 && total > r.MaxTokens && total <= MostOutput(r.MaxTokens) {
		total = r.MaxTokens
	}
	return Usage{Input: CountRequest(r), Output: total, Reasoning: min(thought, total), Counted: FromLocal}
}

// slack is by how many tokens a server's count may be beside ours where the
// answer is tiny: special tokens, mostly.
const slack = 64

// Checked returns what the server counted for an answer, or our own count where
// the server's cannot be true: nothing read, less than nothing, more read than
// the prompt has bytes, or more written than was allowed and arrived.
func Checked(server Usage, r Request, text, reasoning string) Usage {
	local := CountResponse(r, text, reasoning)
	most := max(r.MaxTokens, len(text)+len(reasoning)) + slack
	switch {
	case server.Input <= 0, server.Output < 0, server.Cached < 0, server.Reasoning < 0,
		server.Output == 0 && local.Output > 0,
		server.Input > promptBytes(r)*2+templates, server.Output > most:
		return local
	}
	server.Cached = min(server.Cached, server.Input)
	server.Reasoning = min(server.Reasoning, server.Output)
	server.Counted = FromServer
	return server
}

// templates is what servers may add to a prompt on their own, in tokens.
const templates = 4096

func promptBytes(r Request) int {
	n := len(r.Schema)
	for _, m := range r.Messages {
		n += len(m.Text)
	}
	return n
}
