// Package chat owns the conversation with language models that does not depend
// on whose they are: requests and answers, what can go wrong and how it is
// dealt with (waiting, trying again, resting a server that fails). It must not
// know roles, prompts or runs.
package chat

import (
	"context"
	"encoding/json"
	"time"

	"github.com/progrouter/progrouter/research"
)

// Message roles.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
)

// Message is one turn.
type Message struct {
	Role string
	Text string
}

// Request is what a model is asked.
type Request struct {
	Messages []Message
	// Schema is a JSON schema the answer must fit; nil asks for text. Name names
	// it for servers that want that.
	Schema json.RawMessage
	Name   string
	// MaxTokens caps the answer, reasoning included.
	MaxTokens   int
	Temperature float64
	Seed        *int64
	Stop        []string
}

// Finish is why an answer ended.
type Finish string

// Reasons for the end of an answer.
const (
	Stopped   Finish = "stop"
	Length    Finish = "length"    // at MaxTokens, or at the end of the window
	Refused   Finish = "refusal"   // the model or a filter would not answer
	ToolCalls Finish = "tool"      // it called a tool that nobody offered
	Cancelled Finish = "cancelled" // we stopped it
	Broken    Finish = "error"     // the stream ended without an end
)

// Usage is what was read and written, in tokens. Reasoning is part of Output.
type Usage struct {
	Input     int // cached ones included
	Cached    int
	Output    int
	Reasoning int
	// Counted is server, or local where the server did not say.
	Counted string
}

// Response is an answer.
type Response struct {
	Text      string
	Reasoning string // from a field of its own, or what stood in <think>
	Finish    Finish
	Model     string // as the server names it
	Usage     Usage
	Load      time.Duration // to load the model, where the server says so
	First     time.Duration // until the first token
	Took      time.Duration
	// Recorded is set where the client itself knows what the call used; nil leaves
	// it to whoever measures or estimates.
	Recorded *Recorded
}

// Recorded is what a call used, as measured when the model really answered.
type Recorded struct {
	Energy   research.Energy // nil joules where it was not measured
	At       time.Time
	Replayed bool // taken from a cache of answers: nobody was asked now
}

// Delta is what a stream brought.
type Delta struct {
	Text      string
	Reasoning string
}

// Client talks to one model of one server. Implementations stream: onDelta is
// called as text arrives, and may be nil. On an error the response holds what
// arrived until then. Errors are *Error, or the context's.
type Client interface {
	Chat(ctx context.Context, r Request, onDelta func(Delta)) (Response, error)
}
