package wire

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/llm/chat"
)

func get(t *testing.T, c *http.Client, address string) error {
	t.Helper()
	var out map[string]any
	return JSON(t.Context(), c, address, nil, nil, &out)
}

func kindOfError(err error) chat.Kind {
	var e *chat.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

func TestNoConnection(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	go func() {
		for {
			c, err := silent.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "SSH-2.0-OpenSSH\r\n")
			c.Close()
		}
	}()
	for name, tt := range map[string]struct {
		address string
		kinds   []chat.Kind
	}{
		"nobody listens":      {closed.URL, []chat.Kind{chat.Unreachable}},
		"no such host":        {"http://no-such-host.invalid", []chat.Kind{chat.Unreachable}},
		"unknown certificate": {secure.URL, []chat.Kind{chat.Unreachable}},
		"no encryption there": {strings.Replace(plain.URL, "http:", "https:", 1), []chat.Kind{chat.Unreachable}},
		"another protocol":    {"http://" + silent.Addr().String(), []chat.Kind{chat.Garbage, chat.Unreachable}},
		"no address":          {"http://[::1", []chat.Kind{chat.Rejected}},
	} {
		got := kindOfError(get(t, Guarded(nil, ""), tt.address))
		if got != tt.kinds[0] && got != tt.kinds[len(tt.kinds)-1] {
			t.Errorf("%s: got %q, want %q", name, got, tt.kinds)
		}
	}
}

func TestContextErrorsStayTheirs(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}))
	defer s.Close()
	defer close(hang)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var out any
	if err := JSON(ctx, Guarded(nil, ""), s.URL, nil, nil, &out); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { reached = true }))
	defer other.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/there":
			_, _ = io.WriteString(w, "{}")
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusTemporaryRedirect)
		case "/away":
			http.Redirect(w, r, other.URL+"/there", http.StatusTemporaryRedirect)
		default:
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
		}
	}))
	defer s.Close()
	c := Guarded(nil, "")
	if err := get(t, c, s.URL+"/moved"); err != nil {
		t.Error("a redirect on the server itself:", err)
	}
	for _, path := range []string{"/loop", "/away"} {
		if err := get(t, c, s.URL+path); kindOfError(err) != chat.Rejected {
			t.Error(path, err)
		}
	}
	if reached {
		t.Error("a redirect to another server was followed")
	}
}

func TestLimitOnSize(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		part := []byte(`"` + strings.Repeat("x", 1<<20) + `",`)
		_, _ = w.Write([]byte("["))
		for range 40 {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	}))
	defer s.Close()
	var out []string
	if err := JSON(t.Context(), Guarded(nil, ""), s.URL, nil, nil, &out); kindOfError(err) != chat.Garbage || !strings.Contains(err.Error(), "32 MB") {
		t.Error(err)
	}
}

func TestProxyIsForEncryptedCallsToOthersOnly(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://proxy.example:3128")
	t.Setenv("HTTP_PROXY", "http://proxy.example:3128")
	for address, want := range map[string]bool{
		"http://127.0.0.1:11434/v1":  false,
		"http://192.168.1.5:8000/v1": false,
		"https://localhost:8443/v1":  false,
		"https://[::1]:8443/v1":      false,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		got, err := proxy(&http.Request{URL: u})
		if err != nil || (got != nil) != want {
			t.Errorf("%s goes through %v, %v", address, got, err)
		}
	}
}

