package main

import (
	"context"

	"github.com/progrouter/progrouter/llm/anthropic"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/llm/ollama"
	"github.com/progrouter/progrouter/llm/openai"
	"github.com/progrouter/progrouter/research"
)

// modelClient talks to one model, and lists what its server has.
type modelClient interface {
	chat.Client
	Models(ctx context.Context) ([]chat.Found, error)
}

// newClient speaks the protocol of a provider.
func newClient(p research.Provider, m research.LanguageModel) modelClient {
	switch p.Kind {
	case research.Anthropic:
		return anthropic.New(anthropic.Config{BaseURL: p.BaseURL, Key: p.Key, Model: m.ID, Schema: m.Schema})
	case research.Ollama:
		return ollama.New(ollama.Config{BaseURL: p.BaseURL, Key: p.Key, Model: m.ID, Schema: m.Schema})
	}
	return openai.New(openai.Config{BaseURL: p.BaseURL, Key: p.Key, Model: m.ID, Schema: m.Schema})
}
