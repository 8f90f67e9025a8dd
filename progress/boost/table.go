package boost

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Matrix is a dense table, row by row. NaN and infinite cells are missing.
type Matrix struct {
	Cols int
	Data []float32 // Cols numbers per row
}

// Rows is how many rows there are.
func (m Matrix) Rows() int {
	if m.Cols <= 0 {
		return 0
	}
	return len(m.Data) / m.Cols
}

// Row is the i-th row, not a copy.
func (m Matrix) Row(i int) []float32 { return m.Data[i*m.Cols : (i+1)*m.Cols] }

// MaxBins is the most bins of a column; one more value marks a missing cell.
const MaxBins = 64

// missingBin is the bin of a missing cell.
const missingBin = MaxBins

// edgeRows is how many rows, evenly spread, the quantiles are read from.
const edgeRows = 1024

// Table is a matrix made ready for training: every cell is the number of its
// bin. It may be shared by several fits at once.
type Table struct {
	rows, cols, bins int
	cells            []uint8
	edges            [][]float32 // per column, ascending: bin b holds edges[b-1] < x ≤ edges[b]
}

// errShape is returned for a matrix that is no whole number of rows.
var errShape = errors.New("boost: the matrix is not a whole number of rows")

// Bin sorts every column into at most bins (2 to MaxBins) quantiles.
func Bin(m Matrix, bins int) (*Table, error) {
	if m.Cols < 0 || (m.Cols == 0 && len(m.Data) > 0) || (m.Cols > 0 && len(m.Data)%m.Cols != 0) {
		return nil, errShape
	}
	if bins < 2 || bins > MaxBins {
		return nil, fmt.Errorf("boost: %d bins, want 2 to %d", bins, MaxBins)
	}
	t := &Table{rows: m.Rows(), cols: m.Cols, bins: bins}
	t.cells = make([]uint8, t.rows*t.cols)
	t.edges = make([][]float32, t.cols)
	column := make([]float32, 0, edgeRows)
	for c := range t.cols {
		t.edges[c] = edgesOf(m, c, bins, column)
		for r := range t.rows {
			t.cells[r*t.cols+c] = binOf(t.edges[c], m.Data[r*m.Cols+c])
		}
	}
	return t, nil
}

// edgesOf reads the inner borders of a column's bins.
func edgesOf(m Matrix, c, bins int, buf []float32) []float32 {
	rows := m.Rows()
	step := max(1, (rows+edgeRows-1)/edgeRows)
	buf = buf[:0]
	for r := 0; r < rows; r += step {
		if x := m.Data[r*m.Cols+c]; !missing(x) {
			buf = append(buf, x)
		}
	}
	slices.Sort(buf)
	distinct := 0
	for i, x := range buf {
		if i == 0 || x != buf[i-1] {
			distinct++
		}
	}
	var edges []float32
	last := 0 // values up to the last border
	for i := 1; i < len(buf); i++ {
		if buf[i] == buf[i-1] {
			continue
		}
		if distinct > bins && (i-last)*bins < len(buf) {
			continue
		}
		if len(edges) == bins-1 {
			break
		}
		edges, last = append(edges, between(buf[i-1], buf[i])), i
	}
	return edges
}

// between is a border that keeps lo on the left and hi on the right.
func between(lo, hi float32) float32 {
	if mid := lo + (hi-lo)/2; mid < hi && !missing(mid) {
		return mid
	}
	return lo
}

func binOf(edges []float32, x float32) uint8 {
	if missing(x) {
		return missingBin
	}
	lo, hi := 0, len(edges)
	for lo < hi {
		mid := (lo + hi) / 2
		if x <= edges[mid] {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return uint8(lo)
}

func missing(x float32) bool { return !(x >= -math.MaxFloat32 && x <= math.MaxFloat32) }
