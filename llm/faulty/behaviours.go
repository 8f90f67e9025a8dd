package faulty

import (
	"net/http"
	"strings"
	"time"
)

// Behaviour is how one conversation goes.
type Behaviour struct {
	Name string
	play func(*exchange)
}

// Fine answers.
func Fine() Behaviour { return answering("fine", style{}) }

// RateLimited answers 429. after is the Retry-After header as it is: seconds, a
// date, or empty for none.
func RateLimited(after string) Behaviour {
	return Behaviour{"rate limited, Retry-After " + after, func(x *exchange) {
		if after != "" {
			x.w.Header().Set("Retry-After", after)
		}
		x.protocol.fail(x.w, http.StatusTooManyRequests, fault{"Rate limit reached for requests", "rate_limit_error", "rate_limit_exceeded"})
	}}
}

// Status answers with a status and an error in the protocol's form.
func Status(code int) Behaviour {
	kind := "api_error"
	if code == 529 {
		kind = "overloaded_error"
	}
	return failing("status "+http.StatusText(code), code, fault{message: "The server had an error", kind: kind})
}

// Says answers with a status and a body of any kind.
func Says(code int, contentType, body string) Behaviour {
	return Behaviour{"says " + contentType, func(x *exchange) {
		x.w.Header().Set("Content-Type", contentType)
		x.w.WriteHeader(code)
		_, _ = x.w.Write([]byte(body))
	}}
}

// WebPage answers 200 with HTML, as a proxy or a wrong address does.
func WebPage() Behaviour {
	return Says(http.StatusOK, "text/html; charset=utf-8", "<!doctype html><html><title>Welcome</title><body>Welcome</body></html>")
}

// BadGateway answers 502 with the HTML of a proxy.
func BadGateway() Behaviour {
	return Says(http.StatusBadGateway, "text/html", "<html><head><title>502 Bad Gateway</title></head></html>")
}

// Hang takes the request and never answers.
func Hang() Behaviour { return Behaviour{"hang", (*exchange).hang} }

// HangUp closes the connection without an answer.
func HangUp() Behaviour { return Behaviour{"hang up", (*exchange).cut} }

// HangAfter stops in the middle, after some tokens, and keeps the connection open.
func HangAfter(tokens int) Behaviour {
	return answering("hang in the middle", style{stop: tokens, then: (*exchange).hang})
}

// Cut closes the connection after some tokens.
func Cut(tokens int) Behaviour {
	return answering("cut", style{stop: tokens, then: (*exchange).cut})
}

// Ends ends the stream cleanly after some tokens, without the protocol's end.
func Ends(tokens int) Behaviour {
	return answering("ends early", style{stop: tokens, then: func(*exchange) {}})
}

// ErrsAfter reports an error inside the stream after some tokens.
func ErrsAfter(tokens int) Behaviour {
	return answering("error in the stream", style{stop: tokens, then: func(x *exchange) {
		x.protocol.inStream(x, fault{message: "Overloaded", kind: "overloaded_error"})
	}})
}

// Garbage sends an event that is no JSON.
func Garbage() Behaviour {
	return Behaviour{"garbage", func(x *exchange) { x.event(eventName(x), "@@ not { json") }}
}

// TruncatedJSON sends an event whose JSON ends in the middle.
func TruncatedJSON() Behaviour {
	return Behaviour{"truncated JSON", func(x *exchange) { x.event(eventName(x), `{"id":"x","choices":[{"delta":{"con`) }}
}

func eventName(x *exchange) string {
	if x.req.Protocol == Anthropic {
		return "message_start"
	}
	return ""
}

// NoUsage answers without saying what it used.
func NoUsage() Behaviour { return answering("no usage", style{silent: true}) }

// WrongUsage answers and claims to have used this.
func WrongUsage(in, out int) Behaviour {
	return answering("wrong usage", style{claim: &usage{in: in, out: out}})
}

// CachedPrompt answers and says that half of the prompt was cached.
func CachedPrompt() Behaviour { return answering("cached prompt", style{cached: true}) }

// OtherName answers under another model's name.
func OtherName(name string) Behaviour { return answering("other name", style{model: name}) }

// Drip answers with a pause before every token.
func Drip(pause time.Duration) Behaviour { return answering("drip", style{pause: pause}) }

// Whole answers with one JSON object although a stream was asked for.
func Whole() Behaviour {
	return Behaviour{"not streamed", func(x *exchange) {
		tokens, finish := x.script(x.answer(x.req))
		x.protocol.whole(x, strings.Join(tokens, ""), finish, x.used(len(tokens)))
	}}
}

