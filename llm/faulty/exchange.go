package faulty

import (
	"net/http"
	"strings"
	"time"

	"github.com/progrouter/progrouter/llm/chat"
)

// fault is an error in a protocol's form.
type fault struct {
	message, kind, code string
}

// usage is what the server claims to have counted.
type usage struct{ in, cached, out, reasoning int }

// protocol writes one protocol's form of everything.
type protocol interface {
	parse(raw map[string]any) Request
	fail(w http.ResponseWriter, status int, f fault)
	begin(x *exchange)
	text(x *exchange, s string)
	reasoning(x *exchange, s string)
	refusal(x *exchange, s string)
	tool(x *exchange)
	inStream(x *exchange, f fault)
	end(x *exchange, finish string, u *usage)
	whole(x *exchange, text, finish string, u *usage)
}

// exchange is one conversation being answered.
type exchange struct {
	w        http.ResponseWriter
	r        *http.Request
	req      Request
	protocol protocol
	closed   <-chan struct{}
	answer   func(Request) string
	model    string // claimed; empty: the one asked for
	cached   bool   // part of the prompt was cached
	silent   bool   // nothing is said about usage
	headed   bool
	blocks   int // Anthropic's content blocks so far
	open     string
}

func (x *exchange) name() string {
	if x.model != "" {
		return x.model
	}
	return x.req.Model
}

// event sends one server-sent event.
func (x *exchange) event(name, data string) {
	if !x.headed {
		x.headed = true
		x.w.Header().Set("Content-Type", "text/event-stream")
		x.w.WriteHeader(http.StatusOK)
	}
	if name != "" {
		name = "event: " + name + "\n"
	}
	_, _ = x.w.Write([]byte(name + "data: " + data + "\n\n"))
	x.flush()
}

func (x *exchange) flush() { _ = http.NewResponseController(x.w).Flush() }

// hang waits until the client goes away or the server closes.
func (x *exchange) hang() {
	select {
	case <-x.r.Context().Done():
	case <-x.closed:
	}
}

// pause waits, and says whether to go on.
func (x *exchange) pause(d time.Duration) bool {
	if d <= 0 {
		return x.r.Context().Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-x.r.Context().Done():
	case <-x.closed:
	}
	return false
}

// cut closes the connection in the middle of what is being sent.
func (x *exchange) cut() { panic(http.ErrAbortHandler) }

// pieceBytes is the size of a token, which is what the local estimate assumes
// of plain text.
const pieceBytes = 4

// pieces cuts an answer into tokens: runs of at most pieceBytes bytes, or one
// wide character.
func pieces(text string) []string {
	var out []string
	var b strings.Builder
	for _, r := range text {
		wide := chat.Count(string(r)+string(r)) == 2
		if b.Len() > 0 && (wide || b.Len()+len(string(r)) > pieceBytes) {
			out = append(out, b.String())
			b.Reset()
		}
		b.WriteRune(r)
		if wide {
			out = append(out, b.String())
			b.Reset()
		}
	}
	if b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}

// script is the tokens of an answer within its limit, and how it ends.
func (x *exchange) script(text string) (tokens []string, finish string) {
	tokens = pieces(text)
	if x.req.MaxTokens > 0 && len(tokens) > x.req.MaxTokens {
		return tokens[:x.req.MaxTokens], "length"
	}
	return tokens, "stop"
}

// used is an honest count.
func (x *exchange) used(tokens int) *usage {
	r := chat.Request{Messages: x.req.Messages, Schema: x.req.Schema}
	u := &usage{in: chat.CountRequest(r), out: tokens}
	if x.cached {
		u.cached = u.in / 2
	}
	return u
}
