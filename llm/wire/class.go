package wire

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/progrouter/progrouter/llm/chat"
)

// Answer is what a server said beside an error status. It is the cause of the
// *chat.Error, for clients that look for a parameter the server did not take.
type Answer struct {
	Status int
	Text   string // lower case, not masked: never shown
}

func (a *Answer) Error() string { return http.StatusText(a.Status) }

// Said returns the server's words behind an error, in lower case, and its status.
func Said(err error) (string, int) {
	var a *Answer
	if errors.As(err, &a) {
		return a.Text, a.Status
	}
	return "", 0
}

// Reported classes an error that the server put into a stream whose status was
// fine. raw is the event's JSON.
func Reported(raw []byte, key string, now time.Time) *chat.Error {
	status := 0
	var m struct {
		Error struct {
			Code json.Number `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(raw, &m) == nil {
		if n, err := m.Error.Code.Int64(); err == nil && n >= 400 && n < 600 {
			status = int(n)
		}
	}
	return newMask(key).class(status, nil, raw, now)
}

// class says what an error status with this body means. A status of 0 is an
// error inside a stream.
func (m mask) class(status int, header http.Header, body []byte, now time.Time) *chat.Error {
	words, page := message(header, body)
	low := strings.ToLower(words)
	e := &chat.Error{Status: status, Detail: m.detail(words), Err: &Answer{Status: status, Text: low}}
	e.RetryAfter = retryAfter(header, low, now)
	e.Kind = kindOf(status, low, page, e.RetryAfter > 0)
	if page {
		e.Detail = "the server sent a web page"
	}
	return e
}

func kindOf(status int, low string, page, wait bool) chat.Kind {
	switch {
	case !page && tooLong(status, low):
		return chat.ContextLength
	case status == http.StatusPaymentRequired, noCredit(low) && !(wait && status == http.StatusTooManyRequests):
		return chat.OutOfCredit
	case !page && noModel(status, low):
		return chat.UnknownModel
	case status == http.StatusUnauthorized, badKey(low) && status < 500, status == http.StatusForbidden && !page:
		return chat.Unauthorized
	case status == http.StatusTooManyRequests, status == http.StatusTooEarly:
		return chat.RateLimited
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return chat.TimedOut
	case status == http.StatusNotFound:
		return chat.UnknownModel
	case status == http.StatusNotImplemented:
		return chat.Rejected
	case status >= 500:
		return chat.Overloaded
	case status >= 400:
		return chat.Rejected
	case strings.Contains(low, "rate_limit") || strings.Contains(low, "rate limit"):
		return chat.RateLimited
	case strings.Contains(low, "invalid_request"):
		return chat.Rejected
	}
	return chat.Overloaded
}

// transport classes an error below HTTP.
func (m mask) transport(err error) error {
	var known *chat.Error
	if errors.As(err, &known) {
		return known
	}
	e := &chat.Error{Kind: chat.Unreachable, Detail: m.detail(cause(err)), Err: err}
	var network net.Error
	var record tls.RecordHeaderError
	var cert *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	switch {
	case errors.As(err, &record), errors.As(err, &cert), errors.As(err, &authority),
		strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		e.Detail = "no encrypted connection: " + e.Detail
	case errors.As(err, &network) && network.Timeout():
		e.Kind = chat.TimedOut
	case strings.Contains(err.Error(), "malformed HTTP"), strings.Contains(err.Error(), "malformed MIME"):
		e.Kind, e.Detail = chat.Garbage, "the server does not speak HTTP"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		e.Detail = "the server closed the connection without an answer"
	}
	return e
}

// cause is the innermost text of an error, which holds no address with a secret.
func cause(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Error()
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
