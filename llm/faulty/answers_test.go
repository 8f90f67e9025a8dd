package faulty_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/llm/faulty"
)

// TestAnswers looks at what comes of answers that arrive whole.
func TestAnswers(t *testing.T) {
	t.Parallel()
	honest := chat.CountRequest(request)
	tokens := (len(answer) + 3) / 4
	tests := []struct {
		behaviour faulty.Behaviour
		text      string
		reasoning string
		finish    chat.Finish
		model     string
		usage     chat.Usage
	}{
		{faulty.Fine(), answer, "", chat.Stopped, "model", chat.Usage{Input: honest, Output: tokens, Counted: chat.FromServer}},
		{faulty.Whole(), answer, "", chat.Stopped, "model", chat.Usage{Input: honest, Output: tokens, Counted: chat.FromServer}},
		{faulty.OtherName("another"), answer, "", chat.Stopped, "another", chat.Usage{Input: honest, Output: tokens, Counted: chat.FromServer}},
		{faulty.CachedPrompt(), answer, "", chat.Stopped, "model", chat.Usage{Input: honest, Cached: honest / 2, Output: tokens, Counted: chat.FromServer}},
		{faulty.NoUsage(), answer, "", chat.Stopped, "model", chat.Usage{Input: honest, Output: tokens, Counted: chat.FromLocal}},
		{faulty.WrongUsage(-5, 10), answer, "", chat.Stopped, "model", chat.Usage{Input: honest, Output: tokens, Counted: chat.FromLocal}},
		{faulty.WrongUsage(10, -1), answer, "", chat.Stopped, "model", chat.Usage{Input: honest, Output: tokens, Counted: chat.FromLocal}},
		{faulty.WrongUsage(1e9, 10), answer, "", chat.Stopped, "model", chat.Usage{Input: honest, Output: tokens, Counted: chat.FromLocal}},
		{faulty.WrongUsage(10, 1e9), answer, "", chat.Stopped, "model", chat.Usage{Input: honest, Output: tokens, Counted: chat.FromLocal}},
		{faulty.Thinks("Hmmmhmmm"), answer, "Hmmmhmmm", chat.Stopped, "model", chat.Usage{Input: honest, Output: tokens + 2, Reasoning: 2, Counted: chat.FromServer}},
		{faulty.Refuses(), "I cannot help with that.", "", chat.Refused, "model", chat.Usage{Input: honest, Output: 6, Counted: chat.FromServer}},
		{faulty.CallsTool(), "", "", chat.ToolCalls, "model", chat.Usage{Input: honest, Output: 12, Counted: chat.FromServer}},
		{faulty.Answers(strings.Repeat("word", 300)), strings.Repeat("word", 200), "", chat.Length, "model", chat.Usage{Input: honest, Output: 200, Counted: chat.FromServer}},
		{faulty.Endless(5000), strings.Repeat("more", 201), "", chat.Length, "model", chat.Usage{Input: honest, Output: 201, Counted: chat.FromLocal}},
	}
	for _, tt := range tests {
		for _, name := range []string{"openai", "anthropic", "ollama"} {
			t.Run(tt.behaviour.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := start(t)
				s.Script(tt.behaviour)
				streamed := ""
				out, err := chat.NewCaller(chat.NewHost(config(newClock())), "a model", clients(s.URL)[name]).
					Call(context.Background(), request, chat.Watch{Delta: func(d chat.Delta) { streamed += d.Text }})
				if err != nil {
					t.Fatal(err)
				}
				r := out.Response
				got := []any{r.Text, r.Reasoning, r.Finish, r.Model}
				want := []any{tt.text, tt.reasoning, tt.finish, tt.model}
				for i := range got {
					if got[i] != want[i] {
						t.Errorf("got %.80v, want %.80v", got[i], want[i])
					}
				}
				usage := tt.usage
				if name == "anthropic" {
					usage.Reasoning = r.Usage.Reasoning // the protocol counts it in the output only
				}
				if r.Usage != usage && (name != "anthropic" || tt.usage.Counted != chat.FromLocal || r.Usage.Counted != usage.Counted || r.Usage.Output != usage.Output) {
					t.Errorf("used %+v, want %+v", r.Usage, usage)
				}
				if tt.finish != chat.Refused && streamed != tt.text {
					t.Errorf("streamed %.80q", streamed)
				}
			})
		}
	}
}

