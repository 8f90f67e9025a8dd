package faulty_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/progrouter/progrouter/llm/anthropic"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/llm/faulty"
	"github.com/progrouter/progrouter/llm/ollama"
	"github.com/progrouter/progrouter/llm/openai"
)

func TestModels(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Models(
		faulty.Model{ID: "llama3.2:3b", Params: "3.2B", Quant: "Q4_K_M", Size: 2 << 30, Context: 131072, Loaded: true},
		faulty.Model{ID: "smollm:latest", Params: "134.52M", Quant: "F16", Size: 1 << 28, Context: 2048},
		faulty.Model{ID: "mixture:8x7b", Params: "8x7B", Context: 32768},
	)
	ctx := context.Background()
	for name, list := range map[string]func(context.Context) ([]chat.Found, error){
		"openai":    openai.New(openai.Config{BaseURL: s.URL, Key: key}).Models,
		"anthropic": anthropic.New(anthropic.Config{BaseURL: s.URL + "/v1", Key: key}).Models,
	} {
		got, err := list(ctx)
		if err != nil || len(got) != 3 || got[0].ID != "llama3.2:3b" || !got[0].Chats || got[0].Loaded != nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	got, err := ollama.New(ollama.Config{BaseURL: s.URL + "/v1/"}).Models(ctx)
	if err != nil || len(got) != 3 {
		t.Fatal(got, err)
	}
	yes, no := true, false
	for i, want := range []chat.Found{
		{ID: "llama3.2:3b", Parameters: 3.2, Quantised: "Q4_K_M", Bytes: 2 << 30, Context: 4096, Loaded: &yes, Chats: true},
		{ID: "smollm:latest", Parameters: 0.13452, Quantised: "F16", Bytes: 1 << 28, Context: 2048, Loaded: &no, Chats: true},
		{ID: "mixture:8x7b", Parameters: 56, Context: 32768, Loaded: &no, Chats: true},
	} {
		g := got[i]
		if g.Loaded == nil || *g.Loaded != *want.Loaded {
			t.Errorf("%s: loaded %v", g.ID, g.Loaded)
		}
		if d := g.Parameters - want.Parameters; d > 1e-9 || d < -1e-9 {
			t.Errorf("%s: %g billion", g.ID, g.Parameters)
		}
		g.Loaded, g.Parameters, want.Loaded, want.Parameters = nil, 0, nil, 0
		if g != want {
			t.Errorf("got %+v, want %+v", g, want)
		}
	}
}

// TestOllamaStandIn takes a server at Ollama's address that only has OpenAI's
// protocol.
func TestOllamaStandIn(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.WithoutOllama()
	c := ollama.New(ollama.Config{BaseURL: s.URL, Model: "model"})
	if got, err := c.Models(context.Background()); err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	if got, err := c.Chat(context.Background(), request, nil); err != nil || got.Text != answer || got.Load != 0 {
		t.Fatal(got, err)
	}
}

func TestColdModelsAreLoadedFirst(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Models(faulty.Model{ID: "cold:latest", Params: "1B", Context: 4096})
	c := ollama.New(ollama.Config{BaseURL: s.URL, Model: "cold"})
	first, err := c.Chat(context.Background(), request, nil)
	if err != nil || first.Load != 1500*time.Millisecond {
		t.Fatal(first, err)
	}
	second, err := c.Chat(context.Background(), request, nil)
	if err != nil || second.Load != 0 || s.Loads() != 1 {
		t.Fatal(second, s.Loads(), err)
	}
	_, err = ollama.New(ollama.Config{BaseURL: s.URL, Model: "absent"}).Chat(context.Background(), request, nil)
	if kind(err) != chat.UnknownModel {
		t.Error(err)
	}
}

// TestListsThatFail class like chats.
func TestListsThatFail(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]chat.Kind{401: chat.Unauthorized, 500: chat.Overloaded, 429: chat.RateLimited} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		for name, list := range map[string]func(context.Context) ([]chat.Found, error){
			"openai":    openai.New(openai.Config{BaseURL: s.URL}).Models,
			"anthropic": anthropic.New(anthropic.Config{BaseURL: s.URL}).Models,
			"ollama":    ollama.New(ollama.Config{BaseURL: s.URL}).Models,
		} {
			if _, err := list(context.Background()); kind(err) != want {
				t.Errorf("%s, %d: %v", name, status, err)
			}
		}
		s.Close()
	}
}

// TestLlamaCppTimings takes the counts of a server that sends no usage but its own
// timings.
func TestLlamaCppTimings(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Script(faulty.Says(200, "text/event-stream",
		`data: {"choices":[{"index":0,"delta":{"content":"yes"},"finish_reason":null}]}`+"\n\n"+
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"timings":{"cache_n":10,"prompt_n":9,"predicted_n":2}}`+"\n\ndata: [DONE]\n\n"))
	got, err := openai.New(openai.Config{BaseURL: s.URL, Model: "model"}).Chat(context.Background(), request, nil)
	if want := (chat.Usage{Input: 19, Cached: 10, Output: 2, Counted: chat.FromServer}); err != nil || got.Usage != want {
		t.Fatal(got, err)
	}
}

// TestStreamsWithQuirks reads what servers send beside the protocol.
func TestStreamsWithQuirks(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"comments, null errors and a missing end mark": ": OPENROUTER PROCESSING\n\n" +
			`data: {"error":null,"choices":[{"index":0,"delta":{"content":"<think>hm</think>"},"finish_reason":null}]}` + "\n\n: keep-alive\n\n" +
			`data: {"choices":[{"index":0,"delta":{"content":"yes"},"finish_reason":"eos"}],"usage":null}` + "\n\n",
		"no spaces, other reasoning field, no reason": `data:{"choices":[{"delta":{"reasoning":"hm","content":null}}]}` + "\n\n" +
			`data:{"choices":[{"delta":{"content":"yes"}}]}` + "\n\ndata:[DONE]\n\n",
	} {
		s := start(t)
		s.Script(faulty.Says(200, "text/event-stream", body))
		got, err := openai.New(openai.Config{BaseURL: s.URL, Model: "model"}).Chat(context.Background(), request, nil)
		if err != nil || got.Text != "yes" || got.Reasoning != "hm" || got.Finish != chat.Stopped {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
