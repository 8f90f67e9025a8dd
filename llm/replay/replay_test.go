package replay

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// server answers with parts, and stops where it is told to.
type server struct {
	mu     sync.Mutex
	asked  int
	parts  []string
	finish chat.Finish
	err    error
}

func (s *server) Chat(ctx context.Context, _ chat.Request, onDelta func(chat.Delta)) (chat.Response, error) {
	s.mu.Lock()
	s.asked++
	s.mu.Unlock()
	r := chat.Response{Finish: s.finish, Model: "served", Took: 3 * time.Second, First: time.Second}
	for _, p := range s.parts {
		r.Text += p
		r.Usage = chat.Usage{Input: 20, Cached: 4, Output: r.Usage.Output + 1, Counted: chat.FromServer}
		onDelta(chat.Delta{Text: p})
		if ctx.Err() != nil {
			r.Finish = chat.Cancelled
			return r, ctx.Err()
		}
	}
	return r, s.err
}

// gauge measures a joule per token.
type gauge struct{}

func (gauge) Begin(context.Context, string) energy.Reading { return reading{} }

type reading struct{}

func (reading) Progress(energy.CallUse) research.Micro { return 0 }
func (reading) Idle() research.Micro                   { return 0 }
func (reading) End(u energy.CallUse) (research.Energy, bool) {
	return research.Energy{Joules: research.Known(research.ToMicro(float64(u.Input + u.Output))), Method: research.MethodCPU}, true
}

func open(t *testing.T, folder string) *Store {
	t.Helper()
	s, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func question(text string, most int) chat.Request {
	seed := int64(7)
	return chat.Request{Messages: []chat.Message{{Role: chat.User, Text: text}}, Schema: json.RawMessage(`{"type":"object"}`), MaxTokens: most, Seed: &seed}
}

func ask(t *testing.T, c *Client, r chat.Request) (chat.Response, string) {
	t.Helper()
	var streamed strings.Builder
	out, err := c.Chat(t.Context(), r, func(d chat.Delta) { streamed.WriteString(d.Text) })
	if err != nil {
		t.Fatal(err)
	}
	return out, streamed.String()
}

func TestAnswersAreReplayedAtTheirRecordedCost(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := &server{parts: []string{"one ", "two"}, finish: chat.Stopped}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := open(t, folder).Client(Config{Model: "local/m", Ask: s, Gauge: gauge{}, Now: func() time.Time { return at }})
	first, _ := ask(t, c, question("How many?", 50))
	if first.Recorded == nil || first.Recorded.Replayed || *first.Recorded.Energy.Joules != research.ToMicro(22) {
		t.Fatalf("recorded = %+v", first.Recorded)
	}

	store := open(t, folder) // as another process would
	again, streamed := ask(t, store.Client(Config{Model: "local/m", Ask: s}), question("How many?", 50))
	if s.asked != 1 || streamed != "one two" || again.Text != "one two" {
		t.Fatalf("asked %d times; streamed %q, text %q", s.asked, streamed, again.Text)
	}
	if !again.Recorded.Replayed || !again.Recorded.At.Equal(at) || *again.Recorded.Energy.Joules != research.ToMicro(22) ||
		again.Recorded.Energy.Method != research.MethodCPU {
		t.Errorf("recorded = %+v", again.Recorded)
	}
	if again.Usage != first.Usage || again.Took != first.Took || again.First != first.First || again.Model != "served" || again.Finish != chat.Stopped {
		t.Errorf("replayed %+v, was %+v", again, first)
	}
	if hits, misses := store.Counts(); hits != 1 || misses != 0 {
		t.Errorf("hits %d, misses %d", hits, misses)
	}
}

func TestWhatMakesAnAnswerAnother(t *testing.T) {
	t.Parallel()
	other := int64(8)
	base := question("How many?", 50)
	for name, c := range map[string]struct {
		model  string
		change func(*chat.Request)
		finish chat.Finish
		asked  int
	}{
		"the same":                        {"m", func(*chat.Request) {}, chat.Stopped, 1},
		"another model":                   {"n", func(*chat.Request) {}, chat.Stopped, 2},
		"another prompt":                  {"m", func(r *chat.Request) { r.Messages = question("How few?", 50).Messages }, chat.Stopped, 2},
		"another role of a message":       {"m", func(r *chat.Request) { r.Messages = []chat.Message{{Role: chat.System, Text: "How many?"}} }, chat.Stopped, 2},
		"another schema":                  {"m", func(r *chat.Request) { r.Schema = nil }, chat.Stopped, 2},
		"another seed":                    {"m", func(r *chat.Request) { r.Seed = &other }, chat.Stopped, 2},
		"no seed":                         {"m", func(r *chat.Request) { r.Seed = nil }, chat.Stopped, 2},
		"another temperature":             {"m", func(r *chat.Request) { r.Temperature = 1 }, chat.Stopped, 2},
		"another stop":                    {"m", func(r *chat.Request) { r.Stop = []string{"."} }, chat.Stopped, 2},
		"a cap that was not reached":      {"m", func(r *chat.Request) { r.MaxTokens = 10 }, chat.Stopped, 1},
		"a cap below the answer":          {"m", func(r *chat.Request) { r.MaxTokens = 1 }, chat.Stopped, 2},
		"the cap that cut the answer":     {"m", func(*chat.Request) {}, chat.Length, 1},
		"a higher cap than that it met":   {"m", func(r *chat.Request) { r.MaxTokens = 60 }, chat.Length, 2},
		"the name of a schema, says none": {"m", func(r *chat.Request) { r.Name = "x" }, chat.Stopped, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{parts: []string{"one ", "two"}, finish: c.finish}
			store := open(t, t.TempDir())
			ask(t, store.Client(Config{Model: "m", Ask: s}), base)
			r := base
			c.change(&r)
			ask(t, store.Client(Config{Model: c.model, Ask: s}), r)
			if s.asked != c.asked {
				t.Errorf("asked %d times, want %d", s.asked, c.asked)
			}
		})
	}
}

