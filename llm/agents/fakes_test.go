package agents

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/llm/embedded"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/rank"
	"github.com/progrouter/progrouter/retrieval/text"
)

// shelf is a library in memory: a document is found by the words it shares with
// the query.
type shelf struct {
	mu       sync.Mutex
	docs     []research.Document
	searches []string
	opened   []string
}

func (s *shelf) Search(_ context.Context, _ research.Request, query string, limit int) (
	[]research.Hit, []research.Query, []research.Note, []research.Discarded, error,
) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.searches = append(s.searches, query)
	asked := text.Terms(query)
	var hits []research.Hit
	for _, d := range s.docs {
		has := text.Terms(d.Title + " " + d.Text)
		n := 0
		for _, t := range asked {
			if slices.Contains(has, t) {
				n++
			}
		}
		if n > 0 && len(hits) < limit {
			hits = append(hits, research.Hit{URL: d.URL, Title: d.Title, Provider: "library", Score: float64(n) / float64(len(asked)+1)})
		}
	}
	slices.SortStableFunc(hits, func(a, b research.Hit) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return hits, []research.Query{{Text: query, Provider: "library", Results: len(hits)}}, nil, nil, nil
}

func (s *shelf) Open(_ context.Context, h research.Hit) (research.Document, *research.Discarded, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened = append(s.opened, h.URL)
	for _, d := range s.docs {
		if d.URL == h.URL {
			return d, nil, nil
		}
	}
	return research.Document{}, &research.Discarded{URL: h.URL, Code: "not_found", Reason: "It is not there."}, nil
}

type ranking struct{ *rank.Ranker }

func (r ranking) Passages(ctx context.Context, _ research.Tier, query, lang string, found research.PassagesFound) ([]embedded.Ranked, error) {
	scored, err := r.Ranker.Passages(ctx, rank.Lexical, query, lang, found)
	out := make([]embedded.Ranked, len(scored))
	for i, s := range scored {
		out[i] = embedded.Ranked{Passage: s.Passage, Score: s.Score, Lexical: s.Lexical, Semantic: s.Semantic}
	}
	return out, err
}

// bag is an encoder for tests: each word turns on one of many places.
type bag struct{}

func (bag) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, s := range texts {
		v := make([]float32, 256)
		for _, w := range text.Terms(s) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(w))
			v[h.Sum32()%256]++
		}
		n := 0.0
		for _, x := range v {
			n += float64(x * x)
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(max(n, 1e-9)))
		}
		out[i] = v
	}
	return out, ctx.Err()
}

func (bag) Cost(texts []string) int   { return len(strings.Fields(strings.Join(texts, " "))) }
func (bag) Supports(lang string) bool { return lang == "en" }

// script answers calls; it streams word by word and counts as a server would.
type script struct {
	answer func(r chat.Request, n int) (chat.Response, error)
	mu     sync.Mutex
	got    []chat.Request
}

func (s *script) Chat(ctx context.Context, r chat.Request, onDelta func(chat.Delta)) (chat.Response, error) {
	s.mu.Lock()
	s.got = append(s.got, r)
	n := len(s.got)
	s.mu.Unlock()
	want, err := s.answer(r, n)
	if err != nil && want.Text == "" {
		return want, err
	}
	out := want
	out.Text = ""
	written := 0
	for _, w := range pieces(want.Text) {
		if ctx.Err() != nil {
			out.Usage = chat.Usage{}
			return out, ctx.Err()
		}
		if written >= r.MaxTokens {
			out.Finish = chat.Length
			break
		}
		written++
		out.Text += w
		if onDelta != nil {
			onDelta(chat.Delta{Text: w})
		}
	}
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	if out.Usage == (chat.Usage{}) {
		out.Usage = chat.Usage{Input: tokensOf(r), Output: written + chat.Count(want.Reasoning), Reasoning: chat.Count(want.Reasoning), Counted: chat.FromServer}
	}
	if out.Finish == "" {
		out.Finish = chat.Stopped
	}
	return out, err
}

// tokensOf counts a prompt as English prose is counted by common tokenizers.
func tokensOf(r chat.Request) int {
	n := 8
	for _, m := range r.Messages {
		n += 4 + len(m.Text)*10/36
	}
	return n
}

var rePiece = regexp.MustCompile(`(?s)\s*\S{1,5}|\s+$`)

func pieces(s string) []string { return rePiece.FindAllString(s, -1) }

func (s *script) requests() []chat.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]chat.Request{}, s.got...)
}

