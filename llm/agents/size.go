package agents

import (
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// size is how large a role's prompts and answers are. Data fills as much of a
// prompt as the model reads in about `reading` seconds, within the tokens given:
// a slow local model reads less of it than a hosted one.
type size struct {
	least0      float64 // tokens of data that a prompt has room for at least
	most        float64 // … at most
	reading     float64 // seconds
	answer      int     // tokens of an answer that models of usual speed may write
	longest     int     // … and fast ones
	writing     float64 // seconds that an answer may take to be written
	leastOutput int     // an answer with fewer is of no use
	usual       float64 // share of the answer's cap that is expected
}

var sizes = map[research.Role]size{
	research.Planner:  {least0: 60, most: 200, reading: 4, answer: 110, longest: 240, writing: 9, leastOutput: 32, usual: 0.5},
	research.Searcher: {least0: 120, most: 400, reading: 4, answer: 90, longest: 240, writing: 8, leastOutput: 24, usual: 0.5},
	research.Reader:   {least0: 360, most: 2600, reading: 7, answer: 48, longest: 120, writing: 4, leastOutput: 12, usual: 0.4},
	research.Writer:   {least0: 420, most: 6000, reading: 9, answer: 260, longest: 1400, writing: 26, leastOutput: 60, usual: 0.6},
	research.Reviewer: {least0: 260, most: 3000, reading: 6, answer: 32, longest: 120, writing: 3, leastOutput: 10, usual: 0.4},
}

// prompt is how many tokens of data a prompt may hold beside those of the fixed
// text.
func (s size) prompt(m *model, l lessons, output int, fixed float64) float64 {
	room := s.most
	if p := m.speed().Prefill * l.pace; p > 0 {
		reading := s.reading
		if m.tiny() {
			reading *= tinysShare
		}
		room = min(room, max(s.least0, reading/p-fixed))
	}
	return max(leastData, min(room, float64(m.window(l)-output)-fixed))
}

// output is how long an answer may be, without thinking.
func (s size) output(m *model, language string) int {
	n := float64(s.answer)
	if d := m.speed().Decode; d > 0 && !m.tiny() {
		n = max(n, min(float64(s.longest), s.writing/d))
	}
	if wordy(language) {
		n *= 1.5
	}
	return min(m.mostOutput(), int(n))
}

// tiny says whether a model has fewer than a billion parameters. Such models are
// fast and do not make more of a longer prompt or answer: they lose the thread
// and ramble. So that they stay as cheap as they can be, they read for a third of
// the time and write no more than others must.
func (m *model) tiny() bool { return m.Parameters > 0 && m.Parameters < 1 }

const tinysShare = 1.0 / 3

// least is the smallest window that a prompt and an answer fit; fixed bounds the
// prompt without data.
func (s size) least(m *model, fixed float64) float64 {
	_, worst := m.learned.tokens(fixed)
	return worst + float64(leastData+s.leastOutput+spareTokens)
}

// leastData are tokens of data without which a prompt makes no sense.
const leastData = 40

// wordy says whether tokenizers need more tokens for a language than for English.
func wordy(language string) bool {
	switch language {
	case "", "en", "de", "es", "fr", "it", "nl", "pt":
		return false
	}
	return true
}

// sameWords says whether a text speaks of what another does: they share a word.
func sameWords(a, b string) bool {
	in := map[string]bool{}
	for _, t := range text.Terms(b) {
		in[t] = true
	}
	for _, t := range text.Terms(a) {
		if in[t] {
			return true
		}
	}
	return false
}

// pack takes lines as long as they fit so many tokens, the first in any case.
func pack(lines []string, room float64, count func(string) float64) []string {
	used := 0.0
	for i, l := range lines {
		used += count(l) + 1
		if i > 0 && used > room {
			return lines[:i]
		}
	}
	return lines
}

func lower(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
