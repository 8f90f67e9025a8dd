package handlers

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/research"
)

// hostCheck refuses Host headers that are not ours. Without it a page of another
// site could point its own name at this machine and read everything (DNS
// rebinding), even when only the loopback address is bound.
type hostCheck struct {
	names map[string]bool // lower case, with or without a port
}

func newHostCheck(addr string, extra []string) hostCheck {
	h := hostCheck{names: map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true}}
	if host := bareHost(addr); host != "" {
		if ip, err := netip.ParseAddr(host); err != nil || !ip.IsUnspecified() {
			h.names[host] = true
		}
	}
	for _, e := range extra {
		if e = strings.ToLower(strings.TrimSpace(e)); e != "" {
			h.names[strings.Trim(e, "[]")] = true
		}
	}
	return h
}

// allows also takes the address that the connection came in on: it is the bound
// one when all addresses are bound, and no foreign name resolves to it in a Host
// header that is a literal address.
func (h hostCheck) allows(r *http.Request) bool {
	full := strings.ToLower(r.Host)
	host := bareHost(full)
	if h.names[host] || h.names[full] {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	asked, err := netip.ParseAddr(host)
	bound, err2 := netip.ParseAddrPort(local.String())
	return err == nil && err2 == nil && asked.Unmap() == bound.Addr().Unmap().WithZone("")
}

// bareHost strips port, brackets and the dot of a fully qualified name.
func bareHost(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

func (s *Server) checkHost(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if s.hosts.allows(c.Request()) {
			return next(c)
		}
		shown := c.Request().Host
		if len(shown) > 100 {
			shown = shown[:100] + "…"
		}
		// Plain text: a page would offer links and cookies under a foreign name.
		return c.String(http.StatusMisdirectedRequest, research.Errorf(research.EForbidden, "foreign_host",
			"The host name %q is not one of this server's. Use the address it listens on or localhost, or list the name in PROGROUTER_HOSTS.", shown).Message+"\n")
	}
}
