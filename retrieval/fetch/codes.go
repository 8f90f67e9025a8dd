package fetch

import (
	"fmt"

	"github.com/progrouter/progrouter/research"
)

// Codes of refused and failed fetches. They are stable words that pages
// translate by.
const (
	CodeMalformedURL = "malformed_url"
	CodeScheme       = "wrong_scheme"
	CodeCredentials  = "url_credentials"
	CodePrivate      = "private_address"
	CodePort         = "blocked_port"
	CodeNameNotFound = "name_not_found"
	CodeNoNetwork    = "no_network"
	CodeRefused      = "connection_refused"
	CodeConnection   = "connection_failed"
	CodeTimeout      = "timeout"
	CodeTLS          = "tls_error"
	CodeRobots       = "robots"
	CodeRobotsDown   = "robots_unavailable"
	CodeTooBig       = "too_big"
	CodeRedirects    = "too_many_redirects"
	CodeRateLimited  = "rate_limited"
	CodeNotFound     = "not_found"
	CodeForbidden    = "forbidden"
	CodeClientError  = "http_error"
	CodeServerError  = "server_error"
	CodeBadAnswer    = "bad_answer"
)

// Codes lists every code of this package, for catalogues.
func Codes() []string {
	return []string{
		CodeMalformedURL, CodeScheme, CodeCredentials, CodePrivate, CodePort, CodeNameNotFound, CodeNoNetwork, CodeRefused,
		CodeConnection, CodeTimeout, CodeTLS, CodeRobots, CodeRobotsDown, CodeTooBig, CodeRedirects, CodeRateLimited,
		CodeNotFound, CodeForbidden, CodeClientError, CodeServerError, CodeBadAnswer,
	}
}

// refusal is why a URL cannot be used. It travels as an error inside the
// package and leaves it as research.Discarded.
type refusal struct {
	code   string
	reason string
}

func (r *refusal) Error() string { return r.reason }

func refuse(code, format string, args ...any) *refusal {
	return &refusal{code: code, reason: fmt.Sprintf(format, args...)}
}

func (r *refusal) discarded(url string) *research.Discarded {
	return &research.Discarded{URL: url, Code: r.code, Reason: r.reason, StepIndex: -1}
}
