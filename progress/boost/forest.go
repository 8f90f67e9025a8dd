package boost

// leaf is the column of a node without children.
const leaf = -1

// node of a tree; children stand behind their parent.
type node struct {
	column      int16
	bin         uint8 // of the edge, only while training
	missingLeft bool
	edge        float32 // x ≤ edge goes left
	left, right int32
	value       float32 // of a leaf, the learning rate included
}

type tree struct{ nodes []node }

// Forest is a learned correction. It never changes and is safe for concurrent
// use.
type Forest struct {
	cols      int
	intercept float64
	trees     []*tree
}

// Cols is how many numbers a row must have.
func (f *Forest) Cols() int { return f.cols }

// Trees is how many there are.
func (f *Forest) Trees() int { return len(f.trees) }

// Predict is what to add to the base of a row; a row of another length counts
// as all missing.
func (f *Forest) Predict(row []float32) float64 {
	sum := f.intercept
	for _, t := range f.trees {
		sum += float64(t.value(row, f.cols))
	}
	return sum
}

// Staged appends the prediction after 0, 1, 2 … trees to out.
func (f *Forest) Staged(row []float32, out []float64) []float64 {
	sum := f.intercept
	out = append(out, sum)
	for _, t := range f.trees {
		sum += float64(t.value(row, f.cols))
		out = append(out, sum)
	}
	return out
}

// First is the forest of the first n trees.
func (f *Forest) First(n int) *Forest {
	return &Forest{f.cols, f.intercept, f.trees[:max(0, min(n, len(f.trees)))]}
}

func (t *tree) value(row []float32, cols int) float32 {
	if len(row) != cols {
		row = nil
	}
	at := int32(0)
	for {
		n := &t.nodes[at]
		if n.column == leaf {
			return n.value
		}
		left := n.missingLeft
		if int(n.column) < len(row) {
			if x := row[n.column]; !missing(x) {
				left = x <= n.edge
			}
		}
		at = n.right
		if left {
			at = n.left
		}
	}
}

// valueOf is value for a row of the table that was learned from.
func (t *tree) valueOf(tb *Table, row int32) float32 {
	cells := tb.cells[int(row)*tb.cols:]
	at := int32(0)
	for {
		n := &t.nodes[at]
		if n.column == leaf {
			return n.value
		}
		left := n.missingLeft
		if b := cells[n.column]; b != missingBin {
			left = b <= n.bin
		}
		at = n.right
		if left {
			at = n.left
		}
	}
}
