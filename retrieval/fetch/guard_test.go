package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/progrouter/progrouter/research"
)

// fakeDNS answers name look-ups from a table: no entry is "no such name", an
// empty entry is a failing server.
func fakeDNS(t *testing.T, table map[string]string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if out := answerDNS(buf[:n], table); out != nil {
				_, _ = conn.WriteTo(out, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func answerDNS(query []byte, table map[string]string) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) == 0 {
		return nil
	}
	q := m.Questions[0]
	m.Header.Response, m.Header.Authoritative, m.Additionals = true, true, nil
	text, known := table[strings.TrimSuffix(q.Name.String(), ".")]
	switch addr, err := netip.ParseAddr(text); {
	case !known:
		m.Header.RCode = dnsmessage.RCodeNameError
	case err != nil:
		m.Header.RCode = dnsmessage.RCodeServerFailure
	case addr.Is4() && q.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 1}, Body: &dnsmessage.AResource{A: addr.As4()}}}
	case addr.Is6() && q.Type == dnsmessage.TypeAAAA:
		m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 1}, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}}}
	}
	out, err := m.Pack()
	if err != nil {
		return nil
	}
	return out
}

// Every spelling of an address that must not be reached, as a URL.
func TestFetchRefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	resolver := fakeDNS(t, map[string]string{
		"intern.example": "10.1.2.3", "loop.example": "127.0.0.1", "meta.example": "169.254.169.254",
		"six.example": "fd00::1", "mapped.example": "::ffff:127.0.0.1", "azure.example": "168.63.129.16", "zero.example": "0.0.0.0",
	})
	f := newFetcher(t, Config{Resolver: resolver})
	for _, host := range []string{
		// loopback, private, link-local, carrier, multicast, reserved
		"127.0.0.1", "127.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.1.1", "100.64.0.1",
		"0.0.0.0", "0.1.2.3", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
		// metadata services
		"169.254.169.254", "168.63.129.16", "100.100.100.200", "[fd00:ec2::254]", "192.0.0.192",
		// IPv6
		"[::1]", "[::]", "[fe80::1]", "[fc00::1]", "[fd12:3456::1]", "[ff02::1]", "[2001:db8::1]", "[fec0::1]",
		// IPv4 inside IPv6: mapped, compatible, NAT64, 6to4, Teredo, ISATAP-like site prefix
		"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:10.0.0.1]", "[::ffff:169.254.169.254]", "[::ffff:168.63.129.16]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]",
		"[64:ff9b::7f00:1]", "[64:ff9b:1::a00:1]", "[2002:7f00:1::]", "[2002:a00:1::1]", "[2002:c0a8:101::1]", "[2001:0:53aa:64c::1]",
		// other spellings of IPv4
		"2130706433", "0x7f000001", "017700000001", "0x7f.1", "127.1", "0177.0.0.1", "0x7f.0x0.0x0.0x1", "127.0.1", "0300.0250.1.1", "3232235777", "0xa9fea9fe", "0",
		"127.0.0.1.", "①②⑦.⓪.⓪.①",
		// names that lead there
		"intern.example", "loop.example", "meta.example", "six.example", "mapped.example", "azure.example", "zero.example", "LOOP.EXAMPLE.",
	} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			_, no, err := f.Fetch(t.Context(), "http://"+host+"/")
			if err != nil {
				t.Fatal(err)
			}
			if no == nil || no.Code != CodePrivate {
				t.Fatalf("discarded %+v, want %s", no, CodePrivate)
			}
			if !strings.Contains(no.Reason, "PROGROUTER_ALLOW_HOSTS=") {
				t.Errorf("the reason names no cure: %s", no.Reason)
			}
		})
	}
}

func TestGuardAllowsPublicAddressesAndWebPortsOnly(t *testing.T) {
	t.Parallel()
	g, err := NewGuard(GuardConfig{})
	if err != nil {
		t.Fatal(err)
	}
	for ap, want := range map[string]bool{
		"93.184.216.34:80": true, "93.184.216.34:443": true, "93.184.216.34:8080": true, "93.184.216.34:8443": true,
		"93.184.216.34:22": false, "93.184.216.34:25": false, "93.184.216.34:6379": false,
		"[2606:4700::1111]:443": true, "[2606:4700::1111]:53": false, "[::ffff:93.184.216.34]:80": false, "127.0.0.1:80": false,
	} {
		if err := g.check(netip.MustParseAddrPort(ap)); (err == nil) != want {
			t.Errorf("%s: %v", ap, err)
		}
	}
	if err := g.control("udp", "93.184.216.34:80", nil); err == nil {
		t.Error("UDP was allowed")
	}
	if err := g.control("tcp4", "nonsense", nil); err == nil {
		t.Error("an unreadable address was allowed")
	}
}

