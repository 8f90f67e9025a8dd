package faulty_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/llm/faulty"
)

// TestFaultMatrix plays every fault once to every client and looks at how it is
// classed, whether it is tried again, how long is waited and what is paid.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	type want struct {
		behaviour faulty.Behaviour
		kind      chat.Kind
		again     bool // one more attempt cures it
		paid      bool // the failed attempt used tokens
		note      string
		wait      time.Duration // exact; 0: half of the first ceiling
	}
	half := chat.DefaultBackoff / 2
	tests := []want{
		{faulty.RateLimited("7"), chat.RateLimited, true, false, "model_wait_limited", 7*time.Second + 350*time.Millisecond},
		{faulty.RateLimited("0"), chat.RateLimited, true, false, "model_wait_limited", half},
		{faulty.RateLimited("-5"), chat.RateLimited, true, false, "model_wait_limited", half},
		{faulty.RateLimited("soon"), chat.RateLimited, true, false, "model_wait_limited", half},
		{faulty.RateLimited("Wed, 21 Oct 2015 07:28:00 GMT"), chat.RateLimited, true, false, "model_wait_limited", half},
		{faulty.RateLimited(""), chat.RateLimited, true, false, "model_wait_limited", half},
		{faulty.Status(500), chat.Overloaded, true, false, "model_wait_overloaded", half},
		{faulty.Status(502), chat.Overloaded, true, false, "model_wait_overloaded", half},
		{faulty.Status(503), chat.Overloaded, true, false, "model_wait_overloaded", half},
		{faulty.Status(504), chat.TimedOut, true, false, "model_wait_timeout", half},
		{faulty.Status(529), chat.Overloaded, true, false, "model_wait_overloaded", half},
		{faulty.BadGateway(), chat.Overloaded, true, false, "model_wait_overloaded", half},
		{faulty.WebPage(), chat.Garbage, true, false, "model_wait_garbage", half},
		{faulty.HangUp(), chat.Unreachable, true, true, "model_wait_unreachable", half},
		{faulty.Cut(3), chat.Cut, true, true, "model_wait_cut", half},
		{faulty.Ends(3), chat.Cut, true, true, "model_wait_cut", half},
		{faulty.ErrsAfter(3), chat.Overloaded, true, true, "model_wait_overloaded", half},
		{faulty.Garbage(), chat.Garbage, true, true, "model_wait_garbage", half},
		{faulty.TruncatedJSON(), chat.Garbage, true, true, "model_wait_garbage", half},
		{faulty.Says(200, "application/json", `{"id":"x","cho`), chat.Garbage, true, true, "model_wait_garbage", half},
		{faulty.Says(200, "application/json", `{"status":"ok"}`), chat.Garbage, true, true, "model_wait_garbage", half},
		{faulty.Says(200, "text/event-stream", ""), chat.Cut, true, true, "model_wait_cut", half},
		{faulty.InvalidKey(), chat.Unauthorized, false, false, "", 0},
		{faulty.ExpiredKey(), chat.Unauthorized, false, false, "", 0},
		{faulty.NoCredit(), chat.OutOfCredit, false, false, "", 0},
		{faulty.Status(402), chat.OutOfCredit, false, false, "", 0},
		{faulty.UnknownModel(), chat.UnknownModel, false, false, "", 0},
		{faulty.Says(404, "text/plain", "404 page not found"), chat.UnknownModel, false, false, "", 0},
		{faulty.Status(422), chat.Rejected, false, false, "", 0},
	}
	for _, w := range faulty.Wordings() {
		tests = append(tests, want{faulty.TooLong(w), chat.ContextLength, false, false, "", 0})
	}
	for _, tt := range tests {
		for _, name := range []string{"openai", "anthropic", "ollama"} {
			t.Run(tt.behaviour.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := start(t)
				s.Script(tt.behaviour)
				c, said := newClock(), notes{}
				caller := chat.NewCaller(chat.NewHost(config(c)), "a model", clients(s.URL)[name])
				out, err := caller.Call(context.Background(), request, said.watch(100))
				if !tt.again {
					if kind(err) != tt.kind || out.Tries != 1 || len(c.slept()) != 0 || out.Paid() != (chat.Usage{}) {
						t.Fatalf("got %v (%q) after %d tries, waits %v, paid %+v; want %q at once for nothing", err, kind(err), out.Tries, c.slept(), out.Paid(), tt.kind)
					}
					return
				}
				if err != nil || out.Response.Text != answer || out.Tries != 2 {
					t.Fatalf("got %q, %v after %d tries; want the answer after 2", out.Response.Text, err, out.Tries)
				}
				if sleeps := c.slept(); len(sleeps) != 1 || sleeps[0] != tt.wait || out.Waited != tt.wait {
					t.Errorf("waits %v, counted %v; want %v", sleeps, out.Waited, tt.wait)
				}
				if len(said.said) != 1 || said.said[0].Code != tt.note {
					t.Errorf("said %+v; want %s", said.said, tt.note)
				}
				if paid := len(out.Lost) == 1 && out.Lost[0].Input > 0 && out.Lost[0].Counted == chat.FromLocal; paid != tt.paid || len(out.Lost) > 1 {
					t.Errorf("lost %+v; want paid %t", out.Lost, tt.paid)
				}
			})
		}
	}
}

