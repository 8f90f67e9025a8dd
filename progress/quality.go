package progress

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/progrouter/progrouter/research"
)

// QualityBins is how many bins of predicted gain calibration has. They are
// a tenth wide, over [-0.2, 1]; what lies beyond counts in the outermost.
const QualityBins = 12

const (
	binsPerUnit = 10
	binsBelow   = 2 // below 0
)

func binOf(gain float64) int {
	return min(QualityBins-1, max(0, int(math.Floor(min(2, max(-2, gain))*binsPerUnit+1e-9))+binsBelow))
}

// edgeOf is where a bin begins.
func edgeOf(bin int) float64 { return float64(bin-binsBelow) / binsPerUnit }

// QualitySums are what the quality of predictions is computed from. They add up,
// so that a row per model, role or day can be kept for ever and put together
// later. The zero value is of no step.
type QualitySums struct {
	N     int64   `json:"n"`     // finished steps
	Error float64 `json:"error"` // sum of predicted − realised
	Abs   float64 `json:"abs"`   // sum of |predicted − realised|
	// Learned counts the steps that both paths predicted; the errors after it are
	// sums of |predicted − realised| over those alone, so that they compare.
	Learned    int64   `json:"learned"`
	Structured float64 `json:"structured"`
	Semantic   float64 `json:"semantic"`
	Mean       float64 `json:"mean"` // of half of each
	Gate       float64 `json:"gate"`
	Trust      float64 `json:"trust"` // sum of the gate's weight of the semantic path
	// Prior counts the steps that the prior alone predicted.
	Prior    int64   `json:"prior"`
	PriorAbs float64 `json:"prior_abs"`
	// Bins are the steps by predicted gain.
	Bins [QualityBins]BinSums `json:"bins"`
}

// BinSums are the steps whose predicted gain fell into one bin.
type BinSums struct {
	N         int64   `json:"n"`
	Predicted float64 `json:"predicted"` // sum
	Realised  float64 `json:"realised"`  // sum
}

// Add takes in a finished step; one whose figures are not finite is ignored.
func (s *QualitySums) Add(x Sample) {
	p := x.Predicted
	off := p.Gain - x.Gain
	if math.IsNaN(off) || math.IsInf(off, 0) {
		return
	}
	s.N++
	s.Error += off
	s.Abs += math.Abs(off)
	b := &s.Bins[binOf(p.Gain)]
	b.N++
	b.Predicted += p.Gain
	b.Realised += x.Gain
	if p.Basis == BasisPrior {
		s.Prior++
		s.PriorAbs += math.Abs(off)
	}
	if p.Structured == nil || p.Semantic == nil || !(math.Abs(*p.Structured+*p.Semantic) < math.MaxFloat64) {
		return
	}
	s.Learned++
	s.Structured += math.Abs(*p.Structured - x.Gain)
	s.Semantic += math.Abs(*p.Semantic - x.Gain)
	s.Mean += math.Abs((*p.Structured+*p.Semantic)/2 - x.Gain)
	// The gate's own prediction, also where the step was decided by one path.
	w := 0.5
	if p.Gate != nil {
		w = unit(*p.Gate)
	}
	s.Trust += w
	s.Gate += math.Abs((1-w)**p.Structured + w**p.Semantic - x.Gain)
}

// Merge takes in the steps of another sum.
func (s *QualitySums) Merge(o QualitySums) {
	s.N += o.N
	s.Error += o.Error
	s.Abs += o.Abs
	s.Learned += o.Learned
	s.Structured += o.Structured
	s.Semantic += o.Semantic
	s.Mean += o.Mean
	s.Gate += o.Gate
	s.Trust += o.Trust
	s.Prior += o.Prior
	s.PriorAbs += o.PriorAbs
	for i := range s.Bins {
		s.Bins[i].N += o.Bins[i].N
		s.Bins[i].Predicted += o.Bins[i].Predicted
		s.Bins[i].Realised += o.Bins[i].Realised
	}
}