func TestGuardExceptions(t *testing.T) {
	t.Parallel()
	g, err := NewGuard(GuardConfig{AllowHosts: []string{"127.0.0.1:8000", " [::1]:9000 ", "Searx.Local:8080", ""}})
	if err != nil {
		t.Fatal(err)
	}
	for ap, want := range map[string]bool{
		"127.0.0.1:8000": true, "[::ffff:127.0.0.1]:8000": true, "127.0.0.1:8001": false, "127.0.0.2:8000": false, "[::1]:9000": true, "[::1]:8000": false,
	} {
		if err := g.check(netip.MustParseAddrPort(ap)); (err == nil) != want {
			t.Errorf("%s: %v", ap, err)
		}
	}
	if !g.names["searx.local:8080"] {
		t.Errorf("names %v", g.names)
	}
	for _, bad := range []string{"127.0.0.1", "host", "host:", "host:0", "host:70000", "http://host:80", ":80", "host:080", "a b:80"} {
		if _, err := NewGuard(GuardConfig{AllowHosts: []string{bad}}); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestValidateURL(t *testing.T) {
	t.Parallel()
	for raw, key := range map[string]string{
		"https://example.org/a?b=c#d": "", "http://example.org:8080": "", "HTTP://EXAMPLE.ORG": "", "https://[2606:4700::1111]/": "", "https://한국.kr/": "", "http://a_b.example.org/": "",
		"":                           CodeMalformedURL,
		"example.org/page":           CodeMalformedURL,
		"http://":                    CodeMalformedURL,
		"https:///path":              CodeMalformedURL,
		"http:example.org":           CodeMalformedURL,
		"http://exa mple.org/":       CodeMalformedURL,
		"http://example.org:99999/":  CodeMalformedURL,
		"http://[fe80::1%25eth0]/":   CodeMalformedURL,
		"http://a..b/":               CodeMalformedURL,
		"http://%zz/":                CodeMalformedURL,
		"not a url":                  CodeMalformedURL,
		"file:///etc/passwd":         CodeScheme,
		"ftp://example.org/":         CodeScheme,
		"javascript:alert(1)":        CodeScheme,
		"gopher://example.org/":      CodeScheme,
		"data:text/html,x":           CodeScheme,
		"mailto:a@example.org":       CodeScheme,
		"http://user:pw@example.org": CodeCredentials,
		"http://user@example.org":    CodeCredentials,
		"http://example.org/" + strings.Repeat("a", urlMax): CodeMalformedURL,
	} {
		err := ValidateURL(raw)
		var e *research.Error
		switch {
		case key == "" && err != nil:
			t.Errorf("%.60q: %v", raw, err)
		case key != "" && (!errors.As(err, &e) || e.Code != research.EInvalid || e.Key != key):
			t.Errorf("%.60q: %v, want %s", raw, err, key)
		case key != "" && strings.Contains(e.Message, "pw"):
			t.Errorf("%q: the message repeats the password", raw)
		}
	}
}

func TestSameSite(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		want bool
	}{
		{"https://example.org/a", "http://www.example.org/b", true},
		{"https://example.org/", "https://docs.example.org/", false},
		{"http://127.0.0.1:8000/a", "http://127.0.0.1:8000/b", true},
		{"http://127.0.0.1:8000/a", "http://127.0.0.1:8001/b", false},
		{"http://127.0.0.1/a", "http://0x7f.1/b", true},
		{"https://example.org/", "ftp://example.org/", false},
		{"nonsense", "nonsense", false},
	}
	for _, tt := range tests {
		if got := SameSite(tt.a, tt.b); got != tt.want {
			t.Errorf("SameSite(%q, %q) = %v", tt.a, tt.b, got)
		}
	}
}
