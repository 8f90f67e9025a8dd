package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// publicPorts are the ports that public hosts may be asked on.
var publicPorts = []uint16{80, 443, 8080, 8443}

// GuardConfig is what the operator allows beyond public web addresses.
type GuardConfig struct {
	// AllowHosts lists exceptions as exact host:port, by name or address. An
	// address also covers names that resolve to it; a name covers whatever it
	// resolves to.
	AllowHosts []string
	// Resolver looks names up; nil is the system's.
	Resolver *net.Resolver
}

// Guard decides which addresses may be dialled.
type Guard struct {
	public   *ssrf.Guardian
	names    map[string]bool // host:port by name
	addrs    map[netip.AddrPort]bool
	resolver *net.Resolver
}

// NewGuard reads the exceptions; a malformed one is an error that says so.
func NewGuard(cfg GuardConfig) (*Guard, error) {
	g := &Guard{
		public: ssrf.New(
			ssrf.WithPorts(publicPorts...),
			// Azure's metadata and DNS address lies in a public range.
			ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix("168.63.129.16/32")),
		),
		names: map[string]bool{}, addrs: map[netip.AddrPort]bool{}, resolver: cfg.Resolver,
	}
	for _, entry := range cfg.AllowHosts {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		if ap, err := netip.ParseAddrPort(entry); err == nil {
			g.addrs[unmapped(ap)] = true
			continue
		}
		host, port, err := net.SplitHostPort(entry)
		if _, bad := asciiHost(strings.ToLower(host)); err != nil || bad != nil || !number(port) {
			return nil, fmt.Errorf("%q in the list of allowed hosts is not host:port, such as 127.0.0.1:8000", entry)
		}
		host, _ = asciiHost(strings.ToLower(host))
		g.names[net.JoinHostPort(host, port)] = true
	}
	return g, nil
}

func number(port string) bool {
	var n int
	_, err := fmt.Sscanf(port, "%d", &n)
	return err == nil && n > 0 && n < 65536 && fmt.Sprint(n) == port
}

func unmapped(ap netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
}

// blockedError is a dial that the guard refused.
type blockedError struct {
	addr netip.AddrPort
	port bool // only the port is refused
}

func (e *blockedError) Error() string { return "dialling " + e.addr.String() + " is not allowed" }

// Blocked is the address that was refused, as an exception would name it.
func (e *blockedError) Blocked() string { return e.addr.String() }

// check is the decision for one resolved address.
func (g *Guard) check(ap netip.AddrPort) error {
	if g.addrs[unmapped(ap)] {
		return nil
	}
	if err := g.public.SafeAddrPort(ap); err != nil {
		return &blockedError{addr: ap, port: errors.Is(err, ssrf.ErrProhibitedPort) && g.public.SafeAddr(ap.Addr()) == nil}
	}
	return nil
}

// control runs after name resolution and before connecting, so that a name
// cannot resolve to one address when checked and another when dialled.
func (g *Guard) control(network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return fmt.Errorf("network %s is not allowed", network)
	}
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("address %s cannot be read", address)
	}
	return g.check(ap)
}

// dial connects to host:port through the guard.
func (g *Guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Resolver: g.resolver}
	if !g.names[strings.ToLower(address)] {
		d.Control = g.control
	}
	return d.DialContext(ctx, network, address)
}

// transport is an HTTP transport that can only dial through the guard; a proxy
// would dial for us behind its back.
func (g *Guard) transport() *http.Transport {
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            g.dial,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  20 * time.Second,
		IdleConnTimeout:        60 * time.Second,
		MaxIdleConns:           32,
		MaxIdleConnsPerHost:    2,
		MaxResponseHeaderBytes: 64 << 10,
		ForceAttemptHTTP2:      true,
	}
}

// Client is an HTTP client behind the guard, for APIs such as web search. It
// follows up to five redirects.
func (g *Guard) Client(timeout time.Duration) *http.Client {
	return &http.Client{
		Transport: g.transport(),
		Timeout:   timeout,
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) >= 5 {
				return errors.New("more than five redirects")
			}
			_, err := parseURL(r.URL.String())
			return err
		},
	}
}
