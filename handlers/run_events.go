package handlers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

// runEvents streams a run as server-sent events. Each message replaces a fragment
// of the run page (event names of web.Fragments), rendered from the store, never
// from memory: whoever reconnects, falls behind or comes late sees the same.
//
// A client says where it is by Last-Event-ID or ?after=. The last message of a
// batch carries the id of the newest event it includes, so a connection that
// breaks within a batch gets the whole batch again. After the final event comes
// "close", and a client that asks again gets 204, which stops it.
func (s *Server) runEvents(c echo.Context) error {
	ctx, id := c.Request().Context(), c.Param("id")
	after, err := cursorOf(c)
	if err != nil {
		return err
	}
	run, err := s.deps.Runs.Run(ctx, id)
	if err != nil {
		return err
	}
	if run.Status.Final() {
		last, err := s.deps.Events.LastEventID(ctx, id)
		if err != nil {
			return err
		}
		if last <= after {
			return c.NoContent(http.StatusNoContent)
		}
	}
	release, err := s.openStream()
	if err != nil {
		return err
	}
	defer release()
	st := &stream{s: s, c: c, id: id, after: after, sent: map[string][sha256.Size]byte{}}
	return st.run(ctx)
}

func cursorOf(c echo.Context) (int64, error) {
	text := c.Request().Header.Get("Last-Event-ID")
	if text == "" {
		text = c.QueryParam("after")
	}
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, research.Errorf(research.EInvalid, "cursor", "after: %q is not an event number. Reload the page.", clip(text, 40)).At("after")
	}
	return n, nil
}

// openStream takes one of the stream slots; the function returned gives it back.
func (s *Server) openStream() (func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closing:
		return nil, research.Errorf(research.EUnavailable, "closing", "The server is stopping. The page reconnects by itself.")
	default:
	}
	select {
	case s.slots <- struct{}{}:
	default:
		return nil, research.Errorf(research.EUnavailable, "streams", "Too many live pages are open. Close some, or reload this one later.")
	}
	s.streams.Add(1)
	return func() { <-s.slots; s.streams.Done() }, nil
}

// eventClose tells the page that nothing more will come.
const eventClose = "close"

type stream struct {
	s     *Server
	c     echo.Context
	id    string
	after int64
	sent  map[string][sha256.Size]byte // what the client has of each fragment
}

func (st *stream) run(ctx context.Context) error {
	// Subscribing before the first read: a change in between wakes us once more.
	changed, unsubscribe := st.s.deps.Events.Subscribe(st.id)
	defer unsubscribe()
	if err := st.begin(); err != nil {
		return st.gone(err)
	}
	lively, mute := st.lively()
	defer mute()
	beat := time.NewTicker(st.s.cfg.Heartbeat)
	defer beat.Stop()
	for {
		done, err := st.update(ctx)
		if err == nil && !done {
			err = st.live(ctx)
		}
		if err != nil || done {
			return st.gone(err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-st.s.closing:
			return nil
		case _, open := <-changed:
			if !open {
				return nil // the store is closing
			}
		case <-lively:
		case <-beat.C:
			if err := st.write([]byte(": beat\n\n")); err != nil {
				return st.gone(err)
			}
		}
	}
}

// lively pokes when the step in flight has something new to show.
func (st *stream) lively() (<-chan struct{}, func()) {
	if st.s.deps.Live == nil {
		return nil, func() {}
	}
	return st.s.deps.Live.SubscribeLive(st.id)
}

// live sends what the step in flight is doing. It has no place in the order of
// events: a client that reconnects gets what is so then.
func (st *stream) live(ctx context.Context) error {
	if st.s.deps.Live == nil {
		return nil
	}
	page := st.s.newPage(st.c, web.NavRuns)
	f := web.LiveFragment(web.NewLiveView(page, st.s.deps.Live.Live(st.id)))
	var body, out bytes.Buffer
	if err := f.Component.Render(ctx, &body); err != nil {
		return err
	}
	sum := sha256.Sum256(body.Bytes())
	if st.sent[f.Event] == sum {
		return nil
	}
	st.sent[f.Event] = sum
	message(&out, f.Event, body.String(), 0)
	return st.write(out.Bytes())
}

func (st *stream) begin() error {
	h := st.c.Response().Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	st.c.Response().WriteHeader(http.StatusOK)
	return st.write([]byte(": stream\nretry: 1000\n\n"))
}

// update sends what is new since the cursor, and reports the end of the run. A
// heartbeat comes here too, which catches a change whose wake-up was lost.
func (st *stream) update(ctx context.Context) (bool, error) {
	last, err := st.s.deps.Events.LastEventID(ctx, st.id)
	if err != nil || last == st.after {
		return false, err
	}
	l, in, err := st.s.runState(ctx, st.id)
	if research.CodeOf(err) == research.ENotFound { // deleted meanwhile
		var out bytes.Buffer
		message(&out, eventClose, "deleted", 0)
		return true, st.write(out.Bytes())
	}
	if err != nil {
		return false, err
	}
	batch, err := st.batch(ctx, l, in)
	if err != nil {
		return false, err
	}
	if err := st.write(batch); err != nil {
		return false, err
	}
	st.after = in.Cursor
	return l.Run.Status.Final(), nil
}

func (st *stream) batch(ctx context.Context, l *research.Ledger, in web.RunInput) ([]byte, error) {
	page := st.s.newPage(st.c, web.NavRuns)
	page.Path = runPath(st.id)
	var out bytes.Buffer
	for _, f := range web.Fragments(web.NewRunView(page, l, in)) {
		var body bytes.Buffer
		if err := f.Component.Render(ctx, &body); err != nil {
			return nil, err
		}
		sum := sha256.Sum256(body.Bytes())
		if st.sent[f.Event] == sum {
			continue
		}
		st.sent[f.Event] = sum
		message(&out, f.Event, body.String(), 0)
	}
	last := "sync"
	if l.Run.Status.Final() {
		last = eventClose
	}
	message(&out, last, string(l.Run.Status), in.Cursor)
	return out.Bytes(), nil
}

// message writes one event. Every line of data gets its own prefix, a bare
// carriage return included: it would end the line for the client.
func message(out *bytes.Buffer, event, data string, id int64) {
	if id > 0 {
		out.WriteString("id: " + strconv.FormatInt(id, 10) + "\n")
	}
	out.WriteString("event: " + event + "\n")
	data = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(data)
	for line := range strings.SplitSeq(data, "\n") {
		out.WriteString("data: " + line + "\n")
	}
	out.WriteByte('\n')
}

// write sends at once, with a deadline of its own: the server's write timeout
// would cut the stream off, and no deadline would keep a stuck reader for ever.
func (st *stream) write(b []byte) error {
	ctl := http.NewResponseController(st.c.Response())
	if err := ctl.SetWriteDeadline(time.Now().Add(st.s.cfg.WriteLimit)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := st.c.Response().Write(b); err != nil {
		return err
	}
	if err := ctl.Flush(); err != nil {
		return err
	}
	err := ctl.SetWriteDeadline(time.Time{})
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// gone ends a stream after an error. The answer has begun, so all that is left
// is the log; the client reconnects and reads on from its cursor.
func (st *stream) gone(err error) error {
	if err != nil && st.c.Request().Context().Err() == nil && research.CodeOf(err) == research.EInternal {
		st.s.deps.Log.DebugContext(st.c.Request().Context(), "stream ended", "run", st.id, "error", err)
	}
	return nil
}
