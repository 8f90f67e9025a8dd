package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/llm"
	"github.com/progrouter/progrouter/llm/agents"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/llm/embedded"
	"github.com/progrouter/progrouter/llm/replay"
	"github.com/progrouter/progrouter/research"
)

// coldStart is how long a server on this machine may take to load a model and
// read a prompt, which a processor does at ten tokens a second when it is busy.
const coldStart = 10 * time.Minute

// works is what answers for models: the embedded engine and the language models
// that are connected now. It can be rebuilt while steps run.
type works struct {
	source   modelSource
	embedded *embedded.Engine
	registry *llm.Swap
	prices   *energy.Prices
	meter    *energy.Meter
	rapl     *energy.RAPL
	gpu      *energy.NVML
	answers  *replay.Store // nil: no answer is recorded or replayed
	seed     *int64        // nil: none is sent
	app      *app

	mu       sync.Mutex
	revision int64
	servers  map[research.Provider]*server
	units    atomic.Pointer[map[string]research.Coefficients] // by model
}

// server is what the models of a provider share. It outlives a rebuild, so that
// a server that rests goes on resting, and so do its models.
type server struct {
	host    *chat.Host
	gauge   *lateGauge // nil: the server is elsewhere
	callers map[callerOf]*chat.Caller
}

// callerOf is what a client of a model depends on.
type callerOf struct{ name, id, schema string }

func (a *app) newWorks(ctx context.Context, engine *embedded.Engine, rapl *energy.RAPL, h hooks) (*works, error) {
	alone, err := llm.NewRegistry(engine)
	if err != nil {
		return nil, err
	}
	return &works{
		source: a.connected.modelSource, embedded: engine, registry: llm.NewSwap(alone), prices: a.connected.prices,
		meter: a.meter, rapl: rapl, gpu: energy.OpenNVML(ctx, ""), answers: h.answers, seed: h.seed, app: a,
		servers: map[research.Provider]*server{},
	}, nil
}

// reload puts what is connected now to work.
func (w *works) reload(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	set, err := w.source.load(ctx)
	if err != nil {
		return fmt.Errorf("read models: %w", err)
	}
	r, err := w.build(set)
	if err != nil {
		return err
	}
	w.registry.Set(r)
	w.revision = set.Revision
	w.app.allow(ctx)
	return nil
}

// build makes the registry. Where language models are in use, the embedded
// engine's stand by unless they are to take part.
func (w *works) build(set modelSet) (*llm.Registry, error) {
	var models []agents.Model
	units := map[string]research.Coefficients{}
	for _, m := range set.inUse() {
		p, ok := set.provider(m.Provider)
		if !ok {
			continue
		}
		one := w.model(p, m)
		models = append(models, one)
		if one.Coefficients != nil {
			units[m.Name] = *one.Coefficients
		}
	}
	w.units.Store(&units)
	base := llm.Standby(w.embedded, func(m llm.Model) bool { return len(models) > 0 && !set.Mixed[m.Tier] })
	if len(models) == 0 {
		return llm.NewRegistry(base)
	}
	c := agents.Config{Models: models, Embedded: w.embedded, Logger: w.app.log, Seed: w.seed}
	if w.answers != nil {
		// A call is repeated only if its prompt is the same to the letter. The pages
		// of an experiment are known, so their marks may be too.
		c.Mark = func() string { return "experiment" }
	}
	return llm.NewRegistry(base, agents.New(c))
}

func (w *works) model(p research.Provider, m research.LanguageModel) agents.Model {
	s := w.server(p)
	out := agents.Model{LanguageModel: m, Provider: p, Caller: w.caller(p, m)}
	if price, ok := w.prices.Of(m, p); ok {
		out.Price = &price
	}
	out.Coefficients, _ = coefficientsOf(m, p, false)
	if s.gauge != nil {
		out.Gauge = s.gauge
	}
	return out
}

func (w *works) caller(p research.Provider, m research.LanguageModel) *chat.Caller {
	s, key := w.server(p), callerOf{m.Name, m.ID, m.Schema}
	if known, ok := s.callers[key]; ok {
		return known
	}
	var c chat.Client = newClient(p, m)
	if w.answers != nil {
		c = w.answers.Client(replay.Config{Model: m.Name, Ask: c, Gauge: w.gauge(p), Logger: w.app.log})
	}
	s.callers[key] = chat.NewCaller(s.host, m.Name, c)
	return s.callers[key]
}

// answered ends the rest of a model and its server, since somebody saw it answer.
func (w *works) answered(p research.Provider, m research.LanguageModel) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, ok := w.servers[p]
	if !ok {
		return
	}
	s.host.Reset()
	if c, ok := s.callers[callerOf{m.Name, m.ID, m.Schema}]; ok {
		c.Reset()
	}
}

// server finds or makes what the models of a provider share.
func (w *works) server(p research.Provider) *server {
	if s, ok := w.servers[p]; ok {
		return s
	}
	h := chat.HostConfig{Name: p.Name, Concurrency: p.Concurrency, PerMinute: p.PerMinute}
	s := &server{callers: map[callerOf]*chat.Caller{}}
	if p.Local {
		h.First = coldStart
		if h.Concurrency == 0 {
			h.Concurrency = 1
		}
		s.gauge = &lateGauge{open: w.opener(p)}
	}
	if w.app.hooks.host != nil {
		w.app.hooks.host(&h)
	}
	s.host = chat.NewHost(h)
	w.servers[p] = s
	return s
}

// gauge is a further one of a local server, for who must not share.
func (w *works) gauge(p research.Provider) energy.Gauge {
	if !p.Local {
		return nil
	}
	return &lateGauge{open: w.opener(p)}
}

func (w *works) opener(p research.Provider) func(context.Context) (energy.Gauge, string, bool) {
	return func(ctx context.Context) (energy.Gauge, string, bool) {
		return energy.OpenLocal(ctx, energy.LocalConfig{BaseURL: p.BaseURL, Meter: w.meter, RAPL: w.rapl, GPU: w.gpu, Units: w.unitsOf})
	}
}

// unitsOf are the coefficients by which concurrent calls share a device.
func (w *works) unitsOf(model string) research.Coefficients {
	if all := w.units.Load(); all != nil {
		return (*all)[model]
	}
	return research.Coefficients{}
}

// watchEvery is how often a process looks whether another one changed the models.
const watchEvery = 2 * time.Second

// watch follows changes that other processes make, until ctx ends.
func (w *works) watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n, err := w.source.store.ModelsRevision(ctx)
		w.mu.Lock()
		same := n == w.revision
		w.mu.Unlock()
		if err == nil && !same {
			err = w.reload(ctx)
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			warn(ctx, w.app.log, "models cannot be read", err)
		}
	}
}

// languageModels says whether a language model may take steps.
func (a *app) languageModels() bool {
	for _, m := range a.registry().Models() {
		if !embedded.Owns(m.Name) {
			return true
		}
	}
	return false
}

func (a *app) registry() *llm.Swap { return a.works.registry }

// reloadModels puts what is connected now to work.
func (a *app) reloadModels(ctx context.Context) error { return a.works.reload(ctx) }