// QualityScore is how good predictions were. Errors are nil where no step tells them.
type QualityScore struct {
	N    int64    `json:"n"`
	MAE  *float64 `json:"mae"`  // of what was predicted, whatever it went by
	Bias *float64 `json:"bias"` // mean of predicted − realised: above 0 promises too much
	// Learned counts where both paths predicted; their errors are of the same steps.
	Learned    int64    `json:"learned"`
	Structured *float64 `json:"structured"`
	Semantic   *float64 `json:"semantic"`
	Mean       *float64 `json:"mean"`
	Gate       *float64 `json:"gate"`
	Trust      *float64 `json:"trust"` // mean weight of the semantic path
	Prior      int64    `json:"prior"`
	PriorMAE   *float64 `json:"prior_mae"` // where the prior alone predicted
	// Calibration lists the bins that have steps, in ascending order.
	Calibration []QualityBin `json:"calibration"`
}

// QualityBin sets the mean of what was predicted against that of what came.
type QualityBin struct {
	From      float64 `json:"from"`
	To        float64 `json:"to"`
	N         int64   `json:"n"`
	Predicted float64 `json:"predicted"`
	Realised  float64 `json:"realised"`
}

// Score turns the sums into means.
func (s QualitySums) Score() QualityScore {
	q := QualityScore{
		N: s.N, MAE: mean(s.Abs, s.N), Bias: mean(s.Error, s.N),
		Learned: s.Learned, Structured: mean(s.Structured, s.Learned), Semantic: mean(s.Semantic, s.Learned),
		Mean: mean(s.Mean, s.Learned), Gate: mean(s.Gate, s.Learned), Trust: mean(s.Trust, s.Learned),
		Prior: s.Prior, PriorMAE: mean(s.PriorAbs, s.Prior),
		Calibration: []QualityBin{},
	}
	for i, b := range s.Bins {
		if b.N > 0 {
			q.Calibration = append(q.Calibration, QualityBin{
				From: edgeOf(i), To: edgeOf(i + 1), N: b.N,
				Predicted: b.Predicted / float64(b.N), Realised: b.Realised / float64(b.N),
			})
		}
	}
	return q
}

func mean(sum float64, n int64) *float64 {
	if n == 0 {
		return nil
	}
	m := sum / float64(n)
	return &m
}

// Quality is how good predictions were, in all and by what was predicted.
type Quality struct {
	QualityScore
	Roles  []QualityPart `json:"roles"`  // by name
	Models []QualityPart `json:"models"` // by name
}

// QualityPart is the quality of the steps in one role or by one model.
type QualityPart struct {
	Name string `json:"name"`
	QualityScore
}

// QualityKey is the finest part that sums are kept for.
type QualityKey struct {
	Domain string        `json:"domain"`
	Model  string        `json:"model"`
	Role   research.Role `json:"role"`
}

// QualityTable holds the sums of every part.
type QualityTable map[QualityKey]QualitySums

// Add takes in a finished step.
func (t QualityTable) Add(x Sample) {
	k := QualityKey{domainOf(x.Features), x.Features.Model, x.Features.Role}
	s := t[k]
	s.Add(x)
	t[k] = s
}

// Quality puts the parts together.
func (t QualityTable) Quality() Quality {
	var all QualitySums
	roles, models := map[string]QualitySums{}, map[string]QualitySums{}
	keys := slices.SortedFunc(maps.Keys(t), func(a, b QualityKey) int {
		return cmp.Or(cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Role, b.Role))
	})
	into := func(m map[string]QualitySums, name string, s QualitySums) {
		sum := m[name]
		sum.Merge(s)
		m[name] = sum
	}
	for _, k := range keys { // in order, so that sums come out the same
		all.Merge(t[k])
		into(roles, string(k.Role), t[k])
		into(models, k.Model, t[k])
	}
	return Quality{all.Score(), qualityParts(roles), qualityParts(models)}
}

func qualityParts(m map[string]QualitySums) []QualityPart {
	out := []QualityPart{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if m[name].N > 0 {
			out = append(out, QualityPart{name, m[name].Score()})
		}
	}
	return out
}

// QualityOf is the quality of the predictions that samples carry, as they were
// made before each step.
func QualityOf(samples []Sample) Quality {
	t := QualityTable{}
	for _, s := range samples {
		t.Add(s)
	}
	return t.Quality()
}
