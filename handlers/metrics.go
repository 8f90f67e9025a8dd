package handlers

import (
	"context"
	"runtime"
	"sync"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/progrouter/progrouter/research"
)

// Metered is what the metrics are made of.
type Metered interface {
	LastEventID(ctx context.Context, runID string) (int64, error)
	Finished(ctx context.Context, after int64, limit int) (research.Finished, error)
	RunCounts(ctx context.Context) (map[research.Status]int, error)
}

const metricsPath = "/metrics"

// Bounds of what one scrape reads; the next goes on from there.
const (
	metricsPage  = 500
	metricsPages = 20
)

// metrics are the counters of /metrics. Nothing is counted while nobody asks: a
// scrape reads what has finished since the one before, by any worker. Counters
// begin at 0 with the first scrape of a process, as counters may.
type metrics struct {
	source   Metered
	registry *prometheus.Registry
	sums     map[string]*prometheus.CounterVec
	ended    *prometheus.CounterVec
	runs     *prometheus.GaugeVec
	queue    prometheus.Gauge
	learned  *learnedMetrics // nil: nothing is said of it

	mu      sync.Mutex
	started bool
	cursor  int64
}

// counters are summed by model and role, and some by a third label.
var counters = []struct{ name, label, help string }{
	{"steps_total", "outcome", "Finished steps."},
	{"step_seconds_total", "", "Wall time of finished steps."},
	{"joules_total", "method", "Energy of finished steps, calls of language models included."},
	{"joules_unknown_total", "", "Finished steps whose energy is not known."},
	{"dollars_total", "", "Price of finished steps, as far as it is known."},
	{"calls_total", "finish", "Calls of language models, by why the answer ended."},
	{"call_failures_total", "", "Calls of language models that ended in an error."},
	{"call_retries_total", "", "Further attempts of calls of language models."},
	{"call_seconds_total", "", "Wall time of calls of language models, waits included."},
	{"call_wait_seconds_total", "", "Time that calls waited for a place and between attempts."},
	{"call_joules_total", "method", "Energy of calls of language models, a part of joules_total."},
	{"call_joules_unknown_total", "", "Calls of language models whose energy is not known."},
	{"call_dollars_total", "", "Price of calls of language models, a part of dollars_total."},
	{"call_dollars_unknown_total", "", "Calls of language models whose price is not known."},
	{"tokens_total", "kind", "Tokens of calls of language models; cached ones are among the input, reasoning among the output."},
}

const metricsSpace = "progrouter"

func newMetrics(source Metered, learned Learned, version string) *metrics {
	m := &metrics{source: source, registry: prometheus.NewRegistry(), sums: map[string]*prometheus.CounterVec{}}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: metricsSpace, Name: name, Help: help}, labels)
		m.registry.MustRegister(c)
		return c
	}
	for _, c := range counters {
		labels := []string{"model", "role"}
		if c.label != "" {
			labels = append(labels, c.label)
		}
		m.sums[c.name] = counter(c.name, c.help, labels...)
	}
	m.ended = counter("runs_finished_total", "Runs that ended.", "status")
	for _, s := range []research.Status{research.Complete, research.Partial, research.NoEvidence, research.Failed, research.Cancelled} {
		m.ended.WithLabelValues(string(s))
	}
	m.runs = prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: metricsSpace, Name: "runs", Help: "Stored runs by status."}, []string{"status"})
	m.queue = prometheus.NewGauge(prometheus.GaugeOpts{Namespace: metricsSpace, Name: "queue_length", Help: "Runs that wait for a worker."})
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: metricsSpace, Name: "build_info", Help: "Always 1, with the program's version."}, []string{"version", "goversion"})
	build.WithLabelValues(version, runtime.Version()).Set(1)
	m.registry.MustRegister(m.runs, m.queue, build)
	if learned != nil {
		m.learned = newLearnedMetrics(learned, m.registry)
	}
	return m
}

// catchUp reads what has finished since the last scrape.
func (m *metrics) catchUp(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.started {
		last, err := m.source.LastEventID(ctx, "")
		if err != nil {
			return err
		}
		m.cursor, m.started = last, true
	}
	for range metricsPages {
		f, err := m.source.Finished(ctx, m.cursor, metricsPage)
		if err != nil {
			return err
		}
		for _, s := range f.Steps {
			m.step(s)
		}
		for _, s := range f.Runs {
			m.ended.WithLabelValues(string(s)).Inc()
		}
		if m.cursor = f.Last; !f.More {
			break
		}
	}
	counts, err := m.source.RunCounts(ctx)
	if err != nil {
		return err
	}
	m.runs.Reset()
	for s, n := range counts {
		m.runs.WithLabelValues(string(s)).Set(float64(n))
	}
	m.queue.Set(float64(counts[research.Queued]))
	if m.learned != nil {
		return m.learned.read(ctx)
	}
	return nil
}

// adder adds to the sums of a model in a role.
type adder struct {
	m           *metrics
	model, role string
}

func (a adder) add(name string, v float64, third ...string) {
	// A broken clock must not end the process: counters refuse to fall.
	a.m.sums[name].WithLabelValues(append([]string{a.model, a.role}, third...)...).Add(max(0, v))
}

// micro adds an amount, or one to those that are not known.
func (a adder) micro(name, unknown string, v *research.Micro, third ...string) {
	switch {
	case v != nil:
		a.add(name, v.Units(), third...)
	case unknown != "":
		a.add(unknown, 1)
	}
}

func (m *metrics) step(s research.Step) {
	a := adder{m, s.Model, string(s.Role)}
	a.add("steps_total", 1, string(s.Outcome))
	a.add("step_seconds_total", s.Seconds)
	a.micro("joules_total", "joules_unknown_total", s.Energy.Joules, s.Energy.Method)
	a.micro("dollars_total", "", s.Dollars)
	for _, act := range s.Actions {
		if act.Call != nil {
			m.call(string(s.Role), act)
		}
	}
}

func (m *metrics) call(role string, act research.Action) {
	c := act.Call
	a := adder{m, c.Model, role}
	a.add("calls_total", 1, c.Finish)
	failed := 0.0
	if act.Error != "" {
		failed = 1
	}
	a.add("call_failures_total", failed)
	a.add("call_retries_total", float64(c.Tries-1))
	a.add("call_seconds_total", act.Seconds)
	a.add("call_wait_seconds_total", c.Waited)
	a.micro("call_joules_total", "call_joules_unknown_total", c.Energy.Joules, c.Energy.Method)
	a.micro("call_dollars_total", "call_dollars_unknown_total", c.Dollars)
	for kind, n := range map[string]int{"input": c.Tokens.Input, "cached": c.Tokens.Cached, "output": c.Tokens.Output, "reasoning": c.Tokens.Reasoning} {
		a.add("tokens_total", float64(n), kind)
	}
}

// showMetrics answers a scrape of Prometheus.
func (s *Server) showMetrics(c echo.Context) error {
	if err := s.metrics.catchUp(c.Request().Context()); err != nil {
		return err
	}
	promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{DisableCompression: true}).ServeHTTP(c.Response(), c.Request())
	return nil
}
