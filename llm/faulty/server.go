// Package faulty is a server of language models for tests. It plays OpenAI's,
// Anthropic's and Ollama's protocols and misbehaves as told:
//
//	s := faulty.Start(func(r faulty.Request) string { return "The answer." })
//	defer s.Close()
//	s.Script(faulty.RateLimited("2"), faulty.Fine(), faulty.Cut(3))
//	s.Otherwise(faulty.Fine())
//
// Each conversation takes the next behaviour of the script; after its end the one
// of Otherwise, or of Randomly, holds. Lists of models are always answered. It is
// imported by tests only.
package faulty

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/progrouter/progrouter/llm/chat"
)

// Protocols.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// Request is a conversation as the server got it.
type Request struct {
	N           int // 1 for the first
	Protocol    string
	Model       string
	Messages    []chat.Message // the system's first
	MaxTokens   int
	Temperature float64
	Seed        *int64
	Schema      json.RawMessage // nil: text
	Stream      bool
	Header      http.Header
	Body        map[string]any // all of it
}

// Text is the whole prompt.
func (r Request) Text() string {
	var parts []string
	for _, m := range r.Messages {
		parts = append(parts, m.Text)
	}
	return strings.Join(parts, "\n\n")
}

// Model is one that the server lists.
type Model struct {
	ID      string
	Params  string // as Ollama writes it: 3.2B
	Quant   string
	Size    int64
	Context int
	Loaded  bool
}

// Server is a running server. Its methods are safe for concurrent use.
type Server struct {
	URL string // without a path; openai.New adds /v1

	http   *httptest.Server
	answer func(Request) string
	closed chan struct{}

	mu        sync.Mutex
	script    []Behaviour
	otherwise Behaviour
	random    *rand.Rand
	rate      float64
	among     []Behaviour
	models    []Model
	requests  []Request
	tags      bool // speaks Ollama's own calls
	loads     int
}

// Start starts a server that answers what answer returns; nil answers "ok".
func Start(answer func(Request) string) *Server {
	if answer == nil {
		answer = func(Request) string { return "ok" }
	}
	s := &Server{answer: answer, otherwise: Fine(), closed: make(chan struct{}), tags: true,
		models: []Model{{ID: "model", Params: "3.2B", Quant: "Q4_K_M", Size: 2 << 30, Context: 8192, Loaded: true}}}
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL
	return s
}

// Close ends what hangs and stops the server.
func (s *Server) Close() {
	close(s.closed)
	s.http.CloseClientConnections()
	s.http.Close()
}

// Script sets how the next conversations go, in order. It replaces what is left
// of an earlier script.
func (s *Server) Script(b ...Behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = b
}

// Otherwise sets how conversations go after the script.
func (s *Server) Otherwise(b Behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.otherwise, s.random = b, nil
}

// Randomly lets a share (0–1) of the conversations after the script go as one of
// the behaviours, drawn evenly. The same seed draws the same sequence.
func (s *Server) Randomly(seed uint64, share float64, among ...Behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.random = rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // it has to be repeatable
	s.rate, s.among = share, among
}

// Models sets what the server lists and, where it is not empty, knows.
func (s *Server) Models(m ...Model) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models = m
}

// WithoutOllama makes Ollama's own calls unknown to the server.
func (s *Server) WithoutOllama() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tags = false
}

// Requests are the conversations so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Loads is how many times Ollama's call to load a model came.
func (s *Server) Loads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loads
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	switch r.URL.Path {
	case "/v1/chat/completions":
		s.converse(w, r, body, openAI{})
	case "/v1/messages":
		s.converse(w, r, body, anthropic{})
	default:
		s.list(w, r, body)
	}
}

func (s *Server) converse(w http.ResponseWriter, r *http.Request, body []byte, p protocol) {
	raw := map[string]any{}
	if json.Unmarshal(body, &raw) != nil {
		p.fail(w, http.StatusBadRequest, fault{message: "the request is no JSON", kind: "invalid_request_error"})
		return
	}
	req := p.parse(raw)
	req.Header, req.Body = r.Header.Clone(), raw
	behave := s.next(&req)
	x := &exchange{w: w, r: r, req: req, protocol: p, closed: s.closed, answer: s.answer}
	behave.play(x)
}

// next notes a request and chooses how it goes.
func (s *Server) next(r *Request) Behaviour {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.N = len(s.requests) + 1
	s.requests = append(s.requests, *r)
	if len(s.script) > 0 {
		b := s.script[0]
		s.script = s.script[1:]
		return b
	}
	if s.random != nil && len(s.among) > 0 && s.random.Float64() < s.rate {
		return s.among[s.random.IntN(len(s.among))]
	}
	return s.otherwise
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func number(v any) int {
	f, _ := v.(float64)
	return int(f)
}

func str(v any) string {
	s, _ := v.(string)
	return s
}
