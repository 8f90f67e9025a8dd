package progress

import (
	"sync/atomic"

	"github.com/progrouter/progrouter/progress/boost"
	"github.com/progrouter/progrouter/research"
)

// Path names what a prediction goes by.
type Path string

// The paths.
const (
	PathBoth       Path = "both"       // the gate over both
	PathStructured Path = "structured" // numbers of the state
	PathSemantic   Path = "semantic"   // words of the state
	PathMean       Path = "mean"       // half of each
)

// Model is the dual-path predictor (eqs. 3–6): a path over the numbers of the
// state, one over its words, and a gate that says how much each is trusted.
// Where a domain has too few samples it is the prior. What it predicts never
// changes, and it is safe for concurrent use.
type Model struct {
	config  Config
	prior   *Prior
	embed   Embedder
	through int64
	samples int
	domains map[string]*learned
	asked   atomic.Pointer[vectorOf] // the last question: all candidates of a decision share it
}

// vectorOf is a text with its vector.
type vectorOf struct {
	text   string
	vector []float32
}

// question is the vector of a question.
func (m *Model) question(text string) []float32 {
	if v := m.asked.Load(); v != nil && v.text == text {
		return v.vector
	}
	v := &vectorOf{text, m.embed.Reduced(asked(text))}
	m.asked.Store(v)
	return v.vector
}

var _ Predictor = (*Model)(nil)

// learned is what was learned of one domain.
type learned struct {
	samples    int
	means      runnings
	centres    centres
	structured *boost.Forest
	semantic   *boost.Forest
	gate       *boost.Forest
	trust      float64 // of the semantic path before the gate's trees
}

// Through is the ID of the last sample it saw, 0 without any.
func (m *Model) Through() int64 { return m.through }

// Samples is how many samples it was trained on, those of the window.
func (m *Model) Samples() int { return m.samples }

// Predict is the gated prediction, with both paths and the trust in the
// semantic one; without enough data in the domain it is the prior's.
func (m *Model) Predict(f Features) research.Prediction { return m.predict(f, PathBoth) }

// Only is the model restricted to a path, for ablations.
func (m *Model) Only(path Path) Predictor { return only{m, path} }

type only struct {
	m    *Model
	path Path
}

func (o only) Predict(f Features) research.Prediction { return o.m.predict(f, o.path) }

func (m *Model) predict(f Features, path Path) research.Prediction {
	p := m.prior.Predict(f)
	d := m.domains[domainOf(f)]
	if d == nil {
		return p
	}
	question, state := m.question(f.Question), m.embed.Reduced(situation(f))
	r := d.means.read(f, d.centres.nearest(question))
	str, sem := d.paths(f, p.Gain, question, state, r)
	w := d.weight(f, str, sem, r)
	p.Structured, p.Semantic, p.Gate = &str, &sem, &w
	switch path {
	case PathStructured:
		p.Gain = str
	case PathSemantic:
		p.Gain = sem
	case PathMean:
		p.Gain = (str + sem) / 2
	default:
		p.Gain = (1-w)*str + w*sem
	}
	p.Basis = BasisMixed
	if d.samples >= learnedSamples && d.means.steps(f.Role, f.Model) >= learnedSteps {
		p.Basis = BasisLearned
	}
	return p
}

// paths predicts by either path.
func (d *learned) paths(f Features, prior float64, question, state []float32, r reading) (str, sem float64) {
	var a [structuredCols]float32
	var b [semanticCols]float32
	from := prior + r.structured()
	str = from + d.structured.Predict(structuredRow(f, from, r, a[:0]))
	from = prior + r.semantic()
	sem = from + d.semantic.Predict(semanticRow(f, question, state, from, r, b[:0]))
	return bounded(str, f.Progress), bounded(sem, f.Progress)
}

// weight is the trust in the semantic path, 0 to 1.
func (d *learned) weight(f Features, str, sem float64, r reading) float64 {
	var row [gateCols]float32
	return sharpened(unit(d.trust + d.gate.Predict(gateRow(f, str, sem, r, row[:0]))))
}

func domainOf(f Features) string {
	if f.Domain == "" {
		return DomainResearch
	}
	return f.Domain
}