// Answers answers this text whatever was asked.
func Answers(text string) Behaviour { return answering("answers", style{text: &text}) }

// Endless ignores the limit and goes on for this many tokens.
func Endless(tokens int) Behaviour {
	text := strings.Repeat("more", tokens)
	return answering("endless", style{text: &text, unlimited: true})
}

// Thinks sends thinking in a field of its own before it answers.
func Thinks(aloud string) Behaviour { return answering("thinks", style{thinking: aloud}) }

// Refuses will not answer.
func Refuses() Behaviour {
	return Behaviour{"refuses", func(x *exchange) {
		x.protocol.begin(x)
		x.protocol.refusal(x, "I cannot help with that.")
		x.protocol.end(x, "refusal", x.used(6))
	}}
}

// CallsTool calls a tool that nobody offered.
func CallsTool() Behaviour {
	return Behaviour{"calls a tool", func(x *exchange) {
		x.protocol.begin(x)
		x.protocol.tool(x)
		x.protocol.end(x, "tool", x.used(12))
	}}
}

// Rejects answers 400 as long as the request has a parameter, given as a path of
// keys (response_format, or output_config.format), and is fine without it.
func Rejects(parameter, message string) Behaviour {
	return Behaviour{"rejects " + parameter, func(x *exchange) {
		if has(x.req.Body, strings.Split(parameter, ".")) {
			x.protocol.fail(x.w, http.StatusBadRequest, fault{message: message, kind: "invalid_request_error"})
			return
		}
		Fine().play(x)
	}}
}

func has(v any, path []string) bool {
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return false
		}
		if v, ok = m[key]; !ok {
			return false
		}
	}
	return true
}

// InvalidKey answers 401 and repeats the key.
func InvalidKey() Behaviour {
	return Behaviour{"invalid key", func(x *exchange) {
		key := strings.TrimPrefix(x.req.Header.Get("Authorization"), "Bearer ") + x.req.Header.Get("X-Api-Key")
		x.protocol.fail(x.w, http.StatusUnauthorized, fault{"Incorrect API key provided: " + key + ".", "authentication_error", "invalid_api_key"})
	}}
}

// ExpiredKey answers 401.
func ExpiredKey() Behaviour {
	return failing("expired key", http.StatusUnauthorized, fault{"Your API key has expired.", "authentication_error", "invalid_api_key"})
}

// NoCredit answers 429 with the code of a used-up quota.
func NoCredit() Behaviour {
	return failing("no credit", http.StatusTooManyRequests, fault{"You exceeded your current quota, please check your plan and billing details.", "insufficient_quota", "insufficient_quota"})
}

// UnknownModel answers 404.
func UnknownModel() Behaviour {
	return failing("unknown model", http.StatusNotFound, fault{"The model does not exist or you do not have access to it.", "not_found_error", "model_not_found"})
}

func failing(name string, status int, f fault) Behaviour {
	return Behaviour{name, func(x *exchange) { x.protocol.fail(x.w, status, f) }}
}

// style is a way to answer.
type style struct {
	text      *string // instead of the server's answer
	thinking  string
	model     string
	claim     *usage
	cached    bool
	silent    bool // about usage
	unlimited bool
	pause     time.Duration
	stop      int // tokens before then
	then      func(*exchange)
}

func answering(name string, s style) Behaviour {
	return Behaviour{name, func(x *exchange) { s.play(x) }}
}

func (s style) play(x *exchange) {
	x.model, x.cached, x.silent = s.model, s.cached, s.silent
	if s.unlimited {
		x.req.MaxTokens = 0
	}
	text := ""
	if s.text != nil {
		text = *s.text
	} else {
		text = x.answer(x.req)
	}
	tokens, finish := x.script(text)
	x.protocol.begin(x)
	thought := pieces(s.thinking)
	for _, t := range thought {
		x.protocol.reasoning(x, t)
	}
	for i, t := range tokens {
		if s.then != nil && i >= s.stop || !x.pause(s.pause) {
			break
		}
		x.protocol.text(x, t)
	}
	if s.then != nil {
		s.then(x)
		return
	}
	u := x.used(len(tokens) + len(thought))
	u.reasoning = len(thought)
	switch {
	case s.silent:
		u = nil
	case s.claim != nil:
		u = s.claim
	}
	x.protocol.end(x, finish, u)
}
