package openai

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/llm/wire"
)

// reading is an answer as it arrives.
type reading struct {
	request chat.Request
	key     string
	now     func() time.Time
	begun   time.Time
	some    bool // something arrived
	onDelta func(chat.Delta)

	split     chat.Splitter
	text      strings.Builder
	reasoning strings.Builder
	refusal   strings.Builder
	tool      strings.Builder // what it wrote into calls of tools
	out       chat.Response
	counted   *chat.Usage
}

func newReading(r chat.Request, key string, now func() time.Time, onDelta func(chat.Delta)) *reading {
	return &reading{request: r, key: key, now: now, begun: now(), onDelta: onDelta}
}

// read takes the whole answer, be it a stream or, from servers that do not
// stream, one object.
func (in *reading) read(ctx context.Context, res *http.Response) error {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if kind == "application/json" {
		return in.whole(res.Body)
	}
	events := ssestream.NewDecoder(res)
	for events.Next() {
		if ctx.Err() != nil {
			return ctx.Err() // what is buffered is not wanted any more
		}
		data := strings.TrimSpace(string(events.Event().Data))
		if data == "[DONE]" {
			if in.out.Finish == "" && in.some {
				in.out.Finish = chat.Stopped
			}
			return in.ended()
		}
		if data == "" {
			continue
		}
		if err := in.chunk([]byte(data)); err != nil {
			return err
		}
	}
	if err := events.Err(); err != nil {
		return err
	}
	return in.ended()
}

// ended says whether the stream had an end. Some servers leave [DONE] out and
// some the reason, so either will do; without both it was cut.
func (in *reading) ended() error {
	if in.out.Finish != "" {
		return nil
	}
	return &chat.Error{Kind: chat.Cut, Detail: "the stream ended in the middle"}
}

// head is what decides over an event before it is taken as a part of the answer.
type head struct {
	Error   json.RawMessage `json:"error"`
	Timings *timings        `json:"timings"`
}

// timings are what llama.cpp adds to the last event.
type timings struct {
	Cached    int `json:"cache_n"`
	Prompt    int `json:"prompt_n"`
	Predicted int `json:"predicted_n"`
}

func (in *reading) head(raw []byte) error {
	var h head
	if err := json.Unmarshal(raw, &h); err != nil {
		return &chat.Error{Kind: chat.Garbage, Detail: "the answer is no JSON", Err: err}
	}
	if len(h.Error) > 0 && string(h.Error) != "null" {
		return wire.Reported(raw, in.key, in.now())
	}
	if t := h.Timings; t != nil && in.counted == nil {
		in.counted = &chat.Usage{Input: t.Prompt + t.Cached, Cached: t.Cached, Output: t.Predicted}
	}
	return nil
}

func (in *reading) chunk(raw []byte) error {
	if err := in.head(raw); err != nil {
		return err
	}
	var c openai.ChatCompletionChunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return &chat.Error{Kind: chat.Garbage, Detail: "the answer is not what the protocol says", Err: err}
	}
	in.about(c.Model, c.Usage, c.JSON.Usage.Valid())
	for _, choice := range c.Choices {
		d := choice.Delta
		for _, call := range d.ToolCalls {
			in.tool.WriteString(call.Function.Name + call.Function.Arguments)
		}
		in.take(d.Content, extra(d.JSON.ExtraFields), d.Refusal)
		if err := in.finish(choice.FinishReason, len(d.ToolCalls) > 0); err != nil {
			return err
		}
	}
	return nil
}

// whole reads an answer that is one object.
func (in *reading) whole(body io.Reader) error {
	raw, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	if err := in.head(raw); err != nil {
		return err
	}
	var c openai.ChatCompletion
	if err := json.Unmarshal(raw, &c); err != nil || len(c.Choices) == 0 {
		return &chat.Error{Kind: chat.Garbage, Detail: "the answer is not what the protocol says", Err: err}
	}
	in.about(c.Model, c.Usage, c.JSON.Usage.Valid())
	m := c.Choices[0].Message
	for _, call := range m.ToolCalls {
		in.tool.WriteString(call.Function.Name + call.Function.Arguments)
	}
	in.take(m.Content, extra(m.JSON.ExtraFields), m.Refusal)
	if err := in.finish(c.Choices[0].FinishReason, false); err != nil {
		return err
	}
	return in.ended()
}

