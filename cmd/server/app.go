package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/progrouter/progrouter/encoder"
	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/llm/embedded"
	"github.com/progrouter/progrouter/llm/replay"
	"github.com/progrouter/progrouter/orchestrator"
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval"
	"github.com/progrouter/progrouter/retrieval/extract"
	"github.com/progrouter/progrouter/retrieval/fetch"
	"github.com/progrouter/progrouter/retrieval/library"
	"github.com/progrouter/progrouter/retrieval/pdf"
	"github.com/progrouter/progrouter/retrieval/rank"
	"github.com/progrouter/progrouter/retrieval/websearch"
	"github.com/progrouter/progrouter/router"
	"github.com/progrouter/progrouter/store"
)

// routerKey names the one policy stream of the service; the bench uses others.
const routerKey = "default"

// app is everything wired together, once.
type app struct {
	cfg       Config
	log       *slog.Logger
	store     *store.Store
	pool      *energy.Pool
	meter     *energy.Meter
	caps      *energy.Meter
	reconcile *energy.Reconciler
	encoder   *encoder.Encoder
	ranker    *rank.Ranker
	pdf       *pdf.Reader
	extractor *extract.Extractor
	fetcher   *fetch.Fetcher
	library   *library.Library
	works     *works
	orch      *orchestrator.Orchestrator
	learner   *learner
	live      *liveBoard
	allowed   atomic.Int64 // Ẽ in millionths of a joule
	rates     *energy.Rates
	searches  []string // providers that search the web
	connected *connections
	hooks     hooks
}

// hooks let tests put something between the orchestrator and the rest.
type hooks struct {
	store  func(orchestrator.Store) orchestrator.Store
	agents func(orchestrator.Agents) orchestrator.Agents
	// answers keeps the answers of language models for experiments; nil: none.
	answers *replay.Store
	// seed is sent with every call of a language model; nil: none.
	seed *int64
	// host changes how servers of models are treated; nil: not at all.
	host func(*chat.HostConfig)
}

