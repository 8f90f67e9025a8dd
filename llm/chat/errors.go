package chat

import (
	"fmt"
	"time"
)

// Kind classifies what went wrong, so that callers can decide what helps.
type Kind string

// Kinds of failures.
const (
	RateLimited   Kind = "rate_limited"   // 429: wait
	Overloaded    Kind = "overloaded"     // 5xx: wait
	TimedOut      Kind = "timeout"        // nothing came for too long
	Unreachable   Kind = "unreachable"    // no connection
	Cut           Kind = "cut"            // the stream broke off
	Garbage       Kind = "garbage"        // not what the protocol says
	ContextLength Kind = "context_length" // the prompt does not fit the window
	Unauthorized  Kind = "unauthorized"   // key missing, wrong or expired
	OutOfCredit   Kind = "out_of_credit"  // the account's quota is used up
	UnknownModel  Kind = "unknown_model"  // the server does not have it
	Rejected      Kind = "rejected"       // another 4xx: the request itself
	Resting       Kind = "resting"        // not asked: it failed too often lately
)

// Error is a failed call.
type Error struct {
	Kind       Kind
	Status     int           // HTTP status, 0 for none
	RetryAfter time.Duration // what the server asked for, 0 for nothing
	Detail     string        // the server's words, cut short and without secrets
	Err        error
}

func (e *Error) Error() string {
	s := string(e.Kind)
	if e.Status > 0 {
		s = fmt.Sprintf("%s (HTTP %d)", s, e.Status)
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Passing says whether the same call may succeed a little later.
func (e *Error) Passing() bool {
	switch e.Kind {
	case RateLimited, Overloaded, TimedOut, Unreachable, Cut, Garbage:
		return true
	}
	return false
}

// Lasting says whether only a person can cure it: a wrong key, no credit, a model
// that is not there.
func (e *Error) Lasting() bool {
	switch e.Kind {
	case Unauthorized, OutOfCredit, UnknownModel:
		return true
	}
	return false
}

// ofHost says whether it concerns all models of the server.
func (e *Error) ofHost() bool {
	switch e.Kind {
	case Unreachable, Unauthorized, OutOfCredit:
		return true
	}
	return false
}
