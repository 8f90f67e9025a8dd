// Package wire owns HTTP to servers of language models: a client with sane
// limits, signs of life for the watchdog, and the classing of everything that
// can go wrong below a protocol. It must not know what is asked or answered.
package wire

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/progrouter/progrouter/llm/chat"
)

// Limits on what a server may send.
const (
	maxBody  = 32 << 20 // a whole answer or stream, in bytes
	maxError = 64 << 10 // the body of an error
	maxHops  = 3        // redirects, all on the server itself
)

// NewHTTP makes a client for model servers. It goes to private addresses, where
// many of them are, but not to those where clouds keep secrets (refuse), since
// addresses come from a page too. It sets no limit on the whole call:
// answers take minutes, and the watchdog and the context end what hangs.
func NewHTTP() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Control: refuse}
	return &http.Client{Transport: &http.Transport{
		Proxy:                  proxy,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}}
}

// proxy takes HTTPS_PROXY for encrypted calls to other machines. Plain calls go
// to servers of one's own, which a proxy could neither reach nor should read.
func proxy(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme != "https" || loopback(r.URL.Hostname()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// refuse keeps connections from link-local addresses and those at which clouds
// answer for whoever runs on them: no model server has one.
func refuse(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return &chat.Error{Kind: chat.Unreachable, Detail: "the server's address cannot be read", Err: err}
	}
	ip := at.Addr().Unmap().WithZone("")
	if ip.IsLinkLocalUnicast() || slices.Contains([]string{"100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254"}, ip.String()) {
		return &chat.Error{Kind: chat.Rejected, Detail: "addresses of this range belong to the network or the cloud and are not asked"}
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Guarded returns a client whose calls fail with a *chat.Error for every status
// of 400 and above and for everything that is no answer of a model server. key
// is masked in what the server says. base may be nil.
func Guarded(base *http.Client, key string) *http.Client {
	if base == nil {
		base = NewHTTP()
	}
	c := *base
	next := c.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	c.Transport = guard{next: next, mask: newMask(key), now: time.Now}
	c.CheckRedirect = sameHost
	return &c
}

// sameHost refuses to carry a key, or a prompt, to somewhere else.
func sameHost(next *http.Request, via []*http.Request) error {
	first := via[0].URL
	if len(via) > maxHops || next.URL.Host != first.Host || next.URL.Scheme != first.Scheme || next.Method != via[0].Method {
		return &chat.Error{Kind: chat.Rejected, Detail: "the server redirects elsewhere, which is not followed: check its address"}
	}
	return nil
}
