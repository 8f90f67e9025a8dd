package openai

import (
	"context"
	"net/http"
	"strings"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/llm/wire"
)

// listed is an entry of /models, with the extra fields that vLLM, llama.cpp,
// OpenRouter and LM Studio add.
type listed struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Window    int    `json:"max_model_len"`
	Context   int    `json:"context_length"`
	LMContext int    `json:"max_context_length"`
	Meta      struct {
		Context    int     `json:"n_ctx"`
		Trained    int     `json:"n_ctx_train"`
		Parameters float64 `json:"n_params"`
		Size       int64   `json:"size"`
	} `json:"meta"`
}

// Models lists what the server has.
func (c *Client) Models(ctx context.Context) ([]chat.Found, error) {
	header := http.Header{}
	if c.cfg.Key != "" {
		header.Set("Authorization", "Bearer "+c.cfg.Key)
	}
	var list struct {
		Data []listed `json:"data"`
	}
	if err := wire.JSON(ctx, c.http, c.cfg.BaseURL+"/models", header, nil, &list); err != nil {
		return nil, err
	}
	var out []chat.Found
	for _, m := range list.Data {
		if m.ID != "" {
			out = append(out, m.found())
		}
	}
	return out, nil
}

func (m listed) found() chat.Found {
	f := chat.Found{ID: m.ID, Parameters: m.Meta.Parameters / 1e9, Bytes: m.Meta.Size}
	for _, n := range []int{m.Window, m.Meta.Context, m.Context, m.LMContext, m.Meta.Trained} {
		if f.Context == 0 {
			f.Context = n
		}
	}
	low := strings.ToLower(m.ID)
	f.Chats = !strings.Contains(m.Type, "embed") && !contains(low, "embed", "rerank", "whisper", "tts-", "dall-e", "moderation")
	return f
}
