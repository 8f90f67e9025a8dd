package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/handlers"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/store"
	"github.com/progrouter/progrouter/web"
)

// pretendOllama answers as Ollama's documentation describes it.
func pretendOllama(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	answer := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
		})
	}
	answer("/api/tags", `{"models":[
		{"name":"llama3.2:3b","model":"llama3.2:3b","size":2019393189,"details":{"family":"llama","parameter_size":"3.2B","quantization_level":"Q4_K_M"}},
		{"name":"qwen2.5:32b","model":"qwen2.5:32b","size":19851349856,"details":{"family":"qwen2","parameter_size":"32.8B","quantization_level":"Q4_K_M"}},
		{"name":"nomic-embed-text:latest","model":"nomic-embed-text:latest","size":274302450,"details":{"family":"nomic-bert","parameter_size":"137M","quantization_level":"F16"}}]}`)
	answer("/api/ps", `{"models":[{"name":"llama3.2:3b","model":"llama3.2:3b","size_vram":2019393189}]}`)
	mux.HandleFunc("/api/show", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Model, Name string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		capability, family := "completion", "llama"
		if strings.HasPrefix(in.Model+in.Name, "nomic") {
			capability, family = "embedding", "nomic-bert"
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"details":{"family":%q},"model_info":{"general.architecture":%q,"%s.context_length":131072},"capabilities":[%q]}`, family, family, family, capability)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// pretendOpenAI answers as OpenAI's documentation describes it, to one key.
func pretendOpenAI(t *testing.T, key string) string {
	t.Helper()
	mux := http.NewServeMux()
	guarded := func(next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if r.Header.Get("Authorization") != "Bearer "+key {
				w.WriteHeader(http.StatusUnauthorized)
				_, _ = io.WriteString(w, `{"error":{"message":"Incorrect API key provided.","type":"invalid_request_error","code":"invalid_api_key"}}`)
				return
			}
			next(w, r)
		}
	}
	mux.HandleFunc("GET /v1/models", guarded(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"gpt-x","object":"model"},{"id":"text-embedding-3","object":"model"}]}`)
	}))
	mux.HandleFunc("POST /v1/chat/completions", guarded(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, data := range []string{
			`{"id":"1","object":"chat.completion.chunk","model":"gpt-x-2026-11-30-with-the-long-name-of-its-build","choices":[{"index":0,"delta":{"role":"assistant","content":"Ready"}}]}`,
			`{"id":"1","object":"chat.completion.chunk","model":"gpt-x-2026-11-30-with-the-long-name-of-its-build","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
			`{"id":"1","object":"chat.completion.chunk","model":"gpt-x-2026-11-30-with-the-long-name-of-its-build","choices":[],"usage":{"prompt_tokens":12,"completion_tokens":2,"total_tokens":14}}`,
			"[DONE]",
		} {
			fmt.Fprintf(w, "data: %s\n\n", data)
		}
	}))
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// connect opens a database and what is connected by it; reloads counts changes.
func testConnections(t *testing.T, change func(*Config)) (c *connections, reloads *int) {
	t.Helper()
	cfg := testConfig(t.TempDir())
	if change != nil {
		change(&cfg)
	}
	st, err := store.Open(t.Context(), store.Config{DataDir: cfg.Data})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	prices, err := energy.LoadPrices("")
	if err != nil {
		t.Fatal(err)
	}
	reloads = new(int)
	return newConnections(modelSource{cfg, st}, prices, slog.New(slog.DiscardHandler), func(context.Context) error {
		*reloads++
		return nil
	}), reloads
}

func modelsOf(t *testing.T, c *connections) web.ModelsInput {
	t.Helper()
	in, err := c.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func good(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v (%s)", err, causesOf(err))
	}
}

func causesOf(err error) string {
	if u, ok := err.(interface{ Unwrap() error }); ok && u.Unwrap() != nil {
		return u.Unwrap().Error()
	}
	return ""
}

func TestFoundOllamaIsProposedAndTaken(t *testing.T) {
	t.Parallel()
	url := pretendOllama(t)
	c, reloads := testConnections(t, func(cfg *Config) { cfg.OllamaURL = url })
	c.lookOnce(t.Context())
	in := modelsOf(t, c)
	if in.Proposal == nil || len(in.Proposal.Models) != 2 || len(in.Models) != 0 || *reloads != 0 {
		t.Fatalf("proposed %+v, in use %v", in.Proposal, in.Models)
	}
	if m := in.Proposal.Models; m[0].ID != "llama3.2:3b" || m[0].Tier != research.Small || m[1].Tier != research.Large {
		t.Errorf("proposed %+v", m)
	}
	good(t, c.AcceptProposal(t.Context()))
	in = modelsOf(t, c)
	if in.Proposal != nil || len(in.Models) != 2 || *reloads != 1 || len(in.Servers) != 1 {
		t.Fatalf("%+v", in)
	}
	m := in.Models[0]
	if m.Name != "ollama/llama3.2:3b" || m.Tier != research.Small || m.Parameters < 3 || m.EnergyState != web.EnergyModelled || !m.Editable {
		t.Errorf("%+v", m)
	}
	if m := in.Models[1]; m.ID != "qwen2.5:32b" || m.Context != ollamaWindow {
		t.Errorf("a model at rest is taken to have a window of %d", m.Context)
	}
	if _, err := c.Available(t.Context(), "ollama"); err != nil {
		t.Errorf("list: %v", err)
	}
	if err := c.AcceptProposal(t.Context()); research.CodeOf(err) != research.EConflict {
		t.Errorf("accepted twice: %v", err)
	}
	// Nothing is looked for at a start with models connected.
	c.lookOnce(t.Context())
	if modelsOf(t, c).Proposal != nil {
		t.Error("proposed again")
	}
}

func TestDismissedProposalComesBackWhenAskedFor(t *testing.T) {
	t.Parallel()
	url := pretendOllama(t)
	c, _ := testConnections(t, func(cfg *Config) { cfg.OllamaURL = url })
	c.lookOnce(t.Context())
	good(t, c.DismissProposal(t.Context()))
	c.lookOnce(t.Context())
	if modelsOf(t, c).Proposal != nil {
		t.Error("a start brings it back")
	}
	good(t, c.FindModels(t.Context()))
	if modelsOf(t, c).Proposal == nil {
		t.Error("it does not come back")
	}
}

func TestNoOllama(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, url := range map[string]string{"nobody": gone.URL, "something else": pretendOpenAI(t, "x")} {
		c, _ := testConnections(t, func(cfg *Config) { cfg.OllamaURL = url })
		c.lookOnce(t.Context())
		if modelsOf(t, c).Proposal != nil {
			t.Errorf("%s: proposed", name)
		}
		if err := c.FindModels(t.Context()); research.CodeOf(err) != research.EUnavailable || !strings.Contains(err.Error(), url) {
			t.Errorf("%s: %v", name, err)
		}
	}
	off, _ := testConnections(t, nil)
	off.lookOnce(t.Context())
	if err := off.FindModels(t.Context()); research.CodeOf(err) != research.EConflict || modelsOf(t, off).CanFind {
		t.Errorf("switched off: %v", err)
	}
}

func TestConnectListUseTest(t *testing.T) {
	t.Parallel()
	url := pretendOpenAI(t, "sk-right")
	c, reloads := testConnections(t, nil)
	ctx := t.Context()
	p := research.Provider{Name: "mine", Kind: research.OpenAICompatible, BaseURL: url, Key: "sk-wrong", Local: true}
	good(t, c.SaveServer(ctx, p, handlers.SaveOptions{New: true}))
	if err := c.SaveServer(ctx, p, handlers.SaveOptions{New: true}); research.CodeOf(err) != research.EInvalid {
		t.Errorf("a second one of the name: %v", err)
	}
	_, err := c.Available(ctx, "mine")
	wantKey(t, err, "model.unauthorized")
	if strings.Contains(err.Error()+causesOf(err), "sk-wrong") {
		t.Errorf("the key is in the error: %v", err)
	}
	p.Key = "sk-right"
	good(t, c.SaveServer(ctx, p, handlers.SaveOptions{}))
	p.Key, p.PerMinute = "", 10 // keeps the key
	good(t, c.SaveServer(ctx, p, handlers.SaveOptions{}))
	list, err := c.Available(ctx, "mine")
	good(t, err)
	if len(list) != 2 || !list[0].Chats || list[1].Chats || list[0].Tier != "" {
		t.Errorf("listed %+v", list)
	}
	good(t, c.AddModels(ctx, "mine", []handlers.Assignment{{ID: "gpt-x", Tier: research.Large}, {ID: "text-embedding-3"}, {ID: "typed", Tier: research.Small}}))
	in := modelsOf(t, c)
	if len(in.Models) != 2 || in.Models[1].Name != "mine/gpt-x" || in.Models[1].EnergyState != web.EnergyUnknown || *reloads != 4 {
		t.Fatalf("%d models after %d reloads: %+v", len(in.Models), *reloads, in.Models)
	}
	for _, s := range in.Servers {
		if s.Key != "" || s.KeyState != web.KeySet {
			t.Errorf("server %+v", s)
		}
	}
	set, err := c.load(ctx)
	good(t, err)
	if got, _ := set.provider("mine"); got.Key != "sk-right" {
		t.Error("the engine gets no key")
	}

	result, err := c.TestModel(ctx, "mine/gpt-x")
	good(t, err)
	if !strings.HasPrefix(result.Answered, "gpt-x-2026") || result.Text != "Ready" || result.Tokens.Input != 12 || result.Tokens.Output != 2 || result.Energy.Joules != nil || result.Dollars == nil {
		t.Errorf("test %+v", result)
	}
	m := in.Models[1].LanguageModel
	m.Parameters, m.Price = 8, &research.Price{Input: 1000, Cached: 1000, Output: 2000, Currency: "USD"}
	good(t, c.SaveModel(ctx, m))
	result, err = c.TestModel(ctx, "mine/gpt-x")
	good(t, err)
	if result.Energy.Joules == nil || result.Dollars == nil || result.Dollars.Units() != 0.016 {
		t.Errorf("with price and size: %+v", result)
	}

	good(t, c.SaveServer(ctx, p, handlers.SaveOptions{ForgetKey: true}))
	_, err = c.TestModel(ctx, "mine/gpt-x")
	wantKey(t, err, "model.unauthorized")
	good(t, c.RemoveModel(ctx, "mine/typed"))
	good(t, c.RemoveServer(ctx, "mine"))
	if in := modelsOf(t, c); len(in.Servers)+len(in.Models) != 0 {
		t.Errorf("left: %+v", in)
	}
}

func wantKey(t *testing.T, err error, key string) {
	t.Helper()
	e, ok := err.(*research.Error) //nolint:errorlint // it must be the outermost
	if !ok || e.Key != key {
		t.Fatalf("got %v, want %s", err, key)
	}
}

func TestServersAtThisMachineAreLocal(t *testing.T) {
	t.Parallel()
	c, _ := testConnections(t, nil)
	ctx := t.Context()
	for name, want := range map[string]bool{"http://127.0.0.1:8081/v1": true, "http://localhost:1234/v1": true, "http://[::1]:8000": true, "https://api.example.org/v1": false, "http://192.168.1.5:8081/v1": false} {
		p := research.Provider{Name: "s" + strconv.Itoa(len(modelsOf(t, c).Servers)), Kind: research.OpenAICompatible, BaseURL: name}
		good(t, c.SaveServer(ctx, p, handlers.SaveOptions{New: true}))
		if got := serverOf(t, c, p.Name).Local; got != want {
			t.Errorf("%s: local %v", name, got)
		}
		good(t, c.SaveServer(ctx, p, handlers.SaveOptions{})) // unticked afterwards
		if serverOf(t, c, p.Name).Local {
			t.Errorf("%s: what was unticked is ticked again", name)
		}
	}
	wantKey(t, c.SaveServer(ctx, research.Provider{Kind: research.OpenAICompatible, BaseURL: "http://127.0.0.1:1"}, handlers.SaveOptions{New: true}), "model.provider_unnamed")
}

func serverOf(t *testing.T, c *connections, name string) web.ServerInput {
	t.Helper()
	for _, s := range modelsOf(t, c).Servers {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no server %q", name)
	return web.ServerInput{}
}

func TestServersThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>a web page</html>")
	}))
	t.Cleanup(page.Close)
	c, _ := testConnections(t, nil)
	for key, url := range map[string]string{"model.unreachable": gone.URL + "/v1", "model.garbage": page.URL + "/v1"} {
		name := strings.TrimPrefix(key, "model.")
		good(t, c.SaveServer(t.Context(), research.Provider{Name: name, Kind: research.OpenAICompatible, BaseURL: url}, handlers.SaveOptions{New: true}))
		_, err := c.Available(t.Context(), name)
		wantKey(t, err, key)
	}
	_, err := c.Available(t.Context(), "nobody")
	wantKey(t, err, "store.provider_not_found")
	_, err = c.TestModel(t.Context(), "nobody/x")
	wantKey(t, err, "store.model_not_found")
}

// What the configuration sets wins over what is stored under its name, and the
// pages cannot change it.
func TestConfigurationWins(t *testing.T) {
	t.Parallel()
	c, _ := testConnections(t, func(cfg *Config) {
		var err error
		cfg.connected, err = connect(nil, nil, []string{"large=openai:m@http://127.0.0.1:1/v1"}, "environment")
		good(t, err)
	})
	ctx := t.Context()
	good(t, c.store.SaveProvider(ctx, research.Provider{Name: "127.0.0.1:1", Kind: research.Anthropic, BaseURL: "https://elsewhere.example"}))
	good(t, c.store.SaveLanguageModel(ctx,
		research.LanguageModel{Name: "127.0.0.1:1/m", Provider: "127.0.0.1:1", ID: "m", Tier: research.Small},
		research.LanguageModel{Name: "gone/m", Provider: "gone", ID: "m", Tier: research.Small}))
	good(t, c.store.SaveCoefficients(ctx, "127.0.0.1:1/m", research.Coefficients{Decode: 2, Method: research.MethodCPU}))
	in := modelsOf(t, c)
	if len(in.Servers) != 1 || in.Servers[0].Kind != research.OpenAICompatible || len(in.Models) != 1 {
		t.Fatalf("%+v", in)
	}
	m := in.Models[0]
	if m.Tier != research.Large || m.Editable || m.From != "environment" || m.EnergyState != web.EnergyCalibrated || m.Coefficients.Decode != 2 {
		t.Errorf("%+v", m)
	}
	for what, err := range map[string]error{
		"server": c.SaveServer(ctx, research.Provider{Name: "127.0.0.1:1", Kind: research.OpenAICompatible, BaseURL: "http://127.0.0.1:1"}, handlers.SaveOptions{}),
		"remove": c.RemoveServer(ctx, "127.0.0.1:1"), "model": c.SaveModel(ctx, m.LanguageModel), "drop": c.RemoveModel(ctx, m.Name),
	} {
		if research.CodeOf(err) != research.EConflict {
			t.Errorf("%s: %v", what, err)
		}
	}
	// A further model of a configured server can be added here.
	good(t, c.AddModels(ctx, "127.0.0.1:1", []handlers.Assignment{{ID: "n", Tier: research.Small}, {ID: "m", Tier: research.Small}}))
	if in := modelsOf(t, c); len(in.Models) != 2 || in.Models[1].Tier != research.Large {
		t.Errorf("%+v", in.Models)
	}
}

// A model that is chosen in the list and typed below it is one model.
func TestAModelNamedTwiceIsOne(t *testing.T) {
	t.Parallel()
	p := research.Provider{Name: "lab", Kind: research.OpenAICompatible, BaseURL: "http://127.0.0.1:1/v1"}
	got, err := assign(modelSet{Providers: []research.Provider{p}}, p, nil, []handlers.Assignment{
		{ID: "x", Tier: research.Small}, {ID: "y", Tier: research.Small}, {ID: "x", Tier: research.Large}, {ID: "z", Tier: ""},
	})
	if err != nil || len(got) != 2 || got[0].Name != "lab/x" || got[0].Tier != research.Large || got[1].Name != "lab/y" {
		t.Errorf("%+v, %v", got, err)
	}
}