// newApp opens the database and builds everything else. Close what it returns.
func newApp(ctx context.Context, cfg Config, log *slog.Logger, h hooks) (*app, error) {
	if err := cfg.ensureData(); err != nil {
		return nil, err
	}
	st, err := store.Open(ctx, store.Config{
		DataDir: cfg.Data, DatabaseURL: cfg.DatabaseURL, Logger: log,
		Finish: store.FinishOptions{Allowance: research.ToMicro(cfg.Allowance), RouterKey: routerKey},
	})
	if err != nil {
		return nil, err
	}
	a := &app{cfg: cfg, log: log, store: st, hooks: h, live: newLiveBoard(), rates: energy.NewRates()}
	if err := a.build(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func (a *app) build(ctx context.Context) error {
	a.pool = energy.NewPool(runtime.GOMAXPROCS(0))
	a.meter = energy.NewMeter(energy.MeterConfig{Watts: a.cfg.CPUWatts, Low: a.cfg.CPUWattsLow, High: a.cfg.CPUWattsHi})
	a.caps, a.reconcile = a.meter, energy.NewReconciler(nil)
	rapl := energy.OpenRAPL(energy.RAPLRoot)
	if rapl != nil {
		// A busy core may draw more than is assumed: give less time for a joule.
		a.caps = energy.NewMeter(energy.MeterConfig{Watts: a.cfg.CPUWattsHi, Low: a.cfg.CPUWatts, High: a.cfg.CPUWattsHi})
		a.reconcile = energy.NewReconciler(ownShare(rapl))
	}
	a.encoder = encoder.New(a.pool)
	static := encoder.NewStatic()
	a.ranker = rank.New(a.encoder, static, a.pool)
	a.learner = newLearner(a.store, static, a.meter, a.reconcile.Track, a.log)
	a.pdf = pdf.New(pdf.Config{CacheDir: filepath.Join(a.cfg.Data, "cache", "wasm")})
	a.extractor = extract.New(a.pdf)
	a.library = library.New(a.store, a.ranker)
	var err error
	if a.fetcher, err = fetch.New(fetch.Config{AllowHosts: a.cfg.AllowHosts, Version: version}, a.extractor); err != nil {
		return err
	}
	providers, err := a.providers()
	if err != nil {
		return err
	}
	prices, err := energy.LoadPrices(filepath.Join(a.cfg.Data, energy.PricesFile))
	if err != nil {
		return err
	}
	a.connected = newConnections(modelSource{a.cfg, a.store}, prices, a.log, a.reloadModels)
	finder := retrieval.NewFinder(a.library, a.fetcher, providers, fetch.SameSite)
	engine := embedded.New(embedded.Config{Finder: finder, Ranker: tierRanker{a.ranker}, Encoder: a.encoder, Watts: a.cfg.CPUWatts})
	if a.works, err = a.newWorks(ctx, engine, rapl, a.hooks); err != nil {
		return err
	}
	a.connected.answered = a.works.answered
	a.orch = a.orchestrator(routerKey, a.allowance, a.params(), progress.ScoreResearch)
	return a.works.reload(ctx)
}

// agents are the models with what search services charge.
func (a *app) agents() orchestrator.Agents {
	return searchCharges{a.registry(), a.searches, a.works.prices.Query}
}

// ownShare is this process's part of a counter of the whole machine, since
// servers of models on it are charged theirs. Where the machine's busy time is
// not told, everything counts as ours.
func ownShare(rapl *energy.RAPL) energy.Counter {
	if _, told := energy.MachineCPU(); !told {
		return rapl
	}
	return energy.NewShare(rapl, energy.ProcessCPU, energy.MachineCPU)
}

// orchestrator works on runs of one policy stream.
func (a *app) orchestrator(key string, allowance func() research.Micro, p router.Params, score orchestrator.Scorer) *orchestrator.Orchestrator {
	var st orchestrator.Store = ledgerStore{a.store, allowance, a.learner.poke}
	var agents orchestrator.Agents = a.agents()
	if a.hooks.store != nil {
		st = a.hooks.store(st)
	}
	if a.hooks.agents != nil {
		agents = a.hooks.agents(agents)
	}
	return orchestrator.New(orchestrator.Deps{
		Store: st, Agents: agents, Score: score, Meter: a.meter, Caps: a.caps, Reconciler: a.reconcile, Logger: a.log,
		Live: a.live.Update, Rates: a.rates,
		Router: &runRouter{
			memory: a.store, key: key, allowance: allowance, params: p, learner: a.learner, log: a.log, whole: wholeRun(agents),
		},
	})
}

func (a *app) params() router.Params { return a.cfg.params() }

func (a *app) providers() ([]retrieval.Provider, error) {
	found, err := websearch.New(websearch.Config{
		Wikipedia: a.cfg.Wikipedia, SearXNG: a.cfg.SearxngURL, Agent: "ProgRouter/" + version,
	}, a.fetcher.Guard().Client(15*time.Second))
	if err != nil {
		return nil, err
	}
	out := make([]retrieval.Provider, len(found))
	for i, p := range found {
		out[i], a.searches = p, append(a.searches, p.Name())
	}
	return out, nil
}

// queue works on stored runs.
func (a *app) queue(impatient bool) (*store.Queue, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	return store.NewQueue(a.store, store.QueueConfig{Workers: a.cfg.Workers, ID: workerID(a.cfg, host), Logger: a.log, Impatient: impatient}, a.orch.Work)
}

// workerID is stable over restarts, so that a restarted worker finds the jobs
// it left. A SQLite folder has one worker at a time; with PostgreSQL the data
// folder tells workers of one host apart.
func workerID(cfg Config, host string) string {
	if cfg.DatabaseURL == "" {
		return "sqlite"
	}
	dir, err := filepath.Abs(cfg.Data)
	if err != nil {
		dir = cfg.Data
	}
	return host + ":" + research.HashText(dir)[:12]
}

// Close releases everything, the database last.
func (a *app) Close() error {
	if a.fetcher != nil {
		a.fetcher.Close()
	}
	var errs []error
	if a.pdf != nil {
		a.pdf.Close()
	}
	if a.pool != nil {
		a.pool.Close()
	}
	errs = append(errs, a.store.Close())
	return errors.Join(errs...)
}

// logger writes to w as configured.
func logger(cfg Config, w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	opts := &slog.HandlerOptions{Level: level}
	if cfg.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// withTimeout runs a stage of the shutdown with its own deadline.
func withTimeout(d time.Duration, what string, log *slog.Logger, fn func(ctx context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	if err := fn(ctx); err != nil {
		log.Error("shutdown", "stage", what, "err", fmt.Sprint(err))
	}
}
