package chat

import (
	"context"
	"sync"
	"time"
)

const silent = "no sign of life for too long"

// errSilent is the cause of a call that the watchdog ended.
var errSilent error = &Error{Kind: TimedOut, Detail: silent}

type watchdogKey struct{}

// Alive tells whoever watches the call of ctx that bytes arrived. Clients call
// it for headers and for every part of the body, also for those without text.
func Alive(ctx context.Context) {
	if w, ok := ctx.Value(watchdogKey{}).(*watchdog); ok {
		w.alive()
	}
}

// watchdog cancels a call that gives no sign of life for too long.
type watchdog struct {
	mu     sync.Mutex
	timer  *time.Timer
	limit  time.Duration
	closed bool
}

func watched(ctx context.Context, first time.Duration) (context.Context, *watchdog, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watchdog{limit: first}
	w.timer = time.AfterFunc(first, func() { cancel(errSilent) })
	return context.WithValue(ctx, watchdogKey{}, w), w, cancel
}

func (w *watchdog) alive() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed && w.timer.Stop() {
		w.timer.Reset(w.limit)
	}
}

// tokens says that text arrives, so that the shorter limit counts from here.
func (w *watchdog) tokens(idle time.Duration) {
	w.mu.Lock()
	w.limit = idle
	w.mu.Unlock()
	w.alive()
}

func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.timer.Stop()
}
