package agents

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/llm"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/llm/embedded"
	"github.com/progrouter/progrouter/research"
)

// Caller calls one model and deals with its server; chat.Caller is one.
type Caller interface {
	Call(ctx context.Context, r chat.Request, w chat.Watch) (chat.Outcome, error)
	Resting() (until time.Time, why *chat.Error, resting bool)
}

var _ Caller = (*chat.Caller)(nil)

// Model is a language model that may take steps.
type Model struct {
	research.LanguageModel
	Provider     research.Provider
	Caller       Caller
	Price        *research.Price        // nil: unknown
	Coefficients *research.Coefficients // nil: unknown
	// Gauge measures calls of a server on this machine; nil leaves them to the
	// coefficients.
	Gauge energy.Gauge
}

// Config is what an Engine needs. Now, Seed and Logger have defaults.
type Config struct {
	Models   []Model // those without a tier take no steps
	Embedded *embedded.Engine
	Now      func() time.Time
	Logger   *slog.Logger
	// Seed is sent with every call, so that answers can be repeated and cached;
	// nil sends none.
	Seed *int64
	// Mark makes the random marks around page text; nil draws them.
	Mark func() string
}

// Engine takes steps with language models. It is safe for concurrent use.
type Engine struct {
	base   *embedded.Engine
	models []*model // by tier, then place
	now    func() time.Time
	log    *slog.Logger
	seed   *int64
	mark   func() string
	blank  map[research.Role]float64 // bound of a role's prompt without question and data
}

var _ llm.Engine = (*Engine)(nil)

// model is a Model with what was learned of it.
type model struct {
	Model
	learned *learned
	host    *host
}

// host is what the models of a provider share: servers on one machine put a model
// out of memory when another is called that does not fit beside it.
type host struct {
	mu    sync.Mutex
	last  *model // that was called
	swaps bool   // a model had to be loaded again after another had been called
}

// called notes a call, and whether the model had to be loaded for it. One that was
// called lately and lost its place to another shows that they do not fit side by
// side; one that did not, that they do.
func (h *host) called(m *model, lately, cold bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if lately && h.last != m {
		h.swaps = cold
	}
	h.last = m
}

// lessons are what was learned of the model by now.
func (m *model) lessons(now time.Time) lessons {
	l := m.learned.lessons(now)
	m.host.mu.Lock()
	defer m.host.mu.Unlock()
	l.loaded = l.warm && m.host.last == m
	l.ready = l.loaded || l.warm && !m.host.swaps
	return l
}

// New makes the engine.
func New(c Config) *Engine {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Mark == nil {
		c.Mark = randomMark
	}
	e := &Engine{base: c.Embedded, now: c.Now, log: c.Logger, seed: c.Seed, mark: c.Mark}
	e.blank = map[research.Role]float64{}
	for role, p := range prompts {
		if r, err := p.render("", map[string]any{"Question": "", "Language": languageName("en"), "Room": 8, "Most": 8, "Part": false}); err == nil {
			e.blank[role] = boundOf(r)
		}
	}
	hosts := map[string]*host{}
	for _, m := range c.Models {
		if m.Tier != "" && m.Caller != nil {
			if hosts[m.Provider.Name] == nil {
				hosts[m.Provider.Name] = &host{}
			}
			e.models = append(e.models, &model{Model: m, learned: newLearned(), host: hosts[m.Provider.Name]})
		}
	}
	slices.SortStableFunc(e.models, func(a, b *model) int {
		return cmp.Or(cmp.Compare(slices.Index(research.Tiers(), a.Tier), slices.Index(research.Tiers(), b.Tier)), cmp.Compare(a.Place, b.Place))
	})
	return e
}

// Models lists the models that take steps, the cheapest tier first.
func (e *Engine) Models() []llm.Model {
	out := make([]llm.Model, len(e.models))
	for i, m := range e.models {
		out[i] = llm.Model{Name: m.Name, Tier: m.Tier}
	}
	return out
}

// fixed bounds the tokens of a role's prompt without data.
func (e *Engine) fixed(role research.Role, question string) float64 {
	return e.blank[role] + bound(question)
}

func (e *Engine) find(name string) *model {
	for _, m := range e.models {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// inPlaceOf lists the models that may answer for one that fails: those of its
// tier, in their order.
func (e *Engine) inPlaceOf(first *model) []*model {
	out := []*model{first}
	for _, m := range e.models {
		if m != first && m.Tier == first.Tier {
			out = append(out, m)
		}
	}
	return out
}

// Do takes the step. What calls cost is in the result whatever came of them.
func (e *Engine) Do(ctx context.Context, t research.Task) (research.Result, error) {
	m := e.find(t.Model)
	if m == nil {
		return research.Result{}, research.Errorf(research.EInvalid, "unknown_model",
			"No language model named %q is connected. Choose one of the models on the settings page.", t.Model).
			With(map[string]any{"Model": t.Model})
	}
	if t.Ledger == nil {
		return research.Result{}, research.Errorf(research.EInternal, "", "a task without a ledger")
	}
	base := e.base.Base(m.Tier, t.Ledger.Run.Language)
	d := newDirector(e, m, t, e.base.EstimateGuided(ctx, t, base))
	r, err := e.base.DoGuided(ctx, t, base, d)
	d.close(&r, ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled))
	return r, err
}

// randomMark cannot be guessed by whoever wrote a page.
func randomMark() string {
	const letters = "bcdfghjkmnpqrstvwxz23456789"
	b := make([]byte, 10)
	for i := range b {
		b[i] = letters[rand.IntN(len(letters))] // #nosec G404 -- ChaCha8, seeded by the system; one mark lives for one call
	}
	return string(b)
}

// learned is what calls taught about a model.
type learned struct {
	mu       sync.Mutex
	share    float64                   // tokens read, as a share of the upper bound; mean
	most     float64                   // … the largest of late
	pace     float64                   // seconds taken over seconds foreseen
	out      map[research.Role]float64 // tokens of an answer
	thinking float64                   // tokens thought before an answer
	reading  float64                   // joules measured over joules estimated, mean; 0: none yet
	peak     float64                   // … the largest of late, with a margin
	window   int                       // a window smaller than stated, 0: as stated
	last     time.Time                 // when a call last ended
}

func newLearned() *learned {
	return &learned{share: usualShare, most: 1, pace: 1, out: map[research.Role]float64{}}
}
