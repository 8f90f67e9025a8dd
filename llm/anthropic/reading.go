package anthropic

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

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
	asTool  bool // the answer is the input of a tool

	text      strings.Builder
	reasoning strings.Builder
	tool      strings.Builder // input of a tool that nobody offered
	out       chat.Response
	counted   chat.Usage
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
		if data == "" {
			continue
		}
		over, err := in.event([]byte(data))
		if over || err != nil {
			return err
		}
	}
	if err := events.Err(); err != nil {
		return err
	}
	if in.out.Finish != "" {
		return nil
	}
	return &chat.Error{Kind: chat.Cut, Detail: "the stream ended in the middle"}
}

// event takes one event and says whether it is the last.
func (in *reading) event(raw []byte) (over bool, err error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return false, &chat.Error{Kind: chat.Garbage, Detail: "the answer is no JSON", Err: err}
	}
	switch head.Type {
	case "error":
		return false, wire.Reported(raw, in.key, in.now())
	case "ping":
		return false, nil
	case "message_stop":
		return true, nil
	}
	var e anthropic.MessageStreamEventUnion
	if err := json.Unmarshal(raw, &e); err != nil {
		return false, &chat.Error{Kind: chat.Garbage, Detail: "the answer is not what the protocol says", Err: err}
	}
	switch e.Type {
	case "message_start":
		u := e.Message.Usage
		in.out.Model = e.Message.Model
		in.count(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens, u.OutputTokens, u.OutputTokensDetails.ThinkingTokens)
	case "content_block_start":
		in.take(e.ContentBlock.Text, e.ContentBlock.Thinking, "")
	case "content_block_delta":
		in.take(e.Delta.Text, e.Delta.Thinking, e.Delta.PartialJSON)
	case "message_delta":
		u := e.Usage
		in.count(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens, u.OutputTokens, u.OutputTokensDetails.ThinkingTokens)
		in.finish(e.Delta.StopReason)
	}
	return false, nil
}

// count takes cumulative counts; an event that lacks one leaves the earlier. The
// protocol counts what was cached beside the input, not in it.
func (in *reading) count(input, read, created, output, thought int64) {
	if sum := int(input + read + created); sum != 0 {
		in.counted.Input, in.counted.Cached = sum, max(in.counted.Cached, int(read))
	}
	if output != 0 {
		in.counted.Output = int(output)
	}
	if thought > 0 {
		in.counted.Reasoning = int(thought)
	}
}

// whole reads an answer that is one object.
func (in *reading) whole(body io.Reader) error {
	raw, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	var m anthropic.Message
	if err := json.Unmarshal(raw, &m); err != nil || m.Type != "message" {
		return &chat.Error{Kind: chat.Garbage, Detail: "the answer is not what the protocol says", Err: err}
	}
	u := m.Usage
	in.out.Model = m.Model
	in.count(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens, u.OutputTokens, u.OutputTokensDetails.ThinkingTokens)
	for _, b := range m.Content {
		in.take(b.Text, b.Thinking, string(b.Input))
	}
	in.finish(m.StopReason)
	return nil
}

func (in *reading) take(text, thinking, input string) {
	if !in.some && text+thinking+input != "" {
		in.some, in.out.First = true, in.now().Sub(in.begun)
	}
	if in.asTool {
		text += input
	} else {
		in.tool.WriteString(input)
	}
	in.text.WriteString(text)
	in.reasoning.WriteString(thinking)
	if d := (chat.Delta{Text: text, Reasoning: thinking}); in.onDelta != nil && d != (chat.Delta{}) {
		in.onDelta(d)
	}
}

func (in *reading) finish(reason anthropic.StopReason) {
	switch reason {
	case "":
	case anthropic.StopReasonMaxTokens, anthropic.StopReasonModelContextWindowExceeded:
		in.out.Finish = chat.Length
	case anthropic.StopReasonRefusal:
		in.out.Finish = chat.Refused
	case anthropic.StopReasonToolUse:
		in.out.Finish = chat.ToolCalls
		if in.asTool {
			in.out.Finish = chat.Stopped
		}
	default:
		in.out.Finish = chat.Stopped
	}
}

// done completes the response, of what arrived where err is set.
func (in *reading) done(ctx context.Context, err error) (chat.Response, error) {
	in.out.Text, in.out.Reasoning = in.text.String(), in.reasoning.String()
	written := in.out.Text + in.tool.String()
	used := chat.CountResponse(in.request, written, in.out.Reasoning)
	switch {
	case err == nil:
		used = chat.Checked(in.counted, in.request, written, in.out.Reasoning)
	case in.counted.Input > 0:
		// The prompt was counted at the start; only the answer is not.
		used.Input, used.Cached = in.counted.Input, in.counted.Cached
	}
	return in.ending(ctx, used, err), err
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
