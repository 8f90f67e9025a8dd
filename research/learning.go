package research

import (
	"encoding/json"
	"math"
	"time"
)

// GainSample is one finished step as the predictor learns from it.
type GainSample struct {
	Seq        int64 // place in its stream, from 1, without gaps
	RunID      string
	Step       int
	At         time.Time
	Features   json.RawMessage // see Decision.Features
	Question   string          // of the run; empty once that was deleted
	Gain       float64         // realised
	Predicted  Prediction      // as it was before the step
	Explored   bool
	Propensity float64
}

// Learnable makes a sample of a finished step. A step teaches nothing when it was
// cut off from outside, when it was decided before features were kept, or when
// another model answered than was chosen: its gain is not the chosen one's.
func Learnable(s Step) (GainSample, bool) {
	d := s.Decision
	ran := s.Outcome != InFlight && s.Outcome != OutcomeInterrupted && s.Outcome != OutcomeCancelled
	if !ran || s.FinishedAt == nil || d.Realised == nil || len(d.Features) == 0 || s.Model != d.Chosen {
		return GainSample{}, false
	}
	for _, c := range d.Candidates {
		if c.Model == d.Chosen {
			g := d.Realised.Gain
			return GainSample{
				Step: s.Index, At: *s.FinishedAt, Features: d.Features, Gain: g, Predicted: c.Predicted,
				Explored: d.Explored, Propensity: d.Propensity,
			}, !math.IsNaN(g) && !math.IsInf(g, 0)
		}
	}
	return GainSample{}, false
}

// TrainedPredictor is a predictor as it is kept: what it is made of is its
// owner's.
type TrainedPredictor struct {
	Key       string // of the policy stream
	Version   int64  // counts what was stored under the key; set by the store
	Through   int64  // Seq of the last sample it was trained on
	Samples   int    // how many it was trained on
	Format    int    // of Blob
	Blob      []byte
	TrainedAt time.Time
	CPU       time.Duration // that the training took
}

// QualitySums compare predicted with realised gains. Sums of any samples can be
// added to each other.
type QualitySums struct {
	N           int64   `json:"n"`            // finished steps
	Predicted   float64 `json:"predicted"`    // Σ ŷ
	Realised    float64 `json:"realised"`     // Σ gain
	AbsError    float64 `json:"abs_error"`    // Σ |ŷ − gain|
	SquareError float64 `json:"square_error"` // Σ (ŷ − gain)²
	// Of these, the steps for which it is known what would have been predicted
	// without the learned paths, and Σ |error| of that.
	PriorN     int64   `json:"prior_n"`
	PriorError float64 `json:"prior_error"`
	// Of these, the steps whose prediction had both paths and a gate, and Σ |error|
	// there of each path, of their mean and of what the gate makes of them.
	PathsN          int64   `json:"paths_n"`
	StructuredError float64 `json:"structured_error"`
	SemanticError   float64 `json:"semantic_error"`
	MeanError       float64 `json:"mean_error"`
	GateError       float64 `json:"gate_error"`
}

// QualityOf is the sums of one sample; none where something is no number.
func QualityOf(p Prediction, realised float64) QualitySums {
	off := func(v float64) float64 { return math.Abs(v - realised) }
	q := QualitySums{
		N: 1, Predicted: p.Gain, Realised: realised,
		AbsError: off(p.Gain), SquareError: off(p.Gain) * off(p.Gain),
	}
	if p.Prior != nil {
		q.PriorN, q.PriorError = 1, off(*p.Prior)
	}
	if p.Structured != nil && p.Semantic != nil && p.Gate != nil {
		str, sem, w := *p.Structured, *p.Semantic, *p.Gate
		q.PathsN, q.StructuredError, q.SemanticError = 1, off(str), off(sem)
		q.MeanError, q.GateError = off((str+sem)/2), off((1-w)*str+w*sem)
	}
	if s := q.SquareError + q.PriorError + q.StructuredError + q.SemanticError + q.GateError; math.IsNaN(s) || math.IsInf(s, 0) {
		return QualitySums{}
	}
	return q
}

// Plus adds two sums.
func (q QualitySums) Plus(o QualitySums) QualitySums {
	return QualitySums{
		N: q.N + o.N, Predicted: q.Predicted + o.Predicted, Realised: q.Realised + o.Realised,
		AbsError: q.AbsError + o.AbsError, SquareError: q.SquareError + o.SquareError,
		PriorN: q.PriorN + o.PriorN, PriorError: q.PriorError + o.PriorError,
		PathsN: q.PathsN + o.PathsN, StructuredError: q.StructuredError + o.StructuredError,
		SemanticError: q.SemanticError + o.SemanticError, MeanError: q.MeanError + o.MeanError,
		GateError: q.GateError + o.GateError,
	}
}

// Ways a prediction is made, as QualitySums tell them apart.
const (
	PathUsed       = "used" // what the router went by
	PathPrior      = "prior"
	PathStructured = "structured"
	PathSemantic   = "semantic"
	PathMean       = "mean"
	PathGate       = "gate"
)

// Paths lists them.
func Paths() []string {
	return []string{PathUsed, PathPrior, PathStructured, PathSemantic, PathMean, PathGate}
}

// MAE is the mean absolute error of a path and how many steps it rests on; false
// where there are none. The learned paths are compared on the same steps.
func (q QualitySums) MAE(path string) (mae float64, n int64, ok bool) {
	var sum float64
	switch n = q.PathsN; path {
	case PathUsed:
		sum, n = q.AbsError, q.N
	case PathPrior:
		sum, n = q.PriorError, q.PriorN
	case PathStructured:
		sum = q.StructuredError
	case PathSemantic:
		sum = q.SemanticError
	case PathMean:
		sum = q.MeanError
	case PathGate:
		sum = q.GateError
	default:
		n = 0
	}
	if n <= 0 {
		return 0, 0, false
	}
	return sum / float64(n), n, true
}

// Bias is by how much predictions exceed gains on average.
func (q QualitySums) Bias() float64 {
	if q.N <= 0 {
		return 0
	}
	return (q.Predicted - q.Realised) / float64(q.N)
}

// Calibration bins are ranges of the predicted gain, BinWidth wide; the first
// holds everything below 0, the last everything above.
const (
	BinWidth = 0.05
	FirstBin = -1
	LastBin  = 12
)

// BinOf is the bin of a predicted gain.
func BinOf(gain float64) int {
	return int(min(LastBin, max(FirstBin, math.Floor(gain/BinWidth))))
}

// QualityRow is the sums of one group; only the field it is grouped by is set.
type QualityRow struct {
	Day   string `json:"day,omitempty"` // YYYY-MM-DD, UTC
	Role  Role   `json:"role,omitempty"`
	Model string `json:"model,omitempty"`
	Bin   int    `json:"bin,omitempty"` // see BinOf
	QualitySums
}

// PredictionQuality is how well gains were predicted: the same steps grouped four
// ways. By bins it is the calibration.
type PredictionQuality struct {
	Total   QualitySums  `json:"total"`
	ByDay   []QualityRow `json:"by_day"`
	ByRole  []QualityRow `json:"by_role"`
	ByModel []QualityRow `json:"by_model"`
	ByBin   []QualityRow `json:"by_bin"`
}

// Learning is what the router has learned and how well it predicts.
type Learning struct {
	State   RouterState       `json:"state"`
	Epsilon float64           `json:"epsilon"` // chance of a random choice now
	Quality PredictionQuality `json:"quality"`
}
