package main

import (
	"net/url"
	"slices"
	"strings"

	"github.com/progrouter/progrouter/research"
)

// preset is a server that people are likely to have.
type preset struct {
	Word    string // in PROGROUTER_MODELS and the settings page's addresses
	Title   string // its own name; empty: the page words it
	Kind    research.ProviderKind
	BaseURL string
	Local   bool
	KeyEnv  string // where its key usually stands; empty: it usually has none
}

// presets lists them, those on the user's own machine first.
func presets() []preset {
	return []preset{
		{Word: "ollama", Title: "Ollama", Kind: research.Ollama, BaseURL: defaultOllama, Local: true},
		{Word: "lmstudio", Title: "LM Studio", Kind: research.OpenAICompatible, BaseURL: "http://127.0.0.1:1234/v1", Local: true},
		{Word: "llamacpp", Title: "llama.cpp", Kind: research.OpenAICompatible, BaseURL: "http://127.0.0.1:8081/v1", Local: true},
		{Word: "vllm", Title: "vLLM", Kind: research.OpenAICompatible, BaseURL: "http://127.0.0.1:8000/v1", Local: true},
		{Word: "openai", Title: "OpenAI", Kind: research.OpenAICompatible, BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY"},
		{Word: "anthropic", Title: "Anthropic", Kind: research.Anthropic, BaseURL: "https://api.anthropic.com", KeyEnv: "ANTHROPIC_API_KEY"},
		{Word: "openrouter", Title: "OpenRouter", Kind: research.OpenAICompatible, BaseURL: "https://openrouter.ai/api/v1", KeyEnv: "OPENROUTER_API_KEY"},
	}
}

func presetOf(word string) (preset, bool) {
	i := slices.IndexFunc(presets(), func(p preset) bool { return p.Word == word })
	if i < 0 {
		return preset{}, false
	}
	return presets()[i], true
}

func presetWords() []string {
	out := make([]string, len(presets()))
	for i, p := range presets() {
		out[i] = p.Word
	}
	return out
}

// publicURL is the address a kind has when none is given.
func publicURL(k research.ProviderKind) string {
	switch k {
	case research.Ollama:
		return defaultOllama
	case research.Anthropic:
		return "https://api.anthropic.com"
	}
	return "https://api.openai.com/v1"
}

// usualKey is the environment variable that holds the key for an address. It is
// looked up by the address and not by the protocol, so that a key is sent to the
// service it belongs to and to no other.
func usualKey(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	for _, p := range presets() {
		if own, err := url.Parse(p.BaseURL); err == nil && p.KeyEnv != "" && strings.EqualFold(own.Host, u.Host) && u.Scheme == "https" {
			return p.KeyEnv
		}
	}
	return ""
}
