package fetch

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/progrouter/progrouter/research"
)

const urlMax = 2048

// ValidateURL checks a URL that a person typed; the error is a research.Error
// with code EInvalid. It does not look at the network, so a private address
// passes here and is refused with its reason when fetched.
func ValidateURL(raw string) error {
	_, err := parseURL(raw)
	var r *refusal
	if errors.As(err, &r) {
		return research.Errorf(research.EInvalid, r.code, "%s", r.reason).With(map[string]any{"URL": shorten(raw)})
	}
	return nil
}

// parseURL reads a web address and brings it to the form that is fetched: host
// in ASCII and lower case, no fragment, numeric spellings of an IPv4 address
// resolved.
func parseURL(raw string) (*url.URL, error) {
	raw = strings.TrimSpace(raw)
	switch {
	case raw == "":
		return nil, refuse(CodeMalformedURL, "The address is empty. Give one such as https://example.org/page.")
	case len(raw) > urlMax:
		return nil, refuse(CodeMalformedURL, "The address has %d characters; at most %d are read. Give a shorter one.", len(raw), urlMax)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, refuse(CodeMalformedURL, "%q is not a web address. Give one such as https://example.org/page.", shorten(raw))
	}
	if err := checkParts(u, raw); err != nil {
		return nil, err
	}
	u.Fragment, u.RawFragment = "", ""
	if err := canonicalHost(u); err != nil {
		return nil, err
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return u, nil
}

func checkParts(u *url.URL, raw string) error {
	switch {
	case u.Scheme == "" || (u.Host == "" && u.Opaque == "" && (u.Scheme == "http" || u.Scheme == "https")):
		return refuse(CodeMalformedURL, "%q is not a complete web address. Write it with its scheme, such as https://example.org/page.", shorten(raw))
	case u.Scheme != "http" && u.Scheme != "https":
		return refuse(CodeScheme, "%q does not start with http:// or https://; other kinds of addresses are not fetched. Upload local files to the library.", shorten(raw))
	case u.Opaque != "" || u.Hostname() == "":
		return refuse(CodeMalformedURL, "%q names no host. Write it such as https://example.org/page.", shorten(raw))
	case u.User != nil:
		return refuse(CodeCredentials, "The address contains a user name or password, which would be sent on. Remove everything before the @.")
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n < 1 || n > 65535 {
			return refuse(CodeMalformedURL, "%q is not a port. Ports are numbers from 1 to 65535.", p)
		}
	}
	return nil
}

func canonicalHost(u *url.URL) error {
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if strings.Contains(host, "%") {
		return refuse(CodeMalformedURL, "%q contains a zone or an escape, which no public address has.", shorten(host))
	}
	if _, err := netip.ParseAddr(host); err != nil {
		if addr, ok := legacyIPv4(host); ok {
			host = addr.String()
		} else if host, err = asciiHost(host); err != nil {
			return err
		}
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if p := u.Port(); p != "" && !(p == "80" && u.Scheme == "http") && !(p == "443" && u.Scheme == "https") {
		host += ":" + p
	}
	u.Host = host
	return nil
}

func asciiHost(host string) (string, error) {
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil {
		// Underscores occur in real names that the strict profile refuses.
		if ascii, err = idna.Punycode.ToASCII(host); err != nil || strings.ContainsAny(ascii, " <>\"'\\^`{|}") {
			return "", refuse(CodeMalformedURL, "%q is not a host name.", shorten(host))
		}
	}
	if ascii == "" || len(ascii) > 253 || strings.HasPrefix(ascii, ".") || strings.Contains(ascii, "..") {
		return "", refuse(CodeMalformedURL, "%q is not a host name.", shorten(host))
	}
	return ascii, nil
}

// legacyIPv4 reads the numeric spellings that browsers and C resolvers take
// for IPv4 addresses: fewer than four parts, octal (0177) and hexadecimal
// (0x7f) parts.
func legacyIPv4(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, p := range parts {
		n, ok := legacyNumber(p)
		if !ok {
			return netip.Addr{}, false
		}
		if i < len(parts)-1 {
			if n > 255 {
				return netip.Addr{}, false
			}
			value = value<<8 | n
			continue
		}
		rest := uint(8 * (5 - len(parts)))
		if n >= 1<<rest {
			return netip.Addr{}, false
		}
		value = value<<rest | n
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

func legacyNumber(p string) (uint64, bool) {
	base, digits := 10, p
	switch {
	case strings.HasPrefix(p, "0x"):
		base, digits = 16, p[2:]
		if digits == "" {
			return 0, true
		}
	case len(p) > 1 && p[0] == '0':
		base, digits = 8, p[1:]
	}
	n, err := strconv.ParseUint(digits, base, 33)
	return n, err == nil && digits[0] != '+'
}

// hostPort is the host with its port, spelled out, as exceptions name it.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "80"
		if u.Scheme == "https" {
			port = "443"
		}
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// SameSite reports whether two URLs are on one site: the same host, with or
// without a leading "www.", and the same port. The scheme may differ.
func SameSite(a, b string) bool {
	ua, erra := parseURL(a)
	ub, errb := parseURL(b)
	if erra != nil || errb != nil {
		return false
	}
	return siteOf(ua) == siteOf(ub)
}

func siteOf(u *url.URL) string {
	host := strings.TrimPrefix(u.Hostname(), "www.")
	if p := u.Port(); p != "" {
		return host + ":" + p
	}
	return host
}

func shorten(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
