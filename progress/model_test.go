package progress

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/progrouter/progrouter/encoder"
	"github.com/progrouter/progrouter/research"
)

// topics are words of two kinds of task that only their text tells apart.
var topics = [][]string{
	{"triangle", "angle", "circle", "radius", "area", "geometry", "polygon", "degrees"},
	{"integer", "prime", "divisor", "modulo", "remainder", "digits", "factor", "multiple"},
	{"string", "reverse", "vowels", "characters", "substring", "letters", "palindrome", "words"},
	{"list", "sort", "elements", "maximum", "minimum", "array", "index", "duplicates"},
}

var theModels = []struct {
	name string
	tier research.Tier
}{{"a", research.Small}, {"b", research.Medium}, {"c", research.Large}}

// stream is attempts of a hidden truth: which model solves what depends on the
// topic, which only the words tell, on the kind and on how often it failed.
type stream struct {
	r      *rand.Rand
	strong [][]float64 // topic × model
	pick   func(r *rand.Rand, f []Features) (int, bool, float64)
	id     int64
}

func newStream(seed uint64) *stream {
	s := &stream{r: rand.New(rand.NewPCG(seed, 1))}
	for range topics {
		base := 0.05 + 0.5*s.r.Float64()
		row := []float64{base * s.r.Float64(), base, base + 0.4*s.r.Float64()}
		s.strong = append(s.strong, row)
	}
	s.pick = func(r *rand.Rand, f []Features) (int, bool, float64) {
		return r.IntN(len(f)), true, 1 / float64(len(f))
	}
	return s
}

// run plays one task of up to four attempts.
func (s *stream) run() []Sample {
	topic := s.r.IntN(len(topics))
	text := "Please solve:"
	for range 12 {
		text += " " + topics[topic][s.r.IntN(len(topics[topic]))]
	}
	task := Task{Kind: []string{"mathematics", "code"}[topic/2], Text: text}
	hard := 0.4 + 0.6*s.r.Float64() // of the task, known to nobody
	if s.r.IntN(3) == 0 {
		hard = 0.1
	}
	var out []Sample
	var history []Attempt
	var steps []research.Step
	for range 4 {
		v := ScoreAttempts(history, steps)
		var fs []Features
		for _, m := range theModels {
			fs = append(fs, AttemptFeatures(task, history, steps, v, m.name, m.tier))
		}
		at, explored, p := s.pick(s.r, fs)
		a := Attempt{Verdict: Wrong}
		switch x := s.r.Float64(); {
		case x < s.strong[topic][at]*hard*1.3:
			a = Attempt{Verdict: Passed, Share: 1}
		case x > 0.95:
			a = Attempt{Verdict: Missing}
		case topic >= 2 && x > 0.7:
			a = Attempt{Verdict: Partly, Share: 0.5}
		case topic >= 2 && x > 0.6:
			a = Attempt{Verdict: Syntax}
		}
		steps = append(steps, research.Step{
			Index: len(steps), Role: Solver, Model: theModels[at].name, Tier: theModels[at].tier,
			Outcome: research.OutcomeOK, ProgressBefore: v.G,
		})
		history = append(history, a)
		g := ScoreAttempts(history, steps).G
		steps[len(steps)-1].ProgressAfter = g
		s.id++
		out = append(out, Sample{ID: s.id, Features: fs[at], Gain: g - v.G, Explored: explored, Propensity: p})
		if a.Verdict == Passed {
			break
		}
	}
	return out
}

func (s *stream) samples(n int) []Sample {
	var out []Sample
	for len(out) < n {
		out = append(out, s.run()...)
	}
	return out[:n]
}

// maes are sums of absolute errors by path, and of two of the squared.
type maes struct {
	prior, structured, semantic, mean, gate float64
	meanSquare, gateSquare                  float64
	n                                       int
}

// prequential predicts every step before it is learned from, and refits on
// schedule.
func prequential(samples []Sample, c Config) maes {
	var m maes
	e, prior := encoder.NewStatic(), NewPrior(nil, nil)
	model, trained := Train(nil, prior, e, c), 0
	for i, s := range samples {
		if DueAt(i, trained) {
			model, trained = Train(samples[:i], prior, e, c), i
		}
		p := model.Predict(s.Features)
		if p.Structured == nil {
			continue
		}
		mean := (*p.Structured + *p.Semantic) / 2
		m.add(maes{
			prior:      math.Abs(prior.Predict(s.Features).Gain - s.Gain),
			structured: math.Abs(*p.Structured - s.Gain), semantic: math.Abs(*p.Semantic - s.Gain),
			mean: math.Abs(mean - s.Gain), gate: math.Abs(p.Gain - s.Gain), n: 1,
			meanSquare: (mean - s.Gain) * (mean - s.Gain), gateSquare: (p.Gain - s.Gain) * (p.Gain - s.Gain),
		})
	}
	return m
}

func (m *maes) add(o maes) {
	m.prior += o.prior
	m.structured += o.structured
	m.semantic += o.semantic
	m.mean += o.mean
	m.gate += o.gate
	m.meanSquare += o.meanSquare
	m.gateSquare += o.gateSquare
	m.n += o.n
}

func (m maes) String() string {
	n := float64(m.n)
	return fmt.Sprintf("MAE prior %.4f structured %.4f semantic %.4f mean %.4f gate %.4f; MSE mean %.4f gate %.4f",
		m.prior/n, m.structured/n, m.semantic/n, m.mean/n, m.gate/n, m.meanSquare/n, m.gateSquare/n)
}
