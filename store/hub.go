package store

import (
	"context"
	"sync"
	"time"
)

// pollEvery is how often a hub with listeners looks for events that other
// processes wrote.
const pollEvery = 500 * time.Millisecond

// hub wakes the readers of runs. It carries no data: a slow reader misses
// nothing, since it reads the event rows from its own cursor.
type hub struct {
	s       *Store
	mu      sync.Mutex
	subs    map[*subscription]struct{}
	closed  bool
	active  bool // poll is running
	cancel  context.CancelFunc
	polling sync.WaitGroup
	ctx     context.Context //nolint:containedctx // ends the poll when the store closes
}

type subscription struct {
	run  string // empty: every run
	poke chan struct{}
}

func newHub(s *Store) *hub {
	h := &hub{s: s, subs: map[*subscription]struct{}{}}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

func (h *hub) subscribe(run string) (<-chan struct{}, func()) {
	sub := &subscription{run: run, poke: make(chan struct{}, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		close(sub.poke)
		return sub.poke, func() {}
	}
	h.subs[sub] = struct{}{}
	if !h.active {
		h.active = true
		h.polling.Go(h.poll)
	}
	return sub.poke, func() { h.drop(sub) }
}

func (h *hub) drop(sub *subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.subs, sub)
}

// wake pokes the readers of the runs these events are about.
func (h *hub) wake(events []eventRow) {
	if h == nil || len(events) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	for sub := range h.subs {
		for _, e := range events {
			if sub.run == "" || sub.run == e.RunID {
				select {
				case sub.poke <- struct{}{}:
				default: // one is waiting already
				}
				break
			}
		}
	}
}

// poll runs while there are readers. Its first look wakes everybody: an event
// may have come between a reader's own look and this one.
func (h *hub) poll() {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	last, known := int64(0), false
	for h.needed() {
		select {
		case <-h.ctx.Done():
		case <-tick.C:
			last, known = h.look(last, known)
		}
	}
}

// needed decides under the lock whether the poll goes on, so that a reader who
// comes as it ends starts a new one.
func (h *hub) needed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.active = len(h.subs) > 0 && !h.closed
	return h.active
}

// look wakes the readers of everything newer than last. While the newest id is
// unknown it wakes everybody, since something may have been missed.
func (h *hub) look(last int64, known bool) (int64, bool) {
	newest, err := h.s.LastEventID(h.ctx, "")
	switch {
	case err != nil:
		if h.ctx.Err() == nil {
			h.s.log.Warn("look for events", "err", err)
		}
		return last, false
	case !known:
		h.wakeAll()
	case newest > last:
		h.wakeSince(last)
	}
	return newest, true
}

func (h *hub) wakeSince(last int64) {
	var rows []eventRow
	err := h.s.db.WithContext(h.ctx).Model(&eventRow{}).Where("id > ?", last).Distinct("run_id").Find(&rows).Error
	if err != nil {
		h.wakeAll()
		return
	}
	h.wake(rows)
}

func (h *hub) wakeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	for sub := range h.subs {
		select {
		case sub.poke <- struct{}{}:
		default:
		}
	}
}

func (h *hub) close() {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return
	}
	h.closed = true
	for sub := range h.subs {
		close(sub.poke)
	}
	clear(h.subs)
	h.mu.Unlock()
	h.cancel()
	h.polling.Wait()
}
