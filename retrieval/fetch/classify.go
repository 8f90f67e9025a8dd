package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
)

// classify turns a failed exchange into a refusal with cause and cure.
func classify(u *url.URL, err error) *refusal {
	var done *refusal
	var blocked *blockedError
	var dns *net.DNSError
	var netErr net.Error
	switch {
	case errors.As(err, &done):
		return done
	case errors.As(err, &blocked):
		return blockedReason(u, blocked)
	case errors.As(err, &dns):
		return nameReason(u, dns)
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETDOWN):
		return refuse(CodeNoNetwork, "There is no network route to %s. Connect this machine to the internet, or work with the library.", u.Host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return refuse(CodeRefused, "%s refused the connection. Check the address and port, and that the server runs.", hostPort(u))
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		return refuse(CodeTimeout, "%s did not answer in time. Try again later, or raise the run's time budget.", u.Host)
	case tlsError(err):
		return refuse(CodeTLS, "No secure connection to %s: %s. Check the address; a site without a valid certificate is not read.", u.Host, tlsCause(err))
	case brokenProtocol(err):
		return refuse(CodeBadAnswer, "%s sent an answer that breaks the protocol. Try again later, or give another source.", u.Host)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return refuse(CodeConnection, "%s broke the connection off before the page was complete. Try again later.", u.Host)
	}
	return refuse(CodeConnection, "The connection to %s failed. Check the address and try again.", u.Host)
}

// brokenProtocol reports answers that net/http cannot read. It gives them no
// types of their own.
func brokenProtocol(err error) bool {
	for _, mark := range []string{"gzip:", "malformed", "invalid header", "exceeded", "failed to parse Location"} {
		if strings.Contains(err.Error(), mark) {
			return true
		}
	}
	return false
}

func blockedReason(u *url.URL, b *blockedError) *refusal {
	target := hostPort(u)
	if b.port {
		return refuse(CodePort, "Port %d of %s is not a web port; public hosts are asked on 80, 443, 8080 and 8443 only. Allow it with PROGROUTER_ALLOW_HOSTS=%s.", b.addr.Port(), u.Hostname(), target)
	}
	where := target + " is"
	if b.addr.String() != target {
		where = target + " leads to " + b.addr.String() + ","
	}
	return refuse(CodePrivate, "%s a private or reserved address, which is not fetched. Allow it with PROGROUTER_ALLOW_HOSTS=%s.", where, target)
}

func nameReason(u *url.URL, dns *net.DNSError) *refusal {
	switch {
	case dns.IsNotFound:
		return refuse(CodeNameNotFound, "No host named %s is known here. Check the spelling of the address, and that this machine is connected to the internet.", u.Hostname())
	case dns.IsTimeout, dns.IsTemporary:
		return refuse(CodeNoNetwork, "The name %s cannot be looked up: name resolution does not answer. Connect this machine to the internet, or work with the library.", u.Hostname())
	}
	return refuse(CodeNameNotFound, "The name %s cannot be looked up. Check the spelling of the address.", u.Hostname())
}

func tlsError(err error) bool {
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var verify *tls.CertificateVerificationError
	return errors.As(err, &record) || errors.As(err, &alert) || errors.As(err, &verify) ||
		strings.Contains(err.Error(), "tls: ") || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

func tlsCause(err error) string {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &unknown):
		return "its certificate is from an unknown authority"
	case errors.As(err, &host):
		return "its certificate is for another name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate has expired"
	case strings.Contains(err.Error(), "HTTP response"):
		return "it answers in plain HTTP; try http://"
	}
	return "the handshake failed"
}
