package boost

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// version of the encoding.
const version = 1

// errForest is returned for bytes that are no forest.
var errForest = errors.New("boost: not a forest")

// AppendBinary appends the forest: a version, the columns, the intercept, and
// per tree its nodes in order, little endian.
func (f *Forest) AppendBinary(b []byte) ([]byte, error) {
	le := binary.LittleEndian
	b = append(b, version)
	b = le.AppendUint16(b, uint16(f.cols))
	b = le.AppendUint64(b, math.Float64bits(f.intercept))
	b = le.AppendUint16(b, uint16(len(f.trees)))
	for _, t := range f.trees {
		b = le.AppendUint16(b, uint16(len(t.nodes)))
		for _, n := range t.nodes {
			b = le.AppendUint16(b, uint16(n.column))
			if n.column == leaf {
				b = le.AppendUint32(b, math.Float32bits(n.value))
				continue
			}
			b = le.AppendUint32(b, math.Float32bits(n.edge))
			b = le.AppendUint16(b, uint16(n.left))
			b = le.AppendUint16(b, uint16(n.right))
			if n.missingLeft {
				b = append(b, 1)
			} else {
				b = append(b, 0)
			}
		}
	}
	return b, nil
}

// MarshalBinary is AppendBinary to nothing.
func (f *Forest) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// UnmarshalBinary reads what MarshalBinary wrote and refuses everything else:
// a forest that was read never panics and always ends.
func (f *Forest) UnmarshalBinary(data []byte) error {
	r := reader{b: data}
	if v := r.byte(); v != version {
		return fmt.Errorf("boost: a forest of version %d, want %d", v, version)
	}
	got := Forest{cols: int(r.uint16()), intercept: math.Float64frombits(r.uint64())}
	trees := int(r.uint16())
	if trees > MaxTrees || got.cols > math.MaxInt16 || !finite(got.intercept) {
		return errForest
	}
	for range trees {
		t, err := r.tree(got.cols)
		if err != nil {
			return err
		}
		got.trees = append(got.trees, t)
	}
	if r.short || len(r.b) > 0 {
		return errForest
	}
	*f = got
	return nil
}

type reader struct {
	b     []byte
	short bool
}

func (r *reader) take(n int) []byte {
	if len(r.b) < n {
		r.short, r.b = true, nil
		return make([]byte, n)
	}
	x := r.b[:n]
	r.b = r.b[n:]
	return x
}

func (r *reader) byte() byte     { return r.take(1)[0] }
func (r *reader) uint16() uint16 { return binary.LittleEndian.Uint16(r.take(2)) }
func (r *reader) uint64() uint64 { return binary.LittleEndian.Uint64(r.take(8)) }
func (r *reader) float32() float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(r.take(4)))
}

func (r *reader) tree(cols int) (*tree, error) {
	n := int(r.uint16())
	if n == 0 || n >= 2<<MaxDepth {
		return nil, errForest
	}
	t := &tree{nodes: make([]node, 0, n)}
	for i := range n {
		x := node{column: int16(r.uint16())}
		if x.column == leaf {
			if x.value = r.float32(); missing(x.value) {
				return nil, errForest
			}
			t.nodes = append(t.nodes, x)
			continue
		}
		x.edge, x.left, x.right = r.float32(), int32(r.uint16()), int32(r.uint16())
		side := r.byte()
		x.missingLeft = side == 1
		behind := int(x.left) > i && int(x.right) > i && int(x.left) < n && int(x.right) < n && x.left != x.right
		if r.short || side > 1 || missing(x.edge) || x.column < 0 || int(x.column) >= cols || !behind {
			return nil, errForest
		}
		t.nodes = append(t.nodes, x)
	}
	if r.short {
		return nil, errForest
	}
	return t, nil
}
