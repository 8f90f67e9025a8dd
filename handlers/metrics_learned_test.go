package handlers

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

// pupil is a Learned.
type pupil struct {
	now research.Learning
	err error
}

func (p *pupil) Learning(context.Context, time.Time) (research.Learning, error) {
	return research.Learning{}, errors.New("asked for more than is shown")
}

func (p *pupil) LearningNow(context.Context) (research.Learning, error) { return p.now, p.err }

func TestMetricsOfLearning(t *testing.T) {
	t.Parallel()
	p := &pupil{}
	s := setup(t, func(_ *Config, d *Deps) { d.Learned = p })
	fresh := s.get("/metrics")
	s.want(fresh, 200)
	s.wantMetrics(fresh.body, "progrouter_predictor_samples 0", "progrouter_predictor_trained_timestamp_seconds 0", "progrouter_predictor_training_joules 0")
	if strings.Contains(fresh.body, "mean_absolute_error{") {
		t.Errorf("an error of nothing:\n%s", fresh.body)
	}
	at := time.Unix(1_700_000_000, 500_000_000)
	p.now = research.Learning{
		State: research.RouterState{
			Samples: 90, Through: 80, TrainedAt: &at, TrainingJoules: research.ToMicro(2.5), Decisions: 95, Queue: research.ToMicro(7),
		},
		Epsilon: 0.05,
		Quality: research.PredictionQuality{Total: research.QualitySums{
			N: 90, AbsError: 9, PriorN: 45, PriorError: 9, PathsN: 10, StructuredError: 2, SemanticError: 3, MeanError: 2.5, GateError: 1,
		}},
	}
	want := []string{
		"progrouter_predictor_samples 90", "progrouter_predictor_trained_samples 80",
		"progrouter_predictor_trained_timestamp_seconds 1.7000000005e+09", "progrouter_predictor_training_joules 2.5",
		"progrouter_router_decisions 95", "progrouter_router_queue_joules 7", "progrouter_router_epsilon 0.05", "progrouter_predictor_judged 90",
		`progrouter_predictor_mean_absolute_error{path="used"} 0.1`, `progrouter_predictor_mean_absolute_error{path="prior"} 0.2`,
		`progrouter_predictor_mean_absolute_error{path="structured"} 0.2`, `progrouter_predictor_mean_absolute_error{path="semantic"} 0.3`,
		`progrouter_predictor_mean_absolute_error{path="mean"} 0.25`, `progrouter_predictor_mean_absolute_error{path="gate"} 0.1`,
	}
	s.wantMetrics(s.get("/metrics").body, want...)
	p.err = errors.New("gone")
	if a := s.get("/metrics"); a.StatusCode < 500 {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
}

func TestMetricsSayNothingOfLearningWithoutIt(t *testing.T) {
	t.Parallel()
	s := setup(t)
	if a := s.get("/metrics"); a.StatusCode != 200 || strings.Contains(a.body, "predictor") {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
}
