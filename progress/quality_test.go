package progress

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func predicted(model string, role research.Role, gain, realised float64, paths ...float64) Sample {
	s := Sample{Features: Features{Model: model, Role: role}, Gain: realised}
	s.Predicted = research.Prediction{Gain: gain, Basis: BasisPrior}
	if len(paths) == 3 {
		s.Predicted.Structured, s.Predicted.Semantic, s.Predicted.Gate = &paths[0], &paths[1], &paths[2]
		s.Predicted.Basis = BasisLearned
	}
	return s
}

func near(p *float64, want float64) bool { return p != nil && math.Abs(*p-want) < 1e-9 }

func TestQuality(t *testing.T) {
	t.Parallel()
	q := QualityOf([]Sample{
		predicted("a", research.Reader, 0.3, 0.1),
		predicted("a", research.Writer, 0.25, 0.2, 0.1, 0.4, 0.5),
		predicted("b", research.Reader, 0.5, 0.6, 0.6, 0.3, 1.0/3),
		predicted("b", research.Reader, math.NaN(), 0.6),
	})
	if q.N != 3 || q.Learned != 2 || q.Prior != 1 {
		t.Fatalf("%+v", q)
	}
	for name, ok := range map[string]bool{
		"MAE": near(q.MAE, (0.2+0.05+0.1)/3), "bias": near(q.Bias, (0.2+0.05-0.1)/3),
		"structured": near(q.Structured, 0.05), "semantic": near(q.Semantic, 0.25),
		"mean": near(q.Mean, (0.05+0.15)/2), "gate": near(q.Gate, 0.075),
		"trust": near(q.Trust, (0.5+1.0/3)/2), "prior": near(q.PriorMAE, 0.2),
	} {
		if !ok {
			t.Errorf("%s is wrong", name)
		}
	}
	if len(q.Roles) != 2 || q.Roles[0].Name != string(research.Reader) || q.Roles[0].N != 2 || len(q.Models) != 2 || q.Models[1].Name != "b" || q.Models[1].N != 1 {
		t.Errorf("roles %+v, models %+v", q.Roles, q.Models)
	}
	n := int64(0)
	for _, b := range q.Calibration {
		n += b.N
		if !(b.Predicted >= b.From && b.Predicted < b.To) {
			t.Errorf("%+v", b)
		}
	}
	if n != q.N {
		t.Errorf("%d steps in bins", n)
	}
}

func TestQualityOfNothing(t *testing.T) {
	t.Parallel()
	q := QualityOf(nil)
	if q.N != 0 || q.MAE != nil || q.Gate != nil || q.PriorMAE != nil || q.Calibration == nil {
		t.Errorf("%+v", q)
	}
	if _, err := json.Marshal(q); err != nil {
		t.Error(err)
	}
}

// TestSumsAddUp: days that are kept apart come to what all of it comes to, also
// after they were stored.
func TestSumsAddUp(t *testing.T) {
	t.Parallel()
	samples := newStream(101).samples(90)
	var all, merged QualitySums
	days := make([]QualitySums, 3)
	for i, s := range samples {
		x := float64(i%13)/10 - 0.3 // beyond the bins on both sides
		s.Predicted = research.Prediction{Gain: x, Structured: &x, Semantic: &s.Gain, Gate: &x, Basis: BasisMixed}
		all.Add(s)
		days[i%3].Add(s)
	}
	for _, d := range days {
		b, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var read QualitySums
		if err := json.Unmarshal(b, &read); err != nil {
			t.Fatal(err)
		}
		merged.Merge(read)
	}
	a, b := all.Score(), merged.Score()
	if a.N != 90 || b.N != a.N || b.Learned != a.Learned || !near(b.MAE, *a.MAE) || !near(b.Gate, *a.Gate) || !near(b.Trust, *a.Trust) || len(a.Calibration) != len(b.Calibration) {
		t.Errorf("%+v\n%+v", a, b)
	}
	for i := range a.Calibration {
		if a.Calibration[i].N != b.Calibration[i].N || math.Abs(a.Calibration[i].Realised-b.Calibration[i].Realised) > 1e-9 {
			t.Errorf("bin %d: %+v, %+v", i, a.Calibration[i], b.Calibration[i])
		}
	}
}
