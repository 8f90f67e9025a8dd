package fetch

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	u, err := url.Parse("https://example.org/a")
	if err != nil {
		t.Fatal(err)
	}
	wrap := func(err error) error {
		return &url.Error{Op: "Get", URL: "https://example.org/a", Err: &net.OpError{Op: "dial", Err: err}}
	}
	tests := []struct {
		err   error
		code  string
		words string
	}{
		{wrap(&blockedError{addr: netip.MustParseAddrPort("10.0.0.1:443")}), CodePrivate, "example.org:443 leads to 10.0.0.1:443"},
		{wrap(&blockedError{addr: netip.MustParseAddrPort("93.184.216.34:22"), port: true}), CodePort, "Port 22"},
		{wrap(syscall.ECONNREFUSED), CodeRefused, "example.org:443"},
		{wrap(syscall.ENETUNREACH), CodeNoNetwork, "no network route"},
		{wrap(syscall.ECONNRESET), CodeConnection, "broke the connection off"},
		{wrap(&net.DNSError{Err: "no such host", Name: "example.org", IsNotFound: true}), CodeNameNotFound, "example.org"},
		{wrap(&net.DNSError{Err: "server misbehaving", Name: "example.org", IsTemporary: true}), CodeNoNetwork, "name resolution"},
		{wrap(x509.HostnameError{Certificate: &x509.Certificate{}, Host: "example.org"}), CodeConnection, ""},
		{fmt.Errorf("remote error: tls: handshake failure"), CodeTLS, "handshake"},
		{errors.New("anything else"), CodeConnection, "failed"},
	}
	for _, tt := range tests {
		if got := classify(u, tt.err); got.code != tt.code || !strings.Contains(got.reason, tt.words) {
			t.Errorf("%v: %s %q, want %s", tt.err, got.code, got.reason, tt.code)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for v, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "-1": 0, "nonsense": 0, "99999999": 24 * time.Hour,
		"Thu, 01 Jan 2026 00:00:09 GMT": 9 * time.Second, "Wed, 31 Dec 2025 00:00:00 GMT": 0,
	} {
		if got := retryAfter(v, now); got != want {
			t.Errorf("%q: %v, want %v", v, got, want)
		}
	}
}

func TestCodesAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range Codes() {
		if seen[c] || c == "" {
			t.Errorf("code %q", c)
		}
		seen[c] = true
	}
}