func TestFailuresAreNotRecorded(t *testing.T) {
	t.Parallel()
	s := &server{parts: []string{"half"}, err: &chat.Error{Kind: chat.Cut}}
	store := open(t, t.TempDir())
	c := store.Client(Config{Model: "m", Ask: s})
	for range 2 {
		_, err := c.Chat(t.Context(), question("x", 9), nil)
		var failed *chat.Error
		if !errors.As(err, &failed) || failed.Kind != chat.Cut {
			t.Fatalf("err = %v", err)
		}
	}
	if s.asked != 2 {
		t.Errorf("asked %d times, want 2", s.asked)
	}
}

var errLoops = errors.New("it repeats itself")

// stopping asks and stops the answer when part arrives.
func stopping(t *testing.T, c *Client, part string, cause error) (chat.Response, error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	return c.Chat(ctx, question("x", 50), func(d chat.Delta) {
		if d.Text == part {
			cancel(cause)
		}
	})
}

func TestAnswersThatWereStopped(t *testing.T) {
	t.Parallel()
	t.Run("for a reason are stopped again", func(t *testing.T) {
		t.Parallel()
		s := &server{parts: []string{"a", "b", "c"}, finish: chat.Stopped}
		c := open(t, t.TempDir()).Client(Config{Model: "m", Ask: s, Gauge: gauge{}})
		was, err := stopping(t, c, "b", errLoops)
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		again, err := stopping(t, c, "b", errLoops)
		if !errors.Is(err, context.Canceled) || s.asked != 1 {
			t.Fatalf("err = %v, asked %d times", err, s.asked)
		}
		if again.Text != "ab" || again.Usage != was.Usage || again.Finish != chat.Cancelled || *again.Recorded.Energy.Joules != *was.Recorded.Energy.Joules {
			t.Errorf("replayed %+v, was %+v", again, was)
		}
	})
	t.Run("and are wanted whole later, are asked for by the next attempt", func(t *testing.T) {
		t.Parallel()
		s := &server{parts: []string{"a", "b", "c"}, finish: chat.Stopped}
		store := open(t, t.TempDir())
		c := store.Client(Config{Model: "m", Ask: s})
		_, _ = stopping(t, c, "b", errLoops)
		_, err := c.Chat(t.Context(), question("x", 50), nil)
		var failed *chat.Error
		if !errors.As(err, &failed) || !failed.Passing() {
			t.Fatalf("err = %v", err)
		}
		if out, _ := ask(t, c, question("x", 50)); out.Text != "abc" || s.asked != 2 {
			t.Errorf("text %q, asked %d times", out.Text, s.asked)
		}
	})
	for name, cause := range map[string]error{"by a person": nil, "by a deadline": context.DeadlineExceeded, "by a watchdog": &chat.Error{Kind: chat.TimedOut}} {
		t.Run(name+" are not recorded", func(t *testing.T) {
			t.Parallel()
			s := &server{parts: []string{"a", "b", "c"}, finish: chat.Stopped}
			c := open(t, t.TempDir()).Client(Config{Model: "m", Ask: s})
			_, _ = stopping(t, c, "b", cause)
			_, _ = stopping(t, c, "b", cause)
			if s.asked != 2 {
				t.Errorf("asked %d times, want 2", s.asked)
			}
		})
	}
}

func TestWithoutAServerAMissIsAnError(t *testing.T) {
	t.Parallel()
	_, err := open(t, t.TempDir()).Client(Config{Model: "m"}).Chat(t.Context(), question("x", 9), nil)
	var failed *chat.Error
	if !errors.As(err, &failed) || failed.Passing() {
		t.Errorf("err = %v", err)
	}
}

func TestTornLinesLoseOnlyThemselves(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := &server{parts: []string{"a"}, finish: chat.Stopped}
	ask(t, open(t, folder).Client(Config{Model: "m", Ask: s}), question("first", 9))
	path := filepath.Join(folder, fileName)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(b, b[:len(b)/2]...), 0o600); err != nil {
		t.Fatal(err)
	}
	ask(t, open(t, folder).Client(Config{Model: "m", Ask: s}), question("second", 9))
	c := open(t, folder).Client(Config{Model: "m", Ask: s})
	ask(t, c, question("first", 9))
	ask(t, c, question("second", 9))
	if s.asked != 2 {
		t.Errorf("asked %d times, want 2", s.asked)
	}
}

func TestFoldersThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); err == nil {
		t.Error("a file was taken for a folder")
	}
}

func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := &server{parts: []string{"a"}, finish: chat.Stopped}
	c := open(t, folder).Client(Config{Model: "m", Ask: s, Gauge: gauge{}})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if _, err := c.Chat(context.Background(), question(string(rune('a'+i)), 9), nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(open(t, folder).answers); n != 20 {
		t.Errorf("%d answers read back, want 20", n)
	}
}
