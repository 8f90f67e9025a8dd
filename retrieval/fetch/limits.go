package fetch

import (
	"context"
	"errors"
	"sync"
	"time"
)

// slots bounds how many requests run at once.
type slots chan struct{}

func (s slots) take(ctx context.Context) error {
	select {
	case s <- struct{}{}:
		return nil
	default:
	}
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s slots) free() { <-s }

// hostsMax is when idle hosts are forgotten.
const hostsMax = 512

// manners keeps requests to one public host apart.
type manners struct {
	gap     time.Duration // between the starts of two requests
	perHost int
	now     func() time.Time
	wait    func(context.Context, time.Duration) error

	mu    sync.Mutex
	hosts map[string]*hostState
}

type hostState struct {
	slots slots
	next  time.Time // earliest start of the next request
	users int
}

// enter waits until a request to host may start; the caller must call leave.
// Hosts that the operator allowed by name or address wait for nothing but a
// slot.
func (m *manners) enter(ctx context.Context, host string, polite bool, gap time.Duration) (leave func(), err error) {
	h := m.host(host)
	leave = func() { h.slots.free(); m.release(h) }
	if err := h.slots.take(ctx); err != nil {
		m.release(h)
		return nil, err
	}
	if !polite {
		return leave, nil
	}
	if err := m.wait(ctx, m.reserve(h, max(gap, m.gap))); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

func (m *manners) host(name string) *hostState {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.hosts) >= hostsMax {
		for k, h := range m.hosts {
			if h.users == 0 && m.now().After(h.next) {
				delete(m.hosts, k)
			}
		}
	}
	h := m.hosts[name]
	if h == nil {
		h = &hostState{slots: make(slots, m.perHost)}
		m.hosts[name] = h
	}
	h.users++
	return h
}

func (m *manners) release(h *hostState) {
	m.mu.Lock()
	h.users--
	m.mu.Unlock()
}

// reserve claims the next start and says how long it is away.
func (m *manners) reserve(h *hostState, gap time.Duration) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	start := h.next
	if start.Before(now) {
		start = now
	}
	h.next = start.Add(gap)
	return start.Sub(now)
}

// push moves a host's next start back, after it asked for patience.
func (m *manners) push(host string, d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if h := m.hosts[host]; h != nil {
		if t := m.now().Add(d); t.After(h.next) {
			h.next = t
		}
	}
}

// pause waits for d or the end of ctx. A wait that cannot end before ctx does
// fails at once.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	if until, ok := ctx.Deadline(); ok && time.Until(until) < d {
		return errors.Join(errTooLong, context.DeadlineExceeded)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errTooLong = errors.New("the wait would outlast the deadline")
