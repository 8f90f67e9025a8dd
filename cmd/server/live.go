package main

import (
	"sync"

	"github.com/progrouter/progrouter/handlers"
	"github.com/progrouter/progrouter/research"
)

// liveBoard holds what the steps in flight of this process are doing right now.
// Nothing of it is stored: whoever comes later reads the ledger.
type liveBoard struct {
	mu   sync.Mutex
	now  map[string]research.Live
	subs map[string]map[chan struct{}]struct{}
}

var _ handlers.Live = (*liveBoard)(nil)

func newLiveBoard() *liveBoard {
	return &liveBoard{now: map[string]research.Live{}, subs: map[string]map[chan struct{}]struct{}{}}
}

// liveText bounds what is kept of an answer, in bytes; its end is shown.
const liveText = 4000

// Update takes what a step says of itself. An update without a text and a wait
// clears the board for the run.
func (b *liveBoard) Update(run string, l research.Live) {
	b.mu.Lock()
	defer b.mu.Unlock()
	old, known := b.now[run]
	if l.Append && known && old.Step == l.Step {
		l.Text = old.Text + l.Text
	}
	if over := len(l.Text) - liveText; over > 0 {
		l.Text = l.Text[over:]
	}
	switch {
	case l.Text != "" || l.Wait != nil:
		b.now[run] = l
	case !known:
		return
	default:
		delete(b.now, run)
	}
	for poke := range b.subs[run] {
		select {
		case poke <- struct{}{}:
		default: // one is waiting already
		}
	}
}

// Live is what the step in flight of a run is doing; the zero value is nothing.
func (b *liveBoard) Live(run string) research.Live {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now[run]
}

// SubscribeLive returns a channel that is poked after a change, and a function
// that ends the subscription.
func (b *liveBoard) SubscribeLive(run string) (<-chan struct{}, func()) {
	poke := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.subs[run] == nil {
		b.subs[run] = map[chan struct{}]struct{}{}
	}
	b.subs[run][poke] = struct{}{}
	return poke, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.subs[run], poke)
		if len(b.subs[run]) == 0 {
			delete(b.subs, run)
		}
	}
}
