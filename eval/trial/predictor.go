package trial

import (
	"math"

	"github.com/progrouter/progrouter/eval/stats"
)

// PredictorDocument is how well gains were foreseen. Every prediction was made
// before its attempt by a model trained on earlier attempts of the same stream
// only. Errors are means of |predicted − realised|.
type PredictorDocument struct {
	Steps int `json:"steps"`
	// MAE of what the policy went by, over all steps, the cold start included.
	MAE float64 `json:"mae"`
	// Paths compares the paths on the steps for which each had a prediction.
	Paths *PathErrors `json:"paths,omitempty"`
	// Calibration bins what was predicted; Miscalibration is the mean distance
	// between predicted and realised over the bins, weighed by their steps.
	Calibration    []Bin   `json:"calibration"`
	Miscalibration float64 `json:"miscalibration"`
}

// PathErrors are mean absolute errors on the same steps, and how much the gate's
// is below the others', paired by item: positive is better.
type PathErrors struct {
	Steps            int            `json:"steps"`
	Structured       stats.Interval `json:"structured"`
	Semantic         stats.Interval `json:"semantic"`
	Mean             stats.Interval `json:"mean_of_both"`
	Gate             stats.Interval `json:"gate"`
	GateVsStructured stats.Interval `json:"gate_below_structured"`
	GateVsSemantic   stats.Interval `json:"gate_below_semantic"`
	GateVsMean       stats.Interval `json:"gate_below_mean"`
	SemanticTrust    float64        `json:"semantic_trust"` // mean weight of the semantic path
}

// Bin is the steps whose predictions were alike.
type Bin struct {
	Steps     int     `json:"steps"`
	Predicted float64 `json:"predicted"`
	Realised  float64 `json:"realised"`
}

// bins of the calibration, each a tenth of gain wide.
const bins = 10

func predictorOf(rows []Row) (*PredictorDocument, error) {
	d := &PredictorDocument{}
	var by [bins]Bin
	for _, r := range rows {
		for _, s := range r.Steps {
			if s.Predicted.Basis == "" {
				continue // nothing was foreseen
			}
			d.Steps++
			d.MAE += math.Abs(s.Predicted.Gain - s.Gain)
			b := &by[min(bins-1, max(0, int(s.Predicted.Gain*bins)))]
			b.Steps++
			b.Predicted += s.Predicted.Gain
			b.Realised += s.Gain
		}
	}
	if d.Steps == 0 {
		return nil, nil
	}
	d.MAE /= float64(d.Steps)
	for _, b := range by {
		if b.Steps == 0 {
			continue
		}
		n := float64(b.Steps)
		b.Predicted, b.Realised = b.Predicted/n, b.Realised/n
		d.Miscalibration += math.Abs(b.Predicted-b.Realised) * n / float64(d.Steps)
		d.Calibration = append(d.Calibration, b)
	}
	var err error
	d.Paths, err = pathErrors(rows)
	return d, err
}

// pathErrors tallies by item, so that the intervals hold for other items.
func pathErrors(rows []Row) (*PathErrors, error) {
	const structured, semantic, both, gate = 0, 1, 2, 3
	at := map[string]int{}
	for _, r := range rows {
		if _, ok := at[r.key()]; !ok {
			at[r.key()] = len(at)
		}
	}
	tallies := make([]stats.Tallies, 4)
	for i := range tallies {
		tallies[i] = make(stats.Tallies, len(at))
	}
	e := &PathErrors{}
	for _, r := range rows {
		for _, s := range r.Steps {
			p := s.Predicted
			if p.Structured == nil || p.Semantic == nil || p.Gate == nil {
				continue
			}
			e.Steps++
			e.SemanticTrust += *p.Gate
			gated := (1-*p.Gate)**p.Structured + *p.Gate**p.Semantic // whatever the policy went by
			for i, y := range []float64{*p.Structured, *p.Semantic, (*p.Structured + *p.Semantic) / 2, gated} {
				tallies[i][at[r.key()]].Add(math.Abs(y-s.Gain), 0)
			}
		}
	}
	if e.Steps == 0 {
		return nil, nil
	}
	e.SemanticTrust /= float64(e.Steps)
	c, err := stats.NewCloud(bootstrapSeed, tallies...)
	if err != nil {
		return nil, err
	}
	of := func(i int) stats.Interval { return c.Interval(func(p []stats.Point) float64 { return p[i].Quality }) }
	below := func(i int) stats.Interval {
		return c.Interval(func(p []stats.Point) float64 { return p[i].Quality - p[gate].Quality })
	}
	e.Structured, e.Semantic, e.Mean, e.Gate = of(structured), of(semantic), of(both), of(gate)
	e.GateVsStructured, e.GateVsSemantic, e.GateVsMean = below(structured), below(semantic), below(both)
	return e, nil
}
