package encoder

import "math"

// MaxTokens is the longest input in tokens, control tokens included; the
// model was trained up to this length. Longer texts are cut off.
const MaxTokens = 256

// maxScratches bounds how many idle work areas (about 4 MB each) are kept.
const maxScratches = 8

// scratch is the work area of one forward pass of up to MaxTokens rows.
type scratch struct {
	x, y   []float32 // [rows, hidden]
	qkv    []float32 // [rows, 3·hidden]
	mix    []float32 // [rows, hidden], what attention read
	up     []float32 // [rows, inner]
	scores []float32 // [tokens, tokens] of one head
	keys   []float32 // one head's keys, packed
	values []float32 // one head's values, packed
}

func newScratch() *scratch {
	// Attention writes whole tiles, so it may spill into a tile of rows more.
	rows := alignUp(MaxTokens, rowAlign) + rowAlign
	cols := alignUp(MaxTokens, colAlign)
	return &scratch{
		x: make([]float32, rows*hidden), y: make([]float32, rows*hidden),
		qkv: make([]float32, rows*3*hidden), mix: make([]float32, rows*hidden),
		up: make([]float32, rows*inner), scores: make([]float32, rows*cols),
		keys: make([]float32, cols*head), values: make([]float32, cols*head),
	}
}

func (m *model) borrow() *scratch {
	select {
	case s := <-m.scratches:
		return s
	default:
		return newScratch()
	}
}

func (m *model) giveBack(s *scratch) {
	select {
	case m.scratches <- s:
	default:
	}
}

// forward embeds token sequences of MaxTokens tokens together at most and
// returns their normalised vectors. The sequences share the dense layers'
// matrix products without padding to a common length; attention sees one at a
// time. A sequence's vector does not depend on its company.
func (m *model) forward(sequences [][]int32) [][]float32 {
	s := m.borrow()
	defer m.giveBack(s)
	rows := m.embed(s, sequences)
	for i := range m.layers {
		m.layers[i].run(m, s, sequences, rows)
	}
	out := make([][]float32, len(sequences))
	at := 0
	for i, seq := range sequences {
		out[i] = meanRow(s.x[at*hidden:][:len(seq)*hidden])
		at += len(seq)
	}
	return out
}

// embed fills s.x with the embedding layer's output and returns the number of
// rows, rounded up to whole tiles; the rows beyond are zero.
func (m *model) embed(s *scratch, sequences [][]int32) int {
	at := 0
	for _, seq := range sequences {
		for i, id := range seq {
			row := s.x[at*hidden:][:hidden]
			clear(row)
			m.word.addRow(m.kern, row, int(id))
			m.kern.addNorm(row, m.position[i*hidden:][:hidden], m.norm.gain, m.norm.bias)
			at++
		}
	}
	rows := alignUp(at, rowAlign)
	clear(s.x[at*hidden : rows*hidden])
	clear(s.mix)
	clear(s.qkv[rows*3*hidden:])
	return rows
}

func (l *layer) run(m *model, s *scratch, sequences [][]int32, rows int) {
	l.qkv.apply(m.kern, s.qkv, s.x, rows)
	at := 0
	for _, seq := range sequences {
		m.attend(s, at, len(seq))
		at += len(seq)
	}
	l.out.apply(m.kern, s.y, s.mix, rows)
	addNormRows(m.kern, s.x, s.y, rows, l.outNorm)
	l.up.apply(m.kern, s.up, s.x, rows)
	m.kern.gelu(s.up[:rows*inner])
	l.down.apply(m.kern, s.y, s.up, rows)
	addNormRows(m.kern, s.x, s.y, rows, l.downNorm)
}

func addNormRows(kern *kernels, x, y []float32, rows int, norm layerNorm) {
	for i := range rows {
		kern.addNorm(x[i*hidden:][:hidden], y[i*hidden:][:hidden], norm.gain, norm.bias)
	}
}

// attend lets the n tokens from row at on read each other, head by head. Whole
// tiles are computed, so up to rowAlign−1 rows after the sequence are
// overwritten in s.mix: the following sequences come later and write theirs.
func (m *model) attend(s *scratch, at, n int) {
	const stride = 3 * hidden
	kern, rows, cols := m.kern, alignUp(n, m.kern.mr), alignUp(n, colAlign)
	clear(s.keys[:cols*head])
	for h := range heads {
		base := at*stride + h*head
		queries := s.qkv[base:]
		for i := range n {
			packRow(s.keys, kern.nr, head, i, s.qkv[base+i*stride+hidden:][:head])
			packColumn(s.values, kern.nr, n, i, s.qkv[base+i*stride+2*hidden:][:head])
		}
		matmul(kern, s.scores, cols, queries, stride, s.keys, m.zeroBias, rows, cols, head)
		for i := range n {
			row := s.scores[i*cols:][:cols]
			for j := n; j < cols; j++ {
				row[j] = float32(math.Inf(-1))
			}
			kern.softmax(row)
		}
		matmul(kern, s.mix[at*hidden+h*head:], hidden, s.scores, cols, s.values, m.zeroBias, rows, head, n)
	}
}

// packColumn writes row p of the right factor, nr columns per panel, k deep.
func packColumn(panels []float32, nr, k, p int, row []float32) {
	for j := 0; j < len(row); j += nr {
		copy(panels[j*k+p*nr:][:nr], row[j:])
	}
}

// meanRow is the normalised mean of the rows of x.
func meanRow(x []float32) []float32 {
	mean := make([]float32, hidden)
	for ; len(x) > 0; x = x[hidden:] {
		for i, v := range x[:hidden] {
			mean[i] += v
		}
	}
	normalise(mean)
	return mean
}
