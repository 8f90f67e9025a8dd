package faulty

import (
	"encoding/json"
	"net/http"

	"github.com/progrouter/progrouter/llm/chat"
)

// openAI writes OpenAI's protocol.
type openAI struct{}

type dict = map[string]any

func (openAI) parse(raw map[string]any) Request {
	r := Request{Protocol: OpenAI, Model: str(raw["model"]), MaxTokens: number(raw["max_tokens"]) + number(raw["max_completion_tokens"])}
	r.Temperature, _ = raw["temperature"].(float64)
	r.Stream, _ = raw["stream"].(bool)
	if f, ok := raw["seed"].(float64); ok {
		seed := int64(f)
		r.Seed = &seed
	}
	turns, _ := raw["messages"].([]any)
	for _, t := range turns {
		m, _ := t.(map[string]any)
		r.Messages = append(r.Messages, chat.Message{Role: str(m["role"]), Text: content(m["content"])})
	}
	if f, ok := raw["response_format"].(map[string]any); ok {
		if s, ok := f["json_schema"].(map[string]any); ok {
			r.Schema, _ = json.Marshal(s["schema"])
		}
	}
	return r
}

// content is a message's text, given as a string or as parts.
func content(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	text := ""
	parts, _ := v.([]any)
	for _, p := range parts {
		m, _ := p.(map[string]any)
		text += str(m["text"])
	}
	return text
}

func (openAI) fail(w http.ResponseWriter, status int, f fault) {
	writeJSON(w, status, dict{"error": dict{"message": f.message, "type": f.kind, "code": f.code, "param": nil}})
}

func (o openAI) chunk(x *exchange, delta dict, finish any) {
	o.send(x, dict{"choices": []dict{{"index": 0, "delta": delta, "finish_reason": finish}}})
}

func (openAI) send(x *exchange, v dict) {
	v["id"], v["object"], v["created"], v["model"] = "chatcmpl-1", "chat.completion.chunk", 1700000000, x.name()
	raw, _ := json.Marshal(v)
	x.event("", string(raw))
}

func (o openAI) begin(x *exchange) { o.chunk(x, dict{"role": "assistant", "content": ""}, nil) }

func (o openAI) text(x *exchange, s string) { o.chunk(x, dict{"content": s}, nil) }

func (o openAI) reasoning(x *exchange, s string) { o.chunk(x, dict{"reasoning_content": s}, nil) }

func (o openAI) refusal(x *exchange, s string) { o.chunk(x, dict{"refusal": s}, nil) }

func (o openAI) tool(x *exchange) {
	o.chunk(x, dict{"tool_calls": []dict{{"index": 0, "id": "call_1", "type": "function", "function": dict{"name": "search", "arguments": `{"query":"anything"}`}}}}, nil)
}

func (o openAI) inStream(x *exchange, f fault) {
	raw, _ := json.Marshal(dict{"error": dict{"message": f.message, "type": f.kind}})
	x.event("", string(raw))
}

func (o openAI) end(x *exchange, finish string, u *usage) {
	switch finish {
	case "tool":
		finish = "tool_calls"
	case "refusal":
		finish = "stop"
	}
	o.chunk(x, dict{}, finish)
	if u != nil && has(x.req.Body, []string{"stream_options", "include_usage"}) {
		o.send(x, dict{"choices": []dict{}, "usage": o.usage(u)})
	}
	x.event("", "[DONE]")
}

func (openAI) usage(u *usage) dict {
	return dict{"prompt_tokens": u.in, "completion_tokens": u.out, "total_tokens": u.in + u.out,
		"prompt_tokens_details":     dict{"cached_tokens": u.cached},
		"completion_tokens_details": dict{"reasoning_tokens": u.reasoning}}
}

func (o openAI) whole(x *exchange, text, finish string, u *usage) {
	writeJSON(x.w, http.StatusOK, dict{"id": "chatcmpl-1", "object": "chat.completion", "created": 1700000000, "model": x.name(),
		"choices": []dict{{"index": 0, "message": dict{"role": "assistant", "content": text}, "finish_reason": finish}}, "usage": o.usage(u)})
}
