package handlers

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/progrouter/progrouter/research"
)

// learnedMetrics are what the router has learned so far, as it is stored: unlike
// the counters they do not begin with the process.
type learnedMetrics struct {
	source                               Learned
	samples, through, trained, joules    prometheus.Gauge
	decisions, queue, epsilon, predicted prometheus.Gauge
	mae                                  *prometheus.GaugeVec
}

func newLearnedMetrics(source Learned, registry *prometheus.Registry) *learnedMetrics {
	gauge := func(name, help string) prometheus.Gauge {
		g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: metricsSpace, Name: name, Help: help})
		registry.MustRegister(g)
		return g
	}
	m := &learnedMetrics{
		source:    source,
		samples:   gauge("predictor_samples", "Finished steps that the router has learned from, ever."),
		through:   gauge("predictor_trained_samples", "How many of them there were when the predictor was trained last."),
		trained:   gauge("predictor_trained_timestamp_seconds", "When the predictor was trained last; 0 for never."),
		joules:    gauge("predictor_training_joules", "Energy of all trainings of the predictor, no part of joules_total."),
		decisions: gauge("router_decisions", "Decisions of the router, ever."),
		queue:     gauge("router_queue_joules", "The virtual queue Q."),
		epsilon:   gauge("router_epsilon", "Chance of a random choice now."),
		predicted: gauge("predictor_judged", "Finished steps whose predicted gain was compared with the realised one, ever."),
		mae: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: metricsSpace, Name: "predictor_mean_absolute_error",
			Help: "Mean absolute error of the predicted gain, over all steps; structured, semantic, mean and gate over those that had both paths.",
		}, []string{"path"}),
	}
	registry.MustRegister(m.mae)
	return m
}

func (m *learnedMetrics) read(ctx context.Context) error {
	l, err := m.source.LearningNow(ctx)
	if err != nil {
		return err
	}
	m.samples.Set(float64(l.State.Samples))
	m.through.Set(float64(l.State.Through))
	m.joules.Set(l.State.TrainingJoules.Units())
	m.decisions.Set(float64(l.State.Decisions))
	m.queue.Set(l.State.Queue.Units())
	m.epsilon.Set(l.Epsilon)
	m.predicted.Set(float64(l.Quality.Total.N))
	m.trained.Set(0)
	if at := l.State.TrainedAt; at != nil {
		m.trained.Set(float64(at.UnixMilli()) / 1000)
	}
	for _, path := range research.Paths() {
		if mae, _, ok := l.Quality.Total.MAE(path); ok {
			m.mae.WithLabelValues(path).Set(mae)
		}
	}
	return nil
}
