package agents

import (
	"strings"
	"sync"
	"time"

	"github.com/progrouter/progrouter/research"
)

// liveEvery is how often whoever watches is told of new text.
const liveEvery = 250 * time.Millisecond

// liveMost is how much of an answer is shown while it arrives.
const liveMost = 4000

// ticker tells whoever watches what arrives, not more often than liveEvery.
type ticker struct {
	tell func(research.Live)
	now  func() time.Time

	mu   sync.Mutex
	text strings.Builder
	last time.Time
}

func newTicker(tell func(research.Live), now func() time.Time) *ticker {
	return &ticker{tell: tell, now: now}
}

// begin starts the text anew.
func (t *ticker) begin() {
	if t.tell == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Reset()
	t.last = time.Time{}
}

func (t *ticker) add(s string) {
	if t.tell == nil || s == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.text.Len() < liveMost {
		t.text.WriteString(s)
	}
	if now := t.now(); now.Sub(t.last) >= liveEvery {
		t.last = now
		t.tell(research.Live{Text: t.text.String()})
	}
}

func (t *ticker) wait(why *research.Note, until time.Time) {
	if t.tell == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tell(research.Live{Text: t.text.String(), Wait: why, Until: until})
}

// stop shows the last of a text.
func (t *ticker) stop() {
	if t.tell == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.text.Len() > 0 {
		t.tell(research.Live{Text: t.text.String()})
	}
}
