package progress

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/progrouter/progrouter/progress/boost"
	"github.com/progrouter/progrouter/research"
)

// modelVersion changes whenever an older encoding would be read wrongly; a
// model of another version is trained anew from its buffer.
const modelVersion = 1

// modelFile is a Model as it is stored. Numbers are written so that they are
// read back exactly.
type modelFile struct {
	Version int                    `json:"version"`
	Config  Config                 `json:"config"`
	Through int64                  `json:"through"`
	Samples int                    `json:"samples"`
	Prior   priorFile              `json:"prior"`
	Domains map[string]learnedFile `json:"domains"`
}

type priorFile struct {
	Models []priorRow `json:"models"`
	Roles  []priorRow `json:"roles"`
}

type priorRow struct {
	Model string        `json:"model,omitempty"`
	Role  research.Role `json:"role"`
	N     float64       `json:"n"`
	Gain  float64       `json:"gain"`
}

type learnedFile struct {
	Samples    int          `json:"samples"`
	Means      []runningRow `json:"means"`
	Centres    centres      `json:"centres"`
	Trust      float64      `json:"trust"`
	Structured []byte       `json:"structured"`
	Semantic   []byte       `json:"semantic"`
	Gate       []byte       `json:"gate"`
}

// Encode writes the model with the prior's statistics, all but the embedder.
func (m *Model) Encode() ([]byte, error) {
	f := modelFile{
		Version: modelVersion, Config: m.config, Through: m.through, Samples: m.samples,
		Prior: m.prior.file(), Domains: make(map[string]learnedFile, len(m.domains)),
	}
	for name, d := range m.domains {
		l := learnedFile{Samples: d.samples, Means: d.means.rows(), Centres: d.centres, Trust: d.trust}
		for _, x := range []struct {
			f  *boost.Forest
			to *[]byte
		}{{d.structured, &l.Structured}, {d.semantic, &l.Semantic}, {d.gate, &l.Gate}} {
			b, err := x.f.MarshalBinary()
			if err != nil {
				return nil, err
			}
			*x.to = b
		}
		f.Domains[name] = l
	}
	return json.Marshal(f)
}

// Decode reads what Encode wrote; with the same embedder the model predicts
// exactly the same. Anything else is an error.
func Decode(data []byte, e Embedder) (*Model, error) {
	var f modelFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("progress: not a model: %w", err)
	}
	if f.Version != modelVersion {
		return nil, fmt.Errorf("progress: a model of version %d, want %d", f.Version, modelVersion)
	}
	if e == nil || f.Samples < 0 {
		return nil, fmt.Errorf("progress: a model of %d samples, embedder %T", f.Samples, e)
	}
	prior, err := f.Prior.prior()
	if err != nil {
		return nil, err
	}
	m := &Model{config: f.Config, prior: prior, embed: e, through: f.Through, samples: f.Samples, domains: map[string]*learned{}}
	for name, l := range f.Domains {
		d, err := l.learned()
		if err != nil {
			return nil, fmt.Errorf("progress: model of %q: %w", name, err)
		}
		m.domains[name] = d
	}
	return m, nil
}

func (l learnedFile) learned() (*learned, error) {
	d := &learned{samples: l.Samples, means: runnings{}, centres: l.Centres, trust: l.Trust}
	if l.Samples < 0 || !(l.Trust >= 0 && l.Trust <= 1) || len(l.Centres) > mostClusters {
		return nil, fmt.Errorf("%d samples, trust %v, %d centres", l.Samples, l.Trust, len(l.Centres))
	}
	for _, r := range l.Means {
		if !(r.W >= 0) || math.Abs(r.Sum) > 1e12 || r.W > 1e12 {
			return nil, fmt.Errorf("mean of weight %v and sum %v", r.W, r.Sum)
		}
		d.means[r.runningKey] = r.running
	}
	var err error
	if d.structured, err = forest(l.Structured, structuredCols); err != nil {
		return nil, err
	}
	if d.semantic, err = forest(l.Semantic, semanticCols); err != nil {
		return nil, err
	}
	d.gate, err = forest(l.Gate, gateCols)
	return d, err
}

func forest(data []byte, cols int) (*boost.Forest, error) {
	f := &boost.Forest{}
	if err := f.UnmarshalBinary(data); err != nil {
		return nil, err
	}
	if f.Cols() != cols && f.Trees() > 0 {
		return nil, fmt.Errorf("trees over %d columns, want %d", f.Cols(), cols)
	}
	return f, nil
}

// file lists the statistics in a fixed order.
func (p *Prior) file() priorFile {
	var f priorFile
	for k, s := range p.models {
		f.Models = append(f.Models, priorRow{k.model, k.role, s.n, s.gain})
	}
	for r, s := range p.roles {
		f.Roles = append(f.Roles, priorRow{"", r, s.n, s.gain})
	}
	for _, rows := range [][]priorRow{f.Models, f.Roles} {
		slices.SortFunc(rows, func(a, b priorRow) int {
			return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Role, b.Role))
		})
	}
	return f
}

func (f priorFile) prior() (*Prior, error) {
	p := NewPrior(nil, nil)
	for _, r := range slices.Concat(f.Models, f.Roles) {
		if !(r.N >= 0) || r.N > 1e15 || math.Abs(r.Gain) > 1e15 {
			return nil, fmt.Errorf("progress: %v steps of %q gained %v", r.N, r.Model, r.Gain)
		}
	}
	for _, r := range f.Models {
		p.models[statKey{r.Model, r.Role}] = sums{r.N, r.Gain}
	}
	for _, r := range f.Roles {
		p.roles[r.Role] = sums{r.N, r.Gain}
	}
	return p, nil
}

// Domains lists what was learned of, sorted.
func (m *Model) Domains() []string { return slices.Sorted(maps.Keys(m.domains)) }
