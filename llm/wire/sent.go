package wire

import (
	"context"
	"errors"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/progrouter/progrouter/llm/chat"
)

// Sent returns a context that notices when a request went out whole, and what
// tells so: from there on the server may work, and what it does is paid for.
func Sent(ctx context.Context) (context.Context, func() bool) {
	var sent atomic.Bool
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) {
		if i.Err == nil {
			sent.Store(true)
		}
	}}), sent.Load
}

// Lost is what a call used that ended in err before any answer began: the prompt
// where the server had it and did not refuse it with a status, else nothing.
func Lost(err error, sent bool, r chat.Request) chat.Usage {
	var e *chat.Error
	if !sent || errors.As(err, &e) && e.Status > 0 {
		return chat.Usage{}
	}
	return chat.CountResponse(r, "", "")
}