func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	const key = "abcd1234-this-is-a-secret/with=signs"
	m := newMask(key)
	for _, said := range []string{
		"Incorrect API key provided: " + key,
		"bad key " + url.QueryEscape(key) + " in the address",
		"key abcd1234************igns is wrong",
		"Authorization: Bearer someothertoken123 was refused",
		"Incorrect API key provided: sk-proj-12345***********6789.",
		"key AIzaSyD-1234567890abcdef is disabled",
	} {
		got := m.detail(said)
		if !strings.Contains(got, masked) {
			t.Errorf("%q is not masked", got)
		}
		for _, secret := range []string{"secret", "igns", "someothertoken", "12345", "6789", "1234567890"} {
			if strings.Contains(got, secret) {
				t.Errorf("%q shows %q", got, secret)
			}
		}
	}
	if got := newMask("").detail("a plain\nsentence\twith\x00 controls"); got != "a plain sentence with controls" {
		t.Errorf("got %q", got)
	}
	if n := len([]rune(m.detail(strings.Repeat("a word ", 500)))); n != maxDetail {
		t.Errorf("%d characters are kept", n)
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, tt := range []struct {
		status int
		body   string
		want   chat.Kind
	}{
		{400, `{"error":{"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`, chat.Unauthorized},
		{401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, chat.Unauthorized},
		{401, `{"error":{"message":"No auth credentials found","code":401}}`, chat.Unauthorized},
		{401, ``, chat.Unauthorized},
		{403, `{"error":{"message":"Your plan does not allow it"}}`, chat.Unauthorized},
		{403, `<html>Attention Required!</html>`, chat.Rejected},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, chat.OutOfCredit},
		{402, `{"error":{"message":"This request requires more credits, or fewer max_tokens.","code":402}}`, chat.OutOfCredit},
		{429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","code":"insufficient_quota"}}`, chat.OutOfCredit},
		{429, `[{"error":{"code":429,"message":"You exceeded your current quota.","details":[{"retryDelay":"23s"}]}}]`, chat.RateLimited},
		{429, `{"error":{"message":"Rate limit reached for gpt-x on tokens per min (TPM): Limit 30000, Used 29000. Please try again in 2.5s."}}`, chat.RateLimited},
		{429, `{"error":{"message":"Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 40000."}}`, chat.ContextLength},
		{404, `{"error":{"message":"model 'llama9' not found","type":"api_error"}}`, chat.UnknownModel},
		{404, `{"error":"model \"llama9\" not found, try pulling it first"}`, chat.UnknownModel},
		{404, `{"object":"error","message":"The model ` + "`x`" + ` does not exist.","type":"NotFoundError","code":404}`, chat.UnknownModel},
		{400, `{"error":{"message":"foo/bar is not a valid model ID","code":400}}`, chat.UnknownModel},
		{404, `{"error":{"message":"No endpoints found for foo/bar.","code":404}}`, chat.UnknownModel},
		{400, `{"error":{"message":"No models loaded. Please load a model in the developer page."}}`, chat.UnknownModel},
		{404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-0"}}`, chat.UnknownModel},
		{503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, chat.Overloaded},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, chat.Overloaded},
		{500, `{"error":"llama runner process has terminated"}`, chat.Overloaded},
		{408, ``, chat.TimedOut},
		{400, `{"error":{"message":"Invalid value for temperature"}}`, chat.Rejected},
		{422, `{"detail":[{"loc":["body","seed"],"msg":"extra fields not permitted","type":"value_error.extra"}]}`, chat.Rejected},
		{0, `{"error":{"code":502,"message":"Provider disconnected"}}`, chat.Overloaded},
		{0, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`, chat.RateLimited},
	} {
		var got *chat.Error
		if tt.status == 0 {
			got = Reported([]byte(tt.body), "", now)
		} else {
			got = newMask("").class(tt.status, http.Header{}, []byte(tt.body), now)
		}
		if got.Kind != tt.want {
			t.Errorf("%d %s: got %q, want %q", tt.status, tt.body, got.Kind, tt.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, value, words string
		want               time.Duration
	}{
		{"Retry-After", "7", "", 7 * time.Second},
		{"Retry-After", "0.5", "", 500 * time.Millisecond},
		{"Retry-After", "Sat, 01 Mar 2025 12:01:30 GMT", "", 90 * time.Second},
		{"Retry-After", "Sat, 01 Mar 2025 11:00:00 GMT", "", 0},
		{"Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT", "", 24 * time.Hour},
		{"Retry-After", "-3", "", 0},
		{"Retry-After", "NaN", "", 0},
		{"Retry-After", "1e300", "", 24 * time.Hour},
		{"Retry-After-Ms", "250", "", 250 * time.Millisecond},
		{"", "", "please try again in 1.5s.", 1500 * time.Millisecond},
		{"", "", "please try again in 20ms", 20 * time.Millisecond},
		{"", "", "please retry in 2m", 2 * time.Minute},
		{"", "", "try again later", 0},
	} {
		h := http.Header{}
		if tt.name != "" {
			h.Set(tt.name, tt.value)
		}
		if got := retryAfter(h, tt.words, now); got != tt.want {
			t.Errorf("%s %s %q: got %v, want %v", tt.name, tt.value, tt.words, got, tt.want)
		}
	}
}

func TestBase(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "empty", " http://a:1/v1/ ": "http://a:1/v1", "localhost:11434": "http://localhost:11434", "https://a": "https://a"} {
		if got := Base(in, "empty"); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// Addresses where clouds hand out secrets are not asked, however they are written.
func TestNoCallsOfTheCloudsOwnAddresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"http://169.254.169.254/v1", "http://[fe80::1]:8080", "http://[::ffff:169.254.169.254]", "http://169.254.10.20:11434", "http://[fd00:ec2::254]", "http://100.100.100.200/",
	} {
		var e *chat.Error
		if err := get(t, Guarded(nil, ""), address); !errors.As(err, &e) || e.Kind != chat.Rejected || !strings.Contains(e.Detail, "not asked") {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"127.0.0.1:80", "[::1]:80", "192.168.1.7:11434", "10.0.0.1:80", "[fd12::1]:80", "93.184.216.34:443"} {
		if err := refuse("tcp", address, nil); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}
