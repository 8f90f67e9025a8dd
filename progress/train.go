package progress

import (
	"math"

	"github.com/progrouter/progrouter/progress/boost"
)

// Config of the training.
type Config struct {
	Seed   uint64 `json:"seed"`
	Window int    `json:"window"` // the last samples that are learned from
	// Min is how many samples a domain needs before anything is learned of it.
	Min int `json:"min"`
	// Folds of the predictions the gate learns from.
	Folds int `json:"folds"`
	// Clip is the most a sample weighs relative to one that was certain to be
	// taken; weights are the inverse of the propensity up to it.
	Clip       float64      `json:"clip"`
	Bins       int          `json:"bins"`
	Structured boost.Config `json:"structured"`
	Semantic   boost.Config `json:"semantic"`
	Gate       boost.Config `json:"gate"`
}

// window is how many of the last samples are learned from.
const window = 5000

// DefaultConfig is what the invented streams of the tests were best with: small
// steps in slow, strongly shrunken trees, which leave which model suits which
// task to the means until there is much to learn from.
func DefaultConfig() Config {
	return Config{
		Seed: 1, Window: window, Min: FirstFit, Folds: 4, Clip: 3, Bins: 24,
		Structured: boost.Config{Trees: 50, Depth: 3, Rate: 0.05, L2: 40, MinLeaf: 20, Subsample: 0.3, Columns: 0.7, Intercept: 10},
		Semantic:   boost.Config{Trees: 50, Depth: 3, Rate: 0.05, L2: 40, MinLeaf: 20, Subsample: 0.3, Columns: 0.5, Intercept: 10},
		Gate:       boost.Config{Trees: 40, Depth: 3, Rate: 0.1, L2: 10, MinLeaf: 20, Subsample: 0.7, Intercept: -1},
	}
}

// When a prediction counts as learned: samples of its domain, and weighed steps
// of the candidate in its role.
const (
	learnedSamples = 200
	learnedSteps   = 20
)

// Train learns from samples in ascending order of ID, the last Window of them;
// those with a gain that is not finite are ignored. Both paths correct the
// prior. The same input always gives the same model.
func Train(samples []Sample, prior *Prior, e Embedder, c Config) *Model {
	if prior == nil {
		prior = NewPrior(nil, nil)
	}
	if c.Window > 0 && len(samples) > c.Window {
		samples = samples[len(samples)-c.Window:]
	}
	m := &Model{config: c, prior: prior, embed: e, samples: len(samples), domains: map[string]*learned{}}
	parts := map[string][]Sample{}
	for _, s := range samples {
		m.through = max(m.through, s.ID)
		if math.IsNaN(s.Gain) || math.IsInf(s.Gain, 0) {
			continue
		}
		d := domainOf(s.Features)
		parts[d] = append(parts[d], s)
	}
	for d, part := range parts {
		if e != nil && len(part) >= max(c.Min, 2) {
			if l := (&trainer{samples: part, prior: prior, embed: e, c: c}).train(); l != nil {
				m.domains[d] = l
			}
		}
	}
	return m
}

// trainer holds the samples of one domain while it is learned.
type trainer struct {
	samples []Sample
	prior   *Prior
	embed   Embedder
	c       Config

	gains, weights []float64
	question       [][]float32
	state          [][]float32
	fold           []int
	readings       []reading
	start          [2][]float64 // what each path starts from
	rows           [2]boost.Matrix
}

func (t *trainer) train() *learned {
	d := &learned{samples: len(t.samples)}
	t.weigh()
	d.centres = t.vectors()
	d.means = t.readInOrder(d.centres)
	t.fold = folds(t.samples, t.c.Folds)
	var outside [2][]float64
	for i, cfg := range []boost.Config{t.c.Structured, t.c.Semantic} {
		cfg = sized(cfg, len(t.samples))
		cfg.Seed = t.c.Seed + uint64(i)
		f, out, err := t.path(i, cfg)
		if err != nil {
			return nil
		}
		outside[i] = out
		if i == 0 {
			d.structured = f
		} else {
			d.semantic = f
		}
	}
	return t.learnGate(d, outside[0], outside[1])
}

// weigh gives samples that were unlikely to be taken the weight of those that
// were not, up to Clip, and 1 on average.
func (t *trainer) weigh() {
	sum := 0.0
	for _, s := range t.samples {
		w := 1.0
		if s.Propensity > 0 && s.Propensity <= 1 {
			w = min(max(1, t.c.Clip), 1/s.Propensity)
		}
		t.gains, t.weights = append(t.gains, s.Gain), append(t.weights, w)
		sum += w
	}
	for i := range t.weights {
		t.weights[i] *= float64(len(t.samples)) / sum
	}
}

