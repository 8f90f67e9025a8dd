package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func withFile(t *testing.T, text string) (Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return loaded(t, "--config", path)
}

const goodModels = `
workers: 3
providers:
  local-small: {kind: openai, base_url: http://127.0.0.1:8091/v1/, concurrency: 1, per_minute: 0, region: world, pue: 1.2}
  claude: {kind: anthropic, key_env: SOME_KEY_OF_A_TEST, local: false}
  "box.lan": {kind: ollama, base_url: "http://box.lan:11434", local: true}
models:
  - name: local/smollm2
    provider: local-small
    id: smollm2-135m
    tier: small
    context: 4096
    max_output: 512
    parameters: 0.135
    roles: [reader, writer]
    price: {input: 0.1, output: 0.4}
    energy: {prefill: 0.1, decode: 1.0}
  - {provider: claude, id: claude-x, tier: large, place: 7}
  - medium=lmstudio:qwen
`

func TestModelsOfTheFile(t *testing.T) {
	t.Setenv("SOME_KEY_OF_A_TEST", "sk-ant-1")
	c, err := withFile(t, goodModels)
	if err != nil {
		t.Fatal(err)
	}
	providers, models := c.modelConfig()
	if c.Workers != 3 || len(providers) != 4 || len(models) != 3 || c.From["models"] != "file" {
		t.Fatalf("%d providers, %d models from %s", len(providers), len(models), c.From["models"])
	}
	by := map[string]research.Provider{}
	for _, p := range providers {
		by[p.Name] = p
	}
	if p := by["local-small"]; p.BaseURL != "http://127.0.0.1:8091/v1" || !p.Local || p.PUE != 1.2 || p.Key != "" || p.Concurrency != 1 {
		t.Errorf("%+v", p)
	}
	if p := by["claude"]; p.BaseURL != "https://api.anthropic.com" || p.Local || p.Key != "sk-ant-1" {
		t.Errorf("%+v", p)
	}
	if p := by["box.lan"]; !p.Local || p.Kind != research.Ollama {
		t.Errorf("%+v", p)
	}
	m := models[0]
	if m.Name != "local/smollm2" || m.Price == nil || m.Price.Cached != 0.1 || m.Price.Currency != "USD" || m.Energy == nil || m.Energy.High != 1 || m.Output != 512 || len(m.Roles) != 2 {
		t.Errorf("%+v", m)
	}
	if m := models[1]; m.Name != "claude/claude-x" || m.Place != 7 || m.Price != nil || m.Energy != nil {
		t.Errorf("%+v", m)
	}
	if m := models[2]; m.Name != "lmstudio/qwen" || m.Tier != research.Medium || m.From != "file" {
		t.Errorf("%+v", m)
	}
}

func TestModelsOfTheEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-open")
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant")
	t.Setenv("PROGROUTER_MODELS", "small=ollama:llama3.2:3b@http://127.0.0.1:11434, medium=openai:gpt-x, large=anthropic:claude-x,small=openai:org/own@http://10.0.0.5:9000/v1")
	c, err := loaded(t)
	if err != nil {
		t.Fatal(err)
	}
	providers, models := c.modelConfig()
	var names []string
	for _, m := range models {
		names = append(names, string(m.Tier)+" "+m.Name)
	}
	if want := []string{"small ollama/llama3.2:3b", "medium openai/gpt-x", "large anthropic/claude-x", "small 10.0.0.5:9000/org/own"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
	keys := map[string]string{}
	for _, p := range providers {
		keys[p.Name] = p.Key
	}
	if keys["openai"] != "sk-open" || keys["anthropic"] != "sk-ant" || keys["ollama"] != "" || keys["10.0.0.5:9000"] != "" {
		t.Errorf("keys %v: a key goes to the service it belongs to, and to no other", keys)
	}
	for _, e := range c.environment() {
		if strings.Contains(e.Value, "sk-") {
			t.Errorf("%s shows a key", e.Name)
		}
	}
}

