package handlers

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

// sse is one event as a browser sees it.
type sse struct {
	event, data, id string
	comment         string
}

// listener reads a stream like a browser's EventSource.
type listener struct {
	*site
	res    *http.Response
	lines  *bufio.Scanner
	lastID string
	cancel context.CancelFunc
}

func (s *site) listen(path, lastID string) *listener {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), 20*time.Second)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.http.URL+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	res, err := s.client.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	l := &listener{site: s, res: res, lines: bufio.NewScanner(res.Body), lastID: lastID, cancel: cancel}
	l.lines.Buffer(nil, 1<<20)
	s.Cleanup(l.close)
	return l
}

func (l *listener) close() { l.cancel(); _ = l.res.Body.Close() }

// next reads one event, or a comment; false at the end of the stream.
func (l *listener) next() (sse, bool) {
	l.Helper()
	var e sse
	var data []string
	for l.lines.Scan() {
		line := l.lines.Text()
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && e.comment != "" && len(data) == 0:
			return e, true
		case line == "" && len(data) > 0:
			e.data = strings.Join(data, "\n")
			return e, true
		case line == "":
		case field == "":
			e.comment = value
		case field == "event":
			e.event = value
		case field == "data":
			data = append(data, value)
		case field == "id":
			e.id, l.lastID = value, value
		case field == "retry":
			if _, err := strconv.Atoi(value); err != nil {
				l.Errorf("retry %q", value)
			}
		default:
			l.Errorf("line %q is no field of an event stream", line)
		}
	}
	return e, false
}

// until reads events up to one of a name.
func (l *listener) until(name string) map[string]sse {
	l.Helper()
	got := map[string]sse{}
	for {
		e, ok := l.next()
		if !ok {
			l.Fatalf("the stream ended before %q; seen %v", name, keys(got))
		}
		if e.event != "" {
			got[e.event] = e
		}
		if e.event == name {
			return got
		}
	}
}

func keys(m map[string]sse) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

func (s *site) advance(step int) {
	s.store.change("r1", func(l *research.Ledger) {
		l.Steps = append([]research.Step(nil), l.Steps...)
		l.Steps[len(l.Steps)-1].Outcome = research.OutcomeOK
		l.Steps = append(l.Steps, numbered(step))
	})
}

func numbered(index int) research.Step { return step(index, research.InFlight) }

func (s *site) finish() {
	s.store.change("r1", func(l *research.Ledger) { l.Run.Status = research.Complete })
}

func TestStreamReplaysAfterReconnect(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.add(running("r1"))
	page := s.get("/runs/r1")
	path := s.doc(page).Find("[sse-connect]").AttrOr("sse-connect", "")
	if !strings.HasPrefix(path, "/runs/r1/events?after=") {
		t.Fatalf("the page connects to %q", path)
	}

	l := s.listen(path, "")
	for header, want := range map[string]string{"Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no", "Cache-Control": "no-cache, no-transform"} {
		if got := l.res.Header.Get(header); got != want {
			t.Errorf("%s: %q", header, got)
		}
	}
	if e, _ := l.next(); e.comment == "" {
		t.Errorf("first comes %+v, want a comment", e)
	}
	s.advance(2)
	first := l.until("sync")
	if !strings.Contains(first["steps"].data, "<") || first["sync"].id == "" {
		t.Errorf("events %v", keys(first))
	}
	for name, e := range first {
		if name != "sync" && e.id != "" {
			t.Errorf("%s carries an id before the batch is complete", name)
		}
	}
	seen := l.lastID
	l.close()

	s.advance(3) // missed
	s.advance(4)
	again := s.listen(path, seen)
	missed := again.until("sync")
	if !strings.Contains(missed["steps"].data, "5") || missed["sync"].id == seen {
		t.Errorf("after reconnecting: %v", keys(missed))
	}
	s.finish()
	last := again.until("close")
	if last["close"].data != string(research.Complete) {
		t.Errorf("close says %q", last["close"].data)
	}
	if _, more := again.next(); more {
		t.Error("the stream goes on after its end")
	}
	final := s.listen(path, again.lastID)
	if final.res.StatusCode != http.StatusNoContent {
		t.Errorf("a client that has everything gets %d", final.res.StatusCode)
	}
	late := s.listen("/runs/r1/events?after=0", "")
	if got := late.until("close"); got["report"].data == "" {
		t.Errorf("a late client gets %v", keys(got))
	}
}

func TestStreamSendsOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.add(running("r1"))
	l := s.listen("/runs/r1/events", "")
	all := l.until("sync")
	for _, name := range []string{"head", "now", "meters", "report", "charts", "steps"} {
		if _, ok := all[name]; !ok {
			t.Errorf("no %s at first", name)
		}
	}
	s.advance(2)
	if got := l.until("sync"); got["report"].data != "" || got["steps"].data == "" {
		t.Errorf("second batch has %v", keys(got))
	}
}