// TestFaultKinds looks at how single attempts are classed, and that nothing
// secret is in them.
func TestFaultKinds(t *testing.T) {
	t.Parallel()
	for _, b := range append(faulty.Passing(), faulty.InvalidKey(), faulty.ExpiredKey(), faulty.NoCredit(), faulty.UnknownModel()) {
		for _, name := range []string{"openai", "anthropic", "ollama"} {
			t.Run(b.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := start(t)
				s.Otherwise(b)
				_, err := clients(s.URL)[name].Chat(context.Background(), request, nil)
				if kind(err) == "" {
					t.Fatalf("%v is not classed", err)
				}
				if strings.Contains(err.Error(), key) || strings.Contains(err.Error(), key[:10]) {
					t.Errorf("the key is in %q", err)
				}
			})
		}
	}
}

// TestRetryAfterDate waits until the date that the server names.
func TestRetryAfterDate(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Script(faulty.RateLimited(time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)))
	c := newClock()
	out, err := chat.NewCaller(chat.NewHost(config(c)), "a model", clients(s.URL)["openai"]).Call(context.Background(), request, chat.Watch{})
	if err != nil || out.Tries != 2 {
		t.Fatal(out.Tries, err)
	}
	if w := out.Waited; w < 60*time.Second || w > 92*time.Second {
		t.Errorf("waited %v, the server asked for about 90 s", w)
	}
}

// TestSilence ends calls that give no sign of life, before the headers and in the
// middle, and not those that drip.
func TestSilence(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openai", "anthropic", "ollama"} {
		for _, b := range []faulty.Behaviour{faulty.Hang(), faulty.HangAfter(3)} {
			t.Run(b.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := start(t)
				s.Script(b)
				c := newClock()
				cfg := config(c)
				cfg.First, cfg.Idle = 300*time.Millisecond, 300*time.Millisecond
				out, err := chat.NewCaller(chat.NewHost(cfg), "a model", clients(s.URL)[name]).Call(context.Background(), request, chat.Watch{})
				if kind(err) != chat.TimedOut || out.Tries != 1 || out.Paid().Input == 0 {
					t.Fatalf("%v after %d tries, paid %+v; want a timeout that is paid for and so not repeated", err, out.Tries, out.Paid())
				}
				if b.Name != "hang" && out.Response.Text == "" {
					t.Error("what had arrived is lost")
				}
			})
		}
		t.Run("drip/"+name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.Script(faulty.Drip(50 * time.Millisecond))
			cfg := config(newClock())
			cfg.First, cfg.Idle = 5*time.Second, 5*time.Second
			out, err := chat.NewCaller(chat.NewHost(cfg), "a model", clients(s.URL)[name]).Call(context.Background(), request, chat.Watch{})
			if err != nil || out.Response.Text != answer {
				t.Fatal(out.Response.Text, err)
			}
		})
	}
}

// TestRandomFailures calls a server of which a third of the answers fail. Every
// call ends with an answer or an honest error.
func TestRandomFailures(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openai", "anthropic"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.Randomly(7, 0.3, faulty.Passing()...)
			c := newClock()
			caller := chat.NewCaller(chat.NewHost(config(c)), "a model", clients(s.URL)[name])
			answered := 0
			for range 60 {
				out, err := caller.Call(context.Background(), request, chat.Watch{Room: func([]chat.Usage) int { return 200 }})
				switch {
				case err == nil && out.Response.Text == answer:
					answered++
				case err == nil, kind(err) == "":
					t.Fatalf("got %q, %v", out.Response.Text, err)
				}
			}
			if answered < 57 {
				t.Errorf("%d of 60 calls were answered", answered)
			}
		})
	}
}
