package handlers

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

// fakeLive is a board for one run.
type fakeLive struct {
	mu   sync.Mutex
	now  research.Live
	poke chan struct{}
}

func (f *fakeLive) Live(string) research.Live {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fakeLive) SubscribeLive(string) (<-chan struct{}, func()) { return f.poke, func() {} }

func (f *fakeLive) say(l research.Live) {
	f.mu.Lock()
	f.now = l
	f.mu.Unlock()
	f.poke <- struct{}{}
}

func TestStreamShowsWhatTheStepIsDoing(t *testing.T) {
	t.Parallel()
	board := &fakeLive{poke: make(chan struct{}, 1)}
	s := setup(t, func(_ *Config, d *Deps) { d.Live = board })
	s.store.add(running("r1"))
	l := s.listen("/runs/r1/events", "")
	l.until("live")
	at := l.lastID

	board.say(research.Live{Text: `<b>"Rivers` + "\nrise"})
	got := l.until("live")["live"]
	if !strings.Contains(got.data, "&lt;b&gt;&#34;Rivers\nrise") {
		t.Errorf("the text so far: %q", got.data)
	}
	if got.id != "" || l.lastID != at {
		t.Error("what is not stored moves the client's cursor")
	}
	board.say(research.Live{
		Wait:  &research.Note{Code: "no_such_code", Text: "The server asks to wait."},
		Until: time.Now().Add(time.Minute),
	})
	if got := l.until("live")["live"].data; !strings.Contains(got, "The server asks to wait.") || !strings.Contains(got, "data-until=") {
		t.Errorf("the wait: %q", got)
	}
	page := s.doc(s.get("/runs/r1"))
	if got := page.Find("#run-live").Text(); !strings.Contains(got, "The server asks to wait.") {
		t.Errorf("a page opened meanwhile says %q", got)
	}
	board.say(research.Live{})
	if got := strings.TrimSpace(l.until("live")["live"].data); got != "" {
		t.Errorf("nothing is left to show, yet %q", got)
	}
}
