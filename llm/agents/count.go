package agents

import (
	"time"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

const (
	usualShare = 0.55 // of the bound that English prose is, before anything was learned
	follow     = 0.25 // weight of a new observation
	margin     = 1.15 // over the largest share seen
	perMessage = 12   // tokens that a chat template puts around a message, at most
)

// bound is more tokens than a tokenizer makes of a text: half a token per ASCII
// character, one per byte of others. What a model really makes of it is learned
// as a share of this.
func bound(s string) float64 {
	wide := 0
	for i := range len(s) {
		if s[i] >= 0x80 {
			wide++
		}
	}
	return float64(len(s)-wide)/2 + float64(wide)
}

func boundOf(r chat.Request) float64 {
	n := float64(perMessage) + bound(string(r.Schema))
	for _, m := range r.Messages {
		n += perMessage + bound(m.Text)
	}
	return n
}

// tokens is how many tokens a bound amounts to: expected, and at worst.
func (l *learned) tokens(bound float64) (expected, worst float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bound * l.share, bound * l.most
}

// read notes how many tokens a prompt had, as its server counted them.
func (l *learned) read(bound float64, tokens int) {
	if bound <= 0 || tokens <= 0 {
		return
	}
	got := min(4, float64(tokens)/bound)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.share += follow * (got - l.share)
	l.most += follow * (got*margin - l.most)
	l.most = max(l.most, got*margin)
}

// wrote notes how long an answer was, and how much of it was thought.
func (l *learned) wrote(role research.Role, u chat.Usage, cutWhileThinking bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	answer := float64(max(0, u.Output-u.Reasoning))
	if old, ok := l.out[role]; ok {
		answer = old + follow*(answer-old)
	}
	thought := float64(u.Reasoning)
	switch {
	case cutWhileThinking:
		l.thinking = max(l.thinking, 2*float64(u.Output), leastThinking)
		return
	case thought > l.thinking:
		l.thinking = thought
	default:
		l.thinking += follow * (thought - l.thinking)
	}
	l.out[role] = answer
}

// leastThinking is what a model gets for thinking once it was seen to think.
const leastThinking = 256

// took notes how long a call took beside what was foreseen. A call that had to
// load the model says nothing about the next one when it was slow. No single call
// counts for more than oddest: a model must not be shut out by a bad moment, as
// nothing would correct that.
func (l *learned) took(foreseen float64, took time.Duration, now time.Time, warm bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = now
	if foreseen <= 0 || took <= 0 {
		return
	}
	if got := min(oddest, max(0.05, took.Seconds()/foreseen)); warm || got < 1 {
		l.pace += follow * (got - l.pace)
	}
}

// oddest is how many times what was foreseen a call counts for at most.
const oddest = 4.0

// measured notes what a gauge read of a call beside what was estimated.
func (l *learned) measured(joules, estimated float64, warm bool) {
	if joules <= 0 || estimated <= 0 || !warm && joules > estimated {
		return // see took
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// One reading at most doubles what was held; readings that stay high prevail.
	got := min(2*max(1, l.reading), joules/estimated)
	if l.reading == 0 {
		l.reading, l.peak = got, got*leastDoubt
		return
	}
	l.reading += follow * (got - l.reading)
	l.peak = max(l.peak+follow*(got*leastDoubt-l.peak), got*leastDoubt)
}

// gauged is what a gauge reads over what is estimated: expected, and at worst;
// first is the worst before anything was read.
func (l *learned) gauged(first float64) (expected, worst float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reading == 0 {
		return 1, first
	}
	return l.reading, l.peak
}

// narrower notes that a prompt did not fit the window.
func (l *learned) narrower(window int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.window == 0 || window < l.window {
		l.window = max(leastWindow, window)
	}
}

const leastWindow = 512

// snapshot of what is learned, for sums.
type lessons struct {
	pace, thinking float64
	window         int
	warm           bool // it was called lately
	loaded         bool // … and no other model of its server since: it is surely in memory
	ready          bool // it is thought to be in memory
}

// coldAfter is how long a server is taken to keep a model loaded.
const coldAfter = 4 * time.Minute

func (l *learned) lessons(now time.Time) lessons {
	l.mu.Lock()
	defer l.mu.Unlock()
	return lessons{pace: l.pace, thinking: l.thinking, window: l.window, warm: !l.last.IsZero() && now.Sub(l.last) < coldAfter}
}

// usual is how long an answer of a role is expected to be.
func (l *learned) usual(role research.Role, or float64) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n, ok := l.out[role]; ok {
		return n
	}
	return or
}
