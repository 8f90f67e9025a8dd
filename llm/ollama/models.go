package ollama

import (
	"context"
	"strconv"
	"strings"

	"github.com/progrouter/progrouter/llm/chat"
)

// described is a model in /api/tags and /api/ps.
type described struct {
	Name    string  `json:"name"`
	Model   string  `json:"model"`
	Size    int64   `json:"size"`
	Context int     `json:"context_length"` // as loaded; /api/ps only
	Details details `json:"details"`
}

type details struct {
	Family     string `json:"family"`
	Parameters string `json:"parameter_size"` // 3.2B
	Quantised  string `json:"quantization_level"`
}

type listing struct {
	Models []described `json:"models"`
}

// Models lists the installed models. Servers without Ollama's own calls are asked
// with OpenAI's.
func (c *Client) Models(ctx context.Context) ([]chat.Found, error) {
	var installed listing
	err := c.call(ctx, "/api/tags", nil, &installed)
	if err != nil && lacks(err) {
		return c.chat.Models(ctx)
	}
	if err != nil {
		return nil, err
	}
	running, runErr := c.running(ctx)
	var out []chat.Found
	for _, m := range installed.Models {
		f := chat.Found{ID: m.Name, Parameters: billions(m.Details.Parameters), Quantised: m.Details.Quantised, Bytes: m.Size,
			Chats: !strings.Contains(m.Details.Family, "bert")}
		if runErr == nil {
			_, loaded := running[full(m.Name)]
			f.Loaded = &loaded
		}
		if err := c.show(ctx, &f); err != nil && ctx.Err() != nil {
			return out, ctx.Err()
		}
		if n := running[full(m.Name)]; n > 0 {
			f.Context = n // it is loaded with less than it could have
		}
		out = append(out, f)
	}
	return out, nil
}

// running maps the loaded models to the window they are loaded with, 0 where the
// server does not say.
func (c *Client) running(ctx context.Context) (map[string]int, error) {
	var list listing
	if err := c.call(ctx, "/api/ps", nil, &list); err != nil {
		return nil, err
	}
	out := map[string]int{}
	for _, m := range list.Models {
		out[full(m.Name)] = m.Context
	}
	return out, nil
}

// show adds what only the model's own page has: its window and what it can do.
func (c *Client) show(ctx context.Context, f *chat.Found) error {
	var page struct {
		Info         map[string]any `json:"model_info"`
		Capabilities []string       `json:"capabilities"`
	}
	if err := c.call(ctx, "/api/show", map[string]any{"model": f.ID}, &page); err != nil {
		return err
	}
	architecture, _ := page.Info["general.architecture"].(string)
	if n, ok := page.Info[architecture+".context_length"].(float64); ok && n > 0 {
		f.Context = int(n)
	}
	if n, ok := page.Info["general.parameter_count"].(float64); ok && n > 0 {
		f.Parameters = n / 1e9
	}
	if len(page.Capabilities) > 0 {
		f.Chats = has(page.Capabilities, "completion")
	}
	return nil
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// billions reads a parameter count as Ollama writes it: 3.2B, 135M, 494.03M, and
// 8x7B for mixtures.
func billions(s string) float64 {
	s = strings.ToUpper(strings.TrimSpace(s))
	if s == "" {
		return 0
	}
	unit := 1e-9
	switch s[len(s)-1] {
	case 'T':
		unit = 1000
	case 'B':
		unit = 1
	case 'M':
		unit = 1e-3
	case 'K':
		unit = 1e-6
	}
	product := unit
	for _, part := range strings.Split(strings.TrimRight(s, "TBMK"), "X") {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil || n < 0 {
			return 0
		}
		product *= n
	}
	return product
}