func TestStreamPagesMatchFragments(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.add(running("r1"))
	d := s.doc(s.get("/runs/r1"))
	l := s.listen("/runs/r1/events", "")
	for name := range l.until("sync") {
		if name != "sync" && d.Find("#run-"+name+"[sse-swap="+name+"]").Length() != 1 {
			t.Errorf("the page has no place for %s", name)
		}
	}
	if got := d.Find("[sse-close]").AttrOr("sse-close", ""); got != eventClose {
		t.Errorf("the page waits for %q to close", got)
	}
}

func TestStreamOfADeletedRunCloses(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.add(running("r1"))
	l := s.listen("/runs/r1/events", "")
	l.until("sync")
	s.store.change("r1", nil)
	l.until("close")
	if _, more := l.next(); more {
		t.Error("the stream goes on")
	}
}

func TestStreamBeats(t *testing.T) {
	t.Parallel()
	s := setup(t, func(c *Config, _ *Deps) { c.Heartbeat = 5 * time.Millisecond })
	s.store.add(running("r1"))
	l := s.listen("/runs/r1/events", "")
	l.until("sync")
	for range 3 {
		if e, ok := l.next(); !ok || e.comment != "beat" {
			t.Fatalf("got %+v, want a heartbeat", e)
		}
	}
}

// A store that loses a wake-up costs a heartbeat, not the update.
func TestStreamSurvivesALostWakeUp(t *testing.T) {
	t.Parallel()
	s := setup(t, func(c *Config, _ *Deps) { c.Heartbeat = 5 * time.Millisecond })
	s.store.add(running("r1"))
	l := s.listen("/runs/r1/events", "")
	l.until("sync")
	s.store.mu.Lock()
	s.store.runs["r1"].Run.Status = research.Complete
	s.store.event("r1")
	s.store.mu.Unlock()
	l.until("close")
}

func TestStreamOutlivesTheTimeouts(t *testing.T) {
	t.Parallel()
	s := setup(t, func(c *Config, _ *Deps) { c.Heartbeat = 20 * time.Millisecond })
	s.http.Close()
	s.http = newTimedServer(s.srv, 50*time.Millisecond)
	s.Cleanup(s.http.Close)
	s.store.add(running("r1"))
	l := s.listen("/runs/r1/events", "")
	l.until("sync")
	for beats := 0; beats < 8; beats++ { // 160 ms, three times the timeout
		if _, ok := l.next(); !ok {
			t.Fatal("a timeout cut the stream off")
		}
	}
	l.close()
}

// A reader that takes nothing must not hold a stream, nor anybody else, for ever.
func TestStreamDropsAStuckReader(t *testing.T) {
	t.Parallel()
	s := setup(t, func(c *Config, _ *Deps) { c.WriteLimit, c.Heartbeat = 20*time.Millisecond, time.Millisecond })
	l := running("r1")
	l.Report.Claims[0].Text = strings.Repeat("long ", 4<<20) // more than any socket buffer takes
	s.store.add(l)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("GET /runs/r1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err != nil { // it has begun
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); s.store.subscribers() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the stuck reader still holds its stream")
		}
	}
}

func TestCloseEndsStreams(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.add(running("r1"))
	l := s.listen("/runs/r1/events", "")
	l.until("sync")
	s.srv.Close()
	s.srv.Close()
	if e, more := l.next(); more {
		t.Errorf("got %+v after Close", e)
	}
	if n := s.store.subscribers(); n != 0 {
		t.Errorf("%d subscriptions left", n)
	}
	a := s.get("/runs/r1/events")
	s.want(a, 503)
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

func TestStreamsAreLimited(t *testing.T) {
	t.Parallel()
	s := setup(t, func(c *Config, _ *Deps) { c.Streams = 1 })
	s.store.add(running("r1"))
	l := s.listen("/runs/r1/events", "")
	l.until("sync")
	s.want(s.get("/runs/r1/events"), 503)
	s.finish()
	l.until("close")
	for { // the slot is given back a moment after the last byte
		a := s.listen("/runs/r1/events", "")
		if a.res.StatusCode == http.StatusOK {
			a.until("close")
			return
		}
		a.close()
		if t.Context().Err() != nil {
			t.Fatal("the slot was not given back")
		}
	}
}

func TestStreamRefusesBadCursors(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.add(running("r1"))
	for _, after := range []string{"x", "-1", "1.5", "99999999999999999999"} {
		s.want(s.get("/runs/r1/events?after="+after), 422)
		s.want(s.get("/runs/r1/events", "Last-Event-ID", after), 422)
	}
}

func TestMessagePrefixesEveryLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	message(&out, "x", "a\nb\r\nid: 7\rdata", 3)
	want := "id: 3\nevent: x\ndata: a\ndata: b\ndata: id: 7\ndata: data\n\n"
	if out.String() != want {
		t.Errorf("message is %q, want %q", out.String(), want)
	}
}