// Every fault names the entry and what to do.
func TestWrongModelsAreNamed(t *testing.T) {
	t.Parallel()
	const provider = "providers: {a: {kind: openai, base_url: http://127.0.0.1:1/v1}}\nmodels:\n"
	for text, wants := range map[string][]string{
		"providers: [a]": {"providers must be"},
		"providers: {a: {kind: openai, basurl: x}}":                                                   {"providers.a", "basurl", "base_url"},
		"providers: {a: {kind: openai, key: sk-1}}":                                                   {"providers.a", "key_env"},
		"providers: {a: {kind: chatgpt}}":                                                             {"providers.a", "chatgpt", "anthropic"},
		"providers: {a: 5}":                                                                           {"providers.a"},
		"providers: {a: }":                                                                            {"providers.a", "empty"},
		"providers: {a: {kind: openai, base_url: 'ftp://x'}}":                                         {"providers.a", "ftp://x", "http"},
		"providers: {a: {kind: openai, base_url: 'http://me:secret1@x/v1'}}":                          {"providers.a", "user name"},
		"providers: {a: {kind: openai, concurrency: many}}":                                           {"providers.a", "concurrency"},
		"providers: {a: {kind: openai, pue: 0.5}}":                                                    {"providers.a", "between 1 and 5"},
		"providers: {a: {kind: openai, region: atlantis}}":                                            {"providers.a", "atlantis", "world"},
		"providers: {embedded: {kind: openai}}":                                                       {"providers.embedded", "built-in"},
		"providers: {a/b: {kind: openai}}":                                                            {"providers.a/b"},
		"models: {a: b}":                                                                              {"models must be a list"},
		provider + "- {provider: b, id: x, tier: small}":                                              {"entry 1 (b/x)", `no provider "b"`, "there are: a"},
		provider + "- {provider: a, tier: small}":                                                     {"entry 1", "id"},
		provider + "- {id: x, tier: small}":                                                           {"entry 1", "provider"},
		provider + "- {provider: a, id: x}":                                                           {"entry 1 (a/x)", "tier: small"},
		provider + "- {provider: a, id: x, tier: tiny}":                                               {"entry 1 (a/x)", "tiny", "small, medium or large"},
		provider + "- {provider: a, id: x, tier: small, roles: [cook]}":                               {"entry 1 (a/x)", "cook", "planner"},
		provider + "- {provider: a, id: x, tier: small, colour: red}":                                 {"entry 1", "colour", "max_output"},
		provider + "- {provider: a, id: x, tier: small, context: 5}":                                  {"entry 1 (a/x)", "512"},
		provider + "- {provider: a, id: x, tier: small, context: big}":                                {"entry 1", "context", "string"},
		provider + "- {provider: a, id: x, tier: small, price: {input: 1}}":                           {"entry 1 (a/x)", "input and output"},
		provider + "- {provider: a, id: x, tier: small, price: {input: -1, output: 1}}":               {"entry 1 (a/x)", "from 0"},
		provider + "- {provider: a, id: x, tier: small, price: {input: 1, output: 1, currency: KRW}}": {"entry 1 (a/x)", "USD"},
		provider + "- {provider: a, id: x, tier: small, energy: {prefill: 1}}":                        {"entry 1 (a/x)", "decode"},
		provider + "- {provider: a, id: x, tier: small, energy: {decode: 1, low: 2}}":                 {"entry 1 (a/x)", "low"},
		provider + "- {provider: a, id: x, tier: small}\n- {provider: a, id: x, tier: large}":         {"entry 2 (a/x)", "twice"},
		provider + "- {provider: a, id: x, tier: small, context: 1000, max_output: 1000}":             {"entry 1 (a/x)", "fewer than"},
		provider + "- {provider: a, id: x, tier: small, parameters: 1, active_parameters: 2}":         {"entry 1 (a/x)", "active"},
		provider + "- {provider: a, id: x, tier: small, schema: xml}":                                 {"entry 1 (a/x)", "json_object"},
		provider + "- {provider: a, id: x, name: embedded/small, tier: small}":                        {"embedded/small", "leave it out"},
		"models: [tiny=ollama:x]":                                                                     {"models", "tiny", "TIER=KIND:ID"},
		"models: [small=chatgpt:x]":                                                                   {"chatgpt", "openrouter"},
		"models: [small=ollama]":                                                                      {"not of the form"},
		"models: ['small=openai:x@127.0.0.1:8081/v1']":                                                {"without http"},
		"models: ['small=openai:x@localhost']":                                                        {"without http"},
		"models: ['small=anthropic:x@']":                                                              {"without http"},
		"models: ['small=ollama:']":                                                                   {"names no model"},
		"models: ['small=openai:x@http://me:secret1@h/v1']":                                           {"user name"},
		"ollama_url: 'localhost:11434'":                                                               {"ollama_url", "none"},
	} {
		_, err := withFile(t, text)
		if err == nil {
			t.Errorf("%s: accepted", text)
			continue
		}
		got := message(err)
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q does not name %q", text, got, want)
			}
		}
		if strings.Contains(got, "secret1") || strings.Contains(got, "sk-1") || strings.Contains(got, "\n") || strings.Contains(got, "main.") {
			t.Errorf("%s: %q", text, got)
		}
		if research.CodeOf(err) != research.EInvalid {
			t.Errorf("%s: code %s", text, research.CodeOf(err))
		}
	}
}

func TestOllamaURL(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"none": "", "off": "", "": "", "http://box:11434/": "http://box:11434", defaultOllama: defaultOllama} {
		c, err := loaded(t, "--ollama-url", value)
		if err != nil || c.OllamaURL != want {
			t.Errorf("%q: %q, %v", value, c.OllamaURL, err)
		}
	}
}
