package chat

import "errors"

// errCapped is the cause of a call that was ended for writing more than allowed.
var errCapped = errors.New("the server goes on beyond the limit")

// MostOutput is how many tokens by our own count an answer of at most this many
// real tokens may have. Text beyond it shows that the server ignores the limit.
func MostOutput(maxTokens int) int { return maxTokens + maxTokens/2 + 16 }

// meter notices a server that ignores the limit of an answer. A part of a stream
// is at least a token, so more parts than tokens allowed give it away at once;
// servers that send larger parts are found by our count of the text.
type meter struct {
	most  int // 0: no limit
	parts int
	tally tally
}

// add takes a part and says whether the limit is passed.
func (m *meter) add(d Delta) bool {
	m.parts++
	m.tally.add(d.Text)
	m.tally.add(d.Reasoning)
	n := m.tally.tokens()
	return m.most > 0 && (m.parts > m.most && n > m.most || n > MostOutput(m.most))
}