func (in *reading) about(model string, u openai.CompletionUsage, said bool) {
	if model != "" {
		in.out.Model = model
	}
	if said {
		in.counted = usage(u)
	}
}

// usage reads what the server counted. Some (Gemini's and xAI's) leave what was
// thought out of the answer's tokens, and only the total shows it; it is billed
// as written.
func usage(u openai.CompletionUsage) *chat.Usage {
	out := &chat.Usage{
		Input: int(u.PromptTokens), Cached: int(u.PromptTokensDetails.CachedTokens),
		Output: int(u.CompletionTokens), Reasoning: int(u.CompletionTokensDetails.ReasoningTokens),
	}
	if more := int(u.TotalTokens - u.PromptTokens - u.CompletionTokens); more > 0 {
		out.Output, out.Reasoning = out.Output+more, max(out.Reasoning, more)
	}
	return out
}

// extra finds the thinking that servers send in fields of their own.
func extra(fields map[string]respjson.Field) string {
	for _, name := range []string{"reasoning_content", "reasoning", "thinking"} {
		var s string
		if f, ok := fields[name]; ok && json.Unmarshal([]byte(f.Raw()), &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

func (in *reading) take(content, reasoning, refusal string) {
	if !in.some && content+reasoning+refusal != "" {
		in.some, in.out.First = true, in.now().Sub(in.begun)
	}
	in.refusal.WriteString(refusal)
	d := chat.Delta{Reasoning: reasoning}
	if content != "" {
		s := in.split.Add(content)
		d.Text, d.Reasoning = s.Text, d.Reasoning+s.Reasoning
	}
	in.tell(d)
}

func (in *reading) tell(d chat.Delta) {
	in.text.WriteString(d.Text)
	in.reasoning.WriteString(d.Reasoning)
	if in.onDelta != nil && d != (chat.Delta{}) {
		in.onDelta(d)
	}
}

func (in *reading) finish(reason string, tools bool) error {
	switch reason {
	case "":
	case "length", "max_tokens", "model_length":
		in.out.Finish = chat.Length
	case "content_filter", "refusal", "safety":
		in.out.Finish = chat.Refused
	case "tool_calls", "function_call":
		in.out.Finish = chat.ToolCalls
	case "error", "abort":
		in.out.Finish = chat.Broken
		return &chat.Error{Kind: chat.Cut, Detail: "the server gave up in the middle of its answer"}
	default:
		in.out.Finish = chat.Stopped
	}
	if tools && in.out.Finish == chat.Stopped {
		in.out.Finish = chat.ToolCalls
	}
	return nil
}

// done completes the response, of what arrived where err is set.
func (in *reading) done(ctx context.Context, err error) (chat.Response, error) {
	in.tell(in.split.End())
	text, thought := chat.SplitThinking(in.text.String())
	in.out.Text, in.out.Reasoning = text, in.reasoning.String()+thought
	if in.refusal.Len() > 0 {
		in.out.Text, in.out.Finish = in.out.Text+in.refusal.String(), chat.Refused
	}
	if in.tool.Len() > 0 && strings.TrimSpace(in.out.Text) == "" && in.out.Finish == chat.Stopped {
		in.out.Finish = chat.ToolCalls
	}
	written := in.out.Text + in.tool.String()
	in.out.Usage = chat.CountResponse(in.request, written, in.out.Reasoning)
	if in.counted != nil && err == nil {
		in.out.Usage = chat.Checked(*in.counted, in.request, written, in.out.Reasoning)
	}
	return in.ending(ctx, in.out.Usage, err), err
}

// ending completes a response whose usage is known.
func (in *reading) ending(ctx context.Context, used chat.Usage, err error) chat.Response {
	in.out.Usage, in.out.Took = used, in.now().Sub(in.begun)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		in.out.Finish = chat.Cancelled
	default:
		in.out.Finish = chat.Broken
	}
	return in.out
}