// TestCancelled counts what arrived of an answer that nobody wants any more.
func TestCancelled(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openai", "anthropic", "ollama"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.Script(faulty.HangAfter(5))
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			got := 0
			out, err := chat.NewCaller(chat.NewHost(config(newClock())), "a model", clients(s.URL)[name]).Call(ctx, request, chat.Watch{
				Delta: func(d chat.Delta) {
					if got += len(d.Text); got >= 20 {
						cancel()
					}
				}})
			if !errors.Is(err, context.Canceled) || out.Response.Finish != chat.Cancelled {
				t.Fatal(err, out.Response.Finish)
			}
			if u := out.Paid(); u.Input != chat.CountRequest(request) || u.Output != 5 || u.Counted != chat.FromLocal {
				t.Errorf("paid %+v", u)
			}
		})
	}
}

// TestRejectedParameters leaves out what a server does not take, and remembers.
func TestRejectedParameters(t *testing.T) {
	t.Parallel()
	tests := []struct{ client, parameter, message string }{
		{"openai", "response_format", "Unsupported parameter: response_format"},
		{"openai", "response_format.json_schema", "'response_format.type' must be 'json_object' or 'text'"},
		{"openai", "stream_options", "Extra inputs are not permitted: stream_options"},
		{"openai", "max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."},
		{"openai", "temperature", "Unsupported value: 'temperature' does not support 0 with this model."},
		{"openai", "seed", "Unrecognized request argument supplied: seed"},
		{"openai", "stop", "Unsupported parameter: 'stop' is not supported with this model."},
		{"anthropic", "output_config.format", "output_config.format: this model does not support structured outputs"},
		{"anthropic", "temperature", "`temperature` is deprecated for this model"},
		{"ollama", "seed", "unknown field \"seed\""},
	}
	seed := int64(3)
	r := request
	r.Schema, r.Seed, r.Stop = json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`), &seed, []string{"END"}
	for _, tt := range tests {
		t.Run(tt.client+"/"+tt.parameter, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.Otherwise(faulty.Rejects(tt.parameter, tt.message))
			c := clients(s.URL)[tt.client]
			for range 2 {
				out, err := c.Chat(context.Background(), r, nil)
				if err != nil || out.Text != answer || out.Finish != chat.Stopped {
					t.Fatal(out, err)
				}
			}
			n := len(s.Requests())
			if _, err := c.Chat(context.Background(), r, nil); err != nil || len(s.Requests()) != n+1 || n > 4 {
				t.Errorf("%d requests for two answers, then %d: it is not remembered", n, len(s.Requests())-n)
			}
		})
	}
}

// TestSchema asks with the schema as the protocol has it.
func TestSchema(t *testing.T) {
	t.Parallel()
	r := request
	r.Schema = json.RawMessage(`{"type":"object","required":["a"]}`)
	for name := range clients("") {
		s := start(t)
		if _, err := clients(s.URL)[name].Chat(context.Background(), r, nil); err != nil {
			t.Fatal(err)
		}
		if got := s.Requests()[0]; !strings.Contains(string(got.Schema), `"required":["a"]`) || got.MaxTokens != 200 || len(got.Messages) != 2 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestKeysStayAtTheirServer sends no key that belongs to another and reads none
// from the environment.
func TestKeysStayAtTheirServer(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-environment")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("ANTHROPIC_API_KEY", "sk-environment")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "sk-environment")
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	for name := range clients("") {
		s := start(t)
		if _, err := clients(s.URL)[name].Chat(context.Background(), request, nil); err != nil {
			t.Fatal(name, err)
		}
		for k, v := range s.Requests()[0].Header {
			if strings.Contains(strings.Join(v, " "), "sk-environment") {
				t.Errorf("%s: %s carries a key of the environment", name, k)
			}
		}
	}
}
