package encoder

import (
	"fmt"
	"strconv"
)

// Shape of all-MiniLM-L6-v2.
const (
	layers = 6
	hidden = 384
	heads  = 12
	head   = hidden / heads
	inner  = 4 * hidden
)

// model is the decoded transformer: about 42 MB of float32 for the layers.
// The word table stays int8 in the binary. Read-only after newModel.
type model struct {
	kern      *kernels
	vocab     *vocabulary
	word      section
	position  []float32 // [MaxTokens, hidden], token type included
	norm      layerNorm
	layers    [layers]layer
	zeroBias  []float32
	scratches chan *scratch
}

type layerNorm struct{ gain, bias []float32 }

type layer struct {
	qkv, out, up, down linear
	outNorm, downNorm  layerNorm
}

// newModel decodes the embedded weights for the given kernels (about 50 ms).
func newModel(kern *kernels) (*model, error) {
	sections, err := assetSections()
	if err != nil {
		return nil, err
	}
	vocab, err := sharedVocabulary()
	if err != nil {
		return nil, err
	}
	l := loader{sections: sections, kern: kern}
	m := &model{
		kern: kern, vocab: vocab, zeroBias: make([]float32, MaxTokens+colAlign),
		word:      l.find("word", kindInt8, vocab.size, hidden),
		position:  l.floats("position", MaxTokens, hidden),
		norm:      l.norm("norm"),
		scratches: make(chan *scratch, maxScratches),
	}
	for i := range m.layers {
		at := strconv.Itoa(i) + "."
		m.layers[i] = layer{
			qkv:     l.linear(at+"qkv", hidden, 3*hidden),
			out:     l.linear(at+"out", hidden, hidden),
			up:      l.linear(at+"up", hidden, inner),
			down:    l.linear(at+"down", inner, hidden),
			outNorm: l.norm(at + "out.norm"), downNorm: l.norm(at + "down.norm"),
		}
	}
	return m, l.err
}

// loader reads checked sections and keeps the first error.
type loader struct {
	sections map[string]section
	kern     *kernels
	err      error
}

func (l *loader) find(name string, kind, rows, cols int) section {
	s := l.sections[name]
	if (s.kind != kind || s.rows != rows || s.cols != cols) && l.err == nil {
		l.err = fmt.Errorf("encoder: embedded weights lack %s [%d, %d]: rebuild them with scripts/encoder/build.py", name, rows, cols)
	}
	return s
}

func (l *loader) floats(name string, rows, cols int) []float32 {
	s := l.find(name, kindFloat, rows, cols)
	if l.err != nil {
		return nil
	}
	return s.floats()
}

func (l *loader) norm(name string) layerNorm {
	x := l.floats(name, 2, hidden)
	if l.err != nil {
		return layerNorm{}
	}
	return layerNorm{gain: x[:hidden:hidden], bias: x[hidden:]}
}

func (l *loader) linear(name string, in, out int) linear {
	w := l.find(name+".w", kindInt8, out, in)
	bias := l.floats(name+".b", 1, out)
	if l.err != nil {
		return linear{}
	}
	lin := linear{in: in, out: out, bias: bias, panels: make([]float32, in*out)}
	row := make([]float32, in)
	for r := range out {
		clear(row)
		w.addRow(l.kern, row, r)
		packRow(lin.panels, l.kern.nr, in, r, row)
	}
	return lin
}