// says is a script with one answer per role; a role without one fails the test.
func says(t *testing.T, by map[string]string) *script {
	return &script{answer: func(r chat.Request, _ int) (chat.Response, error) {
		a, ok := by[r.Name]
		if !ok {
			t.Errorf("unexpected call of %s", r.Name)
		}
		return chat.Response{Text: a, Model: "served"}, nil
	}}
}

// bundle is an engine over a few documents with a ledger to work on.
type bundle struct {
	t      *testing.T
	engine *Engine
	shelf  *shelf
	l      *research.Ledger
	limits research.Limits
	live   []research.Live
}

type part struct {
	name   string
	client chat.Client
	tier   research.Tier
	change func(*Model)
}

func setup(t *testing.T, question, lang string, docs []research.Document, parts ...part) *bundle {
	t.Helper()
	b := &bundle{t: t, shelf: &shelf{docs: docs}, limits: research.LimitsFor(research.Quick)}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	var models []Model
	for i, p := range parts {
		host := chat.NewHost(chat.HostConfig{Name: "test", Now: clock, Tries: 2, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
		m := Model{
			LanguageModel: research.LanguageModel{Name: p.name, Provider: "test", ID: p.name, Tier: p.tier, Place: i, Context: 8192},
			Caller:        chat.NewCaller(host, p.name, p.client),
			Price:         &research.Price{Input: 1, Cached: 0.5, Output: 4, Currency: "USD"},
			Coefficients: &research.Coefficients{
				Call: 0.5, Prefill: 0.02, Decode: 0.4, Low: 0.8, High: 1.5, Method: research.MethodModel,
				Seconds: research.SpeedFit{Call: 0.2, Prefill: 0.002, Decode: 0.02},
			},
		}
		if m.Tier == "" {
			m.Tier = research.Medium
		}
		if p.change != nil {
			p.change(&m)
		}
		models = append(models, m)
	}
	marks := 0
	b.engine = New(Config{
		Models: models, Now: clock, Mark: func() string { marks++; return fmt.Sprintf("mark%06d", marks) },
		Embedded: embedded.New(embedded.Config{Finder: b.shelf, Ranker: ranking{rank.New(bag{}, nil, nil)}, Encoder: bag{}, Now: clock}),
	})
	b.l = &research.Ledger{Run: research.Run{Request: research.Request{Question: question, Language: lang, Library: true}}}
	return b
}

func (b *bundle) task(role research.Role, focus ...string) research.Task {
	return research.Task{
		Role: role, Model: b.engine.models[0].Name, Ledger: b.l, Focus: focus, Limits: b.limits, Step: len(b.l.Steps),
		Live: func(l research.Live) { b.live = append(b.live, l) },
	}
}

func (b *bundle) do(role research.Role, focus ...string) research.Result {
	b.t.Helper()
	return b.take(context.Background(), b.task(role, focus...))
}

func (b *bundle) take(ctx context.Context, t research.Task) research.Result {
	b.t.Helper()
	r, err := b.engine.Do(ctx, t)
	if err != nil {
		b.t.Fatalf("%s: %v", t.Role, err)
	}
	b.l.Apply(research.Step{Index: t.Step, Role: t.Role, Model: t.Model, Outcome: r.Outcome, Note: r.Note, Focus: t.Focus, Actions: r.Actions,
		Decision: research.Decision{Chosen: t.Model}}, r)
	return r
}

// run takes all steps of a run without gaps.
func (b *bundle) run() {
	b.t.Helper()
	b.do(research.Planner)
	b.do(research.Searcher)
	for _, q := range b.l.Plan.Subquestions {
		b.do(research.Reader, q.ID)
	}
	b.do(research.Writer)
	b.do(research.Reviewer)
}

func doc(url, title, body string) research.Document {
	return research.Document{URL: url, Title: title, Text: body, SHA256: research.HashText(body)}
}

func lighthouses() []research.Document {
	return []research.Document{
		doc("library:alba.md", "Alba lighthouse", "# Alba lighthouse\n\nThe Alba lighthouse was built in 1872 by the engineer Maria Stein. "+
			"It stands on a reef north of the harbour and is 41 metres tall. The first lamp of the Alba lighthouse burned whale oil until 1890.\n\n"+
			"# Keepers\n\nThree keepers lived in the Alba lighthouse at a time. They changed every four weeks.\n"),
		doc("library:coast.md", "Lights of the coast", "# Lights of the coast\n\n"+
			"The lens of the Alba lighthouse came from Paris and weighed two tonnes. Storms damaged the gallery of the Alba lighthouse in 1911.\n"),
		doc("library:bread.md", "Bread", "# Bread\n\nBread is made of flour, water and salt. A sour dough needs a day to rise before it is baked.\n"),
	}
}

const built = "When was the Alba lighthouse built and by whom?"
