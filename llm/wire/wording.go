package wire

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// message finds the words in the body of an error, with the error's code and
// type, and says whether the body is a web page. Servers agree on little:
// {"error":{"message","type","code"}}, {"error":"…"}, {"message"}, {"detail"},
// {"error":{"metadata":{"raw"}}} and plain text all occur, also inside a list.
func message(header http.Header, body []byte) (string, bool) {
	text := strings.TrimSpace(string(body))
	if header != nil && strings.Contains(header.Get("Content-Type"), "html") || strings.HasPrefix(text, "<") {
		return text, true
	}
	var v any
	if json.Unmarshal(body, &v) != nil {
		return text, false
	}
	var words []string
	collect(v, 0, &words)
	if len(words) == 0 {
		return text, false
	}
	return strings.Join(words, " · "), false
}

// collect gathers the strings of an error in a fixed order, the message first.
func collect(v any, depth int, out *[]string) {
	if depth > 5 || len(*out) > 12 {
		return
	}
	switch v := v.(type) {
	case string:
		if s := strings.TrimSpace(v); s != "" {
			*out = append(*out, s)
		}
	case []any:
		for _, x := range v {
			collect(x, depth+1, out)
		}
	case map[string]any:
		for _, k := range []string{"error", "message", "msg", "detail", "details", "metadata", "raw", "reason", "loc", "type", "code", "status", "param"} {
			collect(v[k], depth+1, out)
		}
		if s, ok := v["retryDelay"].(string); ok { // Gemini's
			*out = append(*out, "retry in "+s)
		}
	}
}

// tooLong knows the ways servers say that a prompt does not fit: by code where
// there is one, else by wording.
func tooLong(status int, low string) bool {
	if status == http.StatusRequestEntityTooLarge {
		return true
	}
	return contains(low,
		"context_length_exceeded", "maximum context length", "model's context length", // OpenAI, vLLM, OpenRouter
		"maximum model length", "maximum allowed length", // vLLM
		"exceed_context_size", "available context size", "context size exceeded", "exceeds context size", // llama.cpp
		"input is too large to process",
		"exceeds the context length", "exceeded max context length", "exceeds maximum context length", "exceeds the model's context", // Ollama
		"prompt is too long", "prompt too long", "exceed context limit", "request_too_large", // Anthropic
		"context the overflows", "context overflow", "greater than the context length", "context length of only", // LM Studio
		"context window", "exceeds the maximum number of tokens allowed", // Gemini and others
		"request too large for", // OpenAI: one request beyond a minute's tokens, which no wait cures
	)
}

func noCredit(low string) bool {
	return contains(low, "insufficient_quota", "exceeded your current quota", "credit balance is too low", "insufficient credit",
		"insufficient balance", "insufficient funds", "requires more credits", "billing_hard_limit", "billing hard limit", "billing_error", "out of credits", "payment required")
}

func badKey(low string) bool {
	return contains(low, "invalid_api_key", "incorrect api key", "api key not valid", "api_key_invalid", "invalid api key", "invalid x-api-key",
		"authentication_error", "api key expired", "expired api key", "api key has expired", "no auth credentials", "invalid_authentication", "unauthenticated")
}

var modelGone = regexp.MustCompile(`model\b.{0,120}?(?:not found|does not exist|doesn't exist|not exist|is not available|not supported by any provider|is not installed)|not a valid model|no such model|no models? loaded|no endpoints found|unknown model|invalid model`)

func noModel(status int, low string) bool {
	if status == http.StatusTooManyRequests || status >= 500 {
		return false
	}
	return contains(low, "model_not_found", "does not have access to model", "not_found_error") || modelGone.MatchString(low)
}

func contains(s string, any ...string) bool {
	for _, a := range any {
		if strings.Contains(s, a) {
			return true
		}
	}
	return false
}

var again = regexp.MustCompile(`(?:try again in|retry in|retry after)[ :·"]*(\d+(?:\.\d+)?)\s*(ms|s|m|h)?\b`)

// retryAfter is how long the server wants to be left alone: by header, in
// milliseconds, seconds or as a date, else by its words. 0 where it says nothing
// or names a time that is over.
func retryAfter(header http.Header, low string, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return bounded(ms / 1000)
	}
	after := strings.TrimSpace(header.Get("Retry-After"))
	if s, err := strconv.ParseFloat(after, 64); err == nil {
		return bounded(s)
	}
	if at, err := http.ParseTime(after); err == nil {
		return bounded(at.Sub(now).Seconds())
	}
	m := again.FindStringSubmatch(low)
	if m == nil {
		return 0
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0
	}
	switch m[2] {
	case "ms":
		n /= 1000
	case "m":
		n *= 60
	case "h":
		n *= 3600
	}
	return bounded(n)
}

// bounded makes a duration of seconds that no server can turn into nonsense.
func bounded(seconds float64) time.Duration {
	const day = 24 * 60 * 60
	if !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, day) * float64(time.Second))
}