// vectors embeds every distinct text once.
func (t *trainer) vectors() centres {
	seen := map[string][]float32{}
	of := func(text string) []float32 {
		v, ok := seen[text]
		if !ok {
			v = t.embed.Reduced(text)
			seen[text] = v
		}
		return v
	}
	var distinct [][]float32
	for _, s := range t.samples {
		before := len(seen)
		t.question = append(t.question, of(asked(s.Features.Question)))
		if len(seen) > before {
			distinct = append(distinct, t.question[len(t.question)-1])
		}
	}
	clear(seen)
	for _, s := range t.samples {
		t.state = append(t.state, of(situation(s.Features)))
	}
	return cluster(distinct)
}

// readInOrder makes the rows of both paths. The means of a row come from the
// samples before it alone: with its own gain among them, the trees would
// learn to read it off.
func (t *trainer) readInOrder(c centres) runnings {
	means := runnings{}
	t.rows = [2]boost.Matrix{
		{Cols: structuredCols, Data: make([]float32, 0, structuredCols*len(t.samples))},
		{Cols: semanticCols, Data: make([]float32, 0, semanticCols*len(t.samples))},
	}
	for i, s := range t.samples {
		f, at := s.Features, c.nearest(t.question[i])
		r := means.read(f, at)
		prior := t.prior.Predict(f).Gain
		str, sem := prior+r.structured(), prior+r.semantic()
		t.readings = append(t.readings, r)
		t.start[0], t.start[1] = append(t.start[0], str), append(t.start[1], sem)
		t.rows[0].Data = structuredRow(f, str, r, t.rows[0].Data)
		t.rows[1].Data = semanticRow(f, t.question[i], t.state[i], sem, r, t.rows[1].Data)
		means.add(f, at, s.Gain-prior, t.weights[i], r)
	}
	return means
}

// Shallow trees until there are that many samples; and the most rows a tree
// sees, which bounds the time of training.
const (
	shallowBelow = 150
	rowsPerTree  = 1000
)

// sized fits a forest's depth and the share of rows to how much there is to
// learn from.
func sized(c boost.Config, n int) boost.Config {
	if n < shallowBelow {
		c.Depth = min(c.Depth, 2)
	}
	if c.Subsample == 0 {
		c.Subsample = 1
	}
	c.Subsample = min(c.Subsample, rowsPerTree/float64(n))
	return c
}

// path learns one path and predicts every sample from the others' folds. The
// number of trees is the one that is best there, so that where the prior
// cannot be beaten, it stays.
func (t *trainer) path(i int, c boost.Config) (*boost.Forest, []float64, error) {
	table, err := boost.Bin(t.rows[i], t.c.Bins)
	if err != nil {
		return nil, nil, err
	}
	tg := boost.Targets{Y: t.gains, Base: t.start[i], Weight: t.weights}
	all, err := table.Fit(tg, c)
	if err != nil {
		return nil, nil, err
	}
	staged := make([][]float64, len(t.samples))
	for r := range staged {
		staged[r] = []float64{0} // no fold of others: the start alone
	}
	loss := make([]float64, c.Trees+1)
	for k := range t.c.Folds {
		tg.Rows = tg.Rows[:0]
		for r, f := range t.fold {
			if f != k {
				tg.Rows = append(tg.Rows, int32(r))
			}
		}
		if len(tg.Rows) == len(t.samples) || len(tg.Rows) == 0 {
			continue
		}
		part, err := table.Fit(tg, c)
		if err != nil {
			return nil, nil, err
		}
		for r, f := range t.fold {
			if f == k {
				staged[r] = part.Staged(t.rows[i].Row(r), make([]float64, 0, c.Trees+1))
			}
		}
	}
	for r, s := range staged {
		for n := range loss {
			left := t.gains[r] - t.start[i][r] - s[min(n, len(s)-1)]
			loss[n] += t.weights[r] * left * left
		}
	}
	best := 0
	for n := range loss {
		if loss[n] < loss[best] {
			best = n
		}
	}
	out := make([]float64, len(t.samples))
	for r, s := range staged {
		out[r] = bounded(t.start[i][r]+s[min(best, len(s)-1)], t.samples[r].Features.Progress)
	}
	return all.First(best), out, nil
}

// folds puts samples into n blocks of neighbouring questions, all samples of a
// question into the block of its first: the tries of one task are alike, and a
// gate that saw one of them in training would trust the words too much. With
// fewer questions than blocks, blocks are of neighbouring samples.
func folds(samples []Sample, n int) []int {
	out := make([]int, len(samples))
	size := map[string]int{}
	for _, s := range samples {
		size[s.Features.Question]++
	}
	if len(size) < n {
		for i := range out {
			out[i] = i * n / len(samples)
		}
		return out
	}
	place, before := map[string]int{}, 0
	for i, s := range samples {
		q := s.Features.Question
		at, ok := place[q]
		if !ok {
			at = min(n-1, before*n/len(samples))
			place[q] = at
			before += size[q]
		}
		out[i] = at
	}
	return out
}
