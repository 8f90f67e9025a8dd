package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/progrouter/progrouter/handlers"
	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/store"
)

func serveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serve the web interface and work on runs (the default)",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := loadConfig(c.Flags())
			if err != nil {
				return err
			}
			return serve(c.Context(), cfg, logger(cfg, c.ErrOrStderr()), func(url string) {
				fmt.Fprintln(c.OutOrStdout(), "ProgRouter serves", url)
			}, hooks{})
		},
	}
}

func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "worker",
		Short: "Only work on runs; needs PostgreSQL",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := loadConfig(c.Flags())
			if err != nil {
				return err
			}
			if cfg.DatabaseURL == "" {
				return research.Errorf(research.EInvalid, "worker_database", "A separate worker needs PostgreSQL: set PROGROUTER_DATABASE_URL. With SQLite the server works on the runs itself.")
			}
			return work(c.Context(), cfg, logger(cfg, c.ErrOrStderr()))
		},
	}
}

// Deadlines of the stop order: streams and HTTP, then workers, then database.
const (
	httpStop   = 5 * time.Second
	workerStop = 10 * time.Second
)

// serve runs the web service until ctx ends. ready is called with the address
// once requests are answered.
func serve(ctx context.Context, cfg Config, log *slog.Logger, ready func(url string), h hooks) (err error) {
	ln, err := listen(ctx, cfg.Addr)
	if err != nil {
		return err
	}
	defer ln.Close() //nolint:errcheck // closed by the server on the normal path
	a, err := newApp(ctx, cfg, log, h)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		a.connected.lookOnce(ctx)
	}()
	defer func() { <-looked }()
	if err := a.loadHandbook(ctx); err != nil {
		return fmt.Errorf("load handbook: %w", err)
	}
	stopQueue, err := a.startQueue(ctx, false)
	if err != nil {
		return err
	}
	defer stopQueue()
	return a.serveHTTP(ctx, ln, ready)
}

func listen(ctx context.Context, addr string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, research.Errorf(research.EConflict, "addr_in_use", "The address %s is in use by another program. Stop it, or choose another with --addr, for example --addr 127.0.0.1:8081.", addr)
	case err != nil:
		return nil, research.Errorf(research.EInvalid, "addr", "Cannot listen on %s: %v. Choose another address with --addr.", addr, err)
	}
	return ln, nil
}

// startQueue begins to work on runs and, unless impatient, to learn from them in
// the background. It is an EConflict error when another process has the data
// folder.
func (a *app) startQueue(ctx context.Context, impatient bool) (stop func(), err error) {
	q, err := a.queue(impatient)
	if err != nil {
		return nil, fmt.Errorf("make queue: %w", err)
	}
	if err := q.Start(context.WithoutCancel(ctx)); err != nil { // it ends by its stop function, in order
		return nil, err
	}
	watched, unwatch := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.works.watch(watched)
	}()
	stopLearning := func() {}
	if !impatient {
		stopLearning = a.startLearning(ctx)
	}
	return func() {
		unwatch()
		<-done
		withTimeout(workerStop, "workers", a.log, q.Stop)
		stopLearning()
	}, nil
}

// startLearning lets the predictor learn in the background. A training that is
// under way when it is stopped is waited for and kept: it takes a second at most.
func (a *app) startLearning(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.learner.run(ctx, routerKey)
	}()
	return func() {
		cancel()
		<-done
	}
}

func (a *app) serveHTTP(ctx context.Context, ln net.Listener, ready func(url string)) error {
	texts, err := i18n.New()
	if err != nil {
		return fmt.Errorf("load texts: %w", err)
	}
	key, err := a.sessionKey(ctx)
	if err != nil {
		return err
	}
	front := handlers.New(handlers.Config{
		Addr: ln.Addr().String(), Hosts: a.cfg.acceptedHosts(), Password: a.cfg.Password, SessionKey: key,
		UploadLimit: int64(a.cfg.UploadMB) << 20, Zone: time.Local, Version: version,
		Meter: a.cfg.shownMeter(),
	}, handlers.Deps{
		Runs: checkedRuns{a.store, a}, Events: a.store, Usage: a.store, Library: a.store,
		Uploads: a, Estimates: a, Setup: a, Models: a.connected, Health: a.store, Metered: a.store, Learned: a, Decided: a, Live: a.live, Texts: texts, Log: a.log,
		Progress: func(l *research.Ledger) research.ProgressView {
			return progress.ScoreResearch(l, research.LimitsFor(l.Run.Depth))
		},
	})
	srv := &http.Server{
		Handler: front.Handler(), ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout: 2 * time.Minute, WriteTimeout: 2 * time.Minute, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	ready(reachable(ln.Addr()))
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	a.log.Info("stopping")
	front.Close()
	withTimeout(httpStop, "http", a.log, srv.Shutdown)
	return nil
}

// work is the worker command: runs, without the web interface.
func work(ctx context.Context, cfg Config, log *slog.Logger) (err error) {
	a, err := newApp(ctx, cfg, log, hooks{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	stop, err := a.startQueue(ctx, false)
	if err != nil {
		return err
	}
	log.Info("worker waits for runs")
	<-ctx.Done()
	stop()
	return nil
}

// checkedRuns refuses runs whose budget does not allow one step and a report.
type checkedRuns struct {
	*store.Store
	app *app
}

func (c checkedRuns) CreateRun(ctx context.Context, r research.Request, b research.Budget) (string, error) {
	f := c.app.forecaster(ctx).Forecast(ctx, r)
	b = f.Widen(r.Given, b)
	if err := f.CheckBudget(b); err != nil {
		return "", err
	}
	if r.Library && len(r.Collections) == 0 {
		r.Collections = []string{handbookCollection, uploadsCollection} // not folders of single runs
	}
	return c.Store.CreateRun(ctx, r, b)
}
