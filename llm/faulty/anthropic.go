package faulty

import (
	"encoding/json"
	"net/http"

	"github.com/progrouter/progrouter/llm/chat"
)

// anthropic writes Anthropic's protocol.
type anthropic struct{}

func (anthropic) parse(raw map[string]any) Request {
	r := Request{Protocol: Anthropic, Model: str(raw["model"]), MaxTokens: number(raw["max_tokens"])}
	r.Temperature, _ = raw["temperature"].(float64)
	r.Stream, _ = raw["stream"].(bool)
	if s := content(raw["system"]); s != "" {
		r.Messages = append(r.Messages, chat.Message{Role: chat.System, Text: s})
	}
	turns, _ := raw["messages"].([]any)
	for _, t := range turns {
		m, _ := t.(map[string]any)
		r.Messages = append(r.Messages, chat.Message{Role: str(m["role"]), Text: content(m["content"])})
	}
	if c, ok := raw["output_config"].(map[string]any); ok {
		if f, ok := c["format"].(map[string]any); ok {
			r.Schema, _ = json.Marshal(f["schema"])
		}
	}
	if tools, ok := raw["tools"].([]any); ok && len(tools) > 0 {
		t, _ := tools[0].(map[string]any)
		r.Schema, _ = json.Marshal(t["input_schema"])
	}
	return r
}

func (anthropic) fail(w http.ResponseWriter, status int, f fault) {
	writeJSON(w, status, dict{"type": "error", "error": dict{"type": f.kind, "message": f.message}})
}

func (anthropic) send(x *exchange, name string, v dict) {
	v["type"] = name
	raw, _ := json.Marshal(v)
	x.event(name, string(raw))
}

func (a anthropic) begin(x *exchange) {
	u, counted := x.used(1), dict{}
	if !x.silent {
		counted = dict{"input_tokens": u.in - u.cached, "cache_read_input_tokens": u.cached, "output_tokens": 1}
	}
	a.send(x, "message_start", dict{"message": dict{"id": "msg_1", "type": "message", "role": "assistant", "model": x.name(), "content": []any{}, "usage": counted}})
	a.send(x, "ping", dict{})
}

// block makes sure that a content block of a kind is open.
func (a anthropic) block(x *exchange, kind string, start dict) int {
	if x.open != kind {
		a.close(x)
		start["type"] = kind
		a.send(x, "content_block_start", dict{"index": x.blocks, "content_block": start})
		x.open = kind
	}
	return x.blocks
}

func (a anthropic) close(x *exchange) {
	if x.open != "" {
		a.send(x, "content_block_stop", dict{"index": x.blocks})
		x.open = ""
		x.blocks++
	}
}

// text is an answer. Where the answer was asked for as a tool's input, it is one.
func (a anthropic) text(x *exchange, s string) {
	if has(x.req.Body, []string{"tool_choice", "name"}) {
		name := str(x.req.Body["tool_choice"].(map[string]any)["name"])
		i := a.block(x, "tool_use", dict{"id": "toolu_1", "name": name, "input": dict{}})
		a.send(x, "content_block_delta", dict{"index": i, "delta": dict{"type": "input_json_delta", "partial_json": s}})
		return
	}
	i := a.block(x, "text", dict{"text": ""})
	a.send(x, "content_block_delta", dict{"index": i, "delta": dict{"type": "text_delta", "text": s}})
}

func (a anthropic) reasoning(x *exchange, s string) {
	i := a.block(x, "thinking", dict{"thinking": "", "signature": ""})
	a.send(x, "content_block_delta", dict{"index": i, "delta": dict{"type": "thinking_delta", "thinking": s}})
}

func (a anthropic) refusal(x *exchange, s string) { a.text(x, s) }

func (a anthropic) tool(x *exchange) {
	i := a.block(x, "tool_use", dict{"id": "toolu_1", "name": "search", "input": dict{}})
	a.send(x, "content_block_delta", dict{"index": i, "delta": dict{"type": "input_json_delta", "partial_json": `{"query":"anything"}`}})
}

func (a anthropic) inStream(x *exchange, f fault) {
	a.send(x, "error", dict{"error": dict{"type": f.kind, "message": f.message}})
}

func (a anthropic) end(x *exchange, finish string, u *usage) {
	tool := x.open == "tool_use"
	a.close(x)
	out := dict{}
	if u != nil {
		out = dict{"output_tokens": u.out}
		if u.in != x.used(0).in {
			out["input_tokens"] = u.in
		}
	}
	a.send(x, "message_delta", dict{"delta": dict{"stop_reason": stopReason(finish, tool)}, "usage": out})
	a.send(x, "message_stop", dict{})
}

func stopReason(finish string, tool bool) string {
	switch {
	case finish == "length":
		return "max_tokens"
	case finish == "refusal":
		return "refusal"
	case tool || finish == "tool":
		return "tool_use"
	}
	return "end_turn"
}

func (a anthropic) whole(x *exchange, text, finish string, u *usage) {
	writeJSON(x.w, http.StatusOK, dict{"id": "msg_1", "type": "message", "role": "assistant", "model": x.name(),
		"content": []dict{{"type": "text", "text": text}}, "stop_reason": stopReason(finish, false),
		"usage": dict{"input_tokens": u.in - u.cached, "cache_read_input_tokens": u.cached, "output_tokens": u.out}})
}
