package boost

import (
	"math"
	"math/rand/v2"
	"slices"
)

// cell of a histogram: the weight of the rows in a bin, and their weighed
// residuals.
type cell struct{ w, g float64 }

// stride is the cells of one column: the bins and the missing ones.
const stride = MaxBins + 1

// grower holds what one fit needs. residual is y − base − what the trees say.
type grower struct {
	t        *Table
	c        Config
	weight   []float64
	residual []float64
	wr       []float64 // weight × residual, of the tree being grown
	columns  []int     // those the tree may use
	hists    [][]cell  // two per depth
	spare    []int32
}

func newGrower(t *Table, tg Targets, c Config) *grower {
	if c.Subsample == 0 {
		c.Subsample = 1
	}
	if c.Columns == 0 {
		c.Columns = 1
	}
	g := &grower{
		t: t, c: c, weight: tg.Weight, residual: slices.Clone(tg.Y),
		wr: make([]float64, t.rows), hists: make([][]cell, 2*(c.Depth+1)), spare: make([]int32, t.rows),
	}
	if g.weight == nil {
		g.weight = make([]float64, t.rows)
		for i := range g.weight {
			g.weight[i] = 1
		}
	}
	for i, b := range tg.Base {
		g.residual[i] -= b
	}
	return g
}

// tree grows one tree; where nothing is worth a split it is a single leaf.
func (g *grower) tree(rows []int32, number uint64) *tree {
	r := rand.New(rand.NewPCG(g.c.Seed, number)) //nolint:gosec // not for secrets
	sample := g.draw(rows, r)
	g.columns = draw(g.t.cols, g.c.Columns, r)
	for _, row := range sample {
		g.wr[row] = g.weight[row] * g.residual[row]
	}
	tr := &tree{}
	h := g.hist(0)
	g.fill(h, sample)
	g.grow(tr, sample, h, 0)
	return tr
}

// draw takes a share of the rows, in order, so that sums come out the same.
func (g *grower) draw(rows []int32, r *rand.Rand) []int32 {
	if g.c.Subsample == 1 {
		return slices.Clone(rows)
	}
	want := max(1, int(float64(len(rows))*g.c.Subsample+0.5))
	out := make([]int32, 0, want)
	for i, row := range rows {
		if r.IntN(len(rows)-i) < want-len(out) {
			out = append(out, row)
		}
	}
	return out
}

func draw(n int, share float64, r *rand.Rand) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	if share == 1 || n == 0 {
		return all
	}
	r.Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:max(1, int(float64(n)*share+0.5))]
	slices.Sort(all)
	return all
}

func (g *grower) hist(i int) []cell {
	if g.hists[i] == nil {
		g.hists[i] = make([]cell, g.t.cols*stride)
	}
	return g.hists[i]
}

// fill sums the rows' residuals by column and bin.
func (g *grower) fill(h []cell, rows []int32) {
	clear(h)
	cols := g.t.cols
	all := len(g.columns) == cols
	for _, r := range rows {
		w, wr := g.weight[r], g.wr[r]
		bins := g.t.cells[int(r)*cols : (int(r)+1)*cols]
		if all {
			at := 0
			for _, b := range bins {
				c := &h[at+int(b)]
				c.w += w
				c.g += wr
				at += stride
			}
			continue
		}
		for _, col := range g.columns {
			c := &h[col*stride+int(bins[col])]
			c.w += w
			c.g += wr
		}
	}
}

// grow adds the node of rows and what is below it, and returns its place.
func (g *grower) grow(tr *tree, rows []int32, h []cell, depth int) int32 {
	var total cell
	for _, r := range rows {
		total.w += g.weight[r]
		total.g += g.wr[r]
	}
	at := int32(len(tr.nodes))
	tr.nodes = append(tr.nodes, node{column: leaf, value: float32(g.c.Rate * total.g / (total.w + g.c.L2))})
	var left, right []int32
	var s split
	if depth < g.c.Depth && total.w >= 2*g.c.MinLeaf {
		if found, ok := g.best(h, total); ok {
			s = found
			left, right = g.part(rows, s)
		}
	}
	if len(left) == 0 || len(right) == 0 { // one side is empty where sums differ by rounding only
		return at
	}
	hl, hr := g.children(h, left, right, depth)
	edge := float32(math.MaxFloat32)
	if edges := g.t.edges[s.column]; int(s.bin) < len(edges) {
		edge = edges[s.bin]
	}
	l := g.grow(tr, left, hl, depth+1)
	r := g.grow(tr, right, hr, depth+1)
	tr.nodes[at] = node{column: int16(s.column), bin: s.bin, edge: edge, missingLeft: s.missingLeft, left: l, right: r}
	return at
}

// children gives both sides their histograms: the smaller is summed, the other
// is what remains of the parent's.
func (g *grower) children(h []cell, left, right []int32, depth int) (hl, hr []cell) {
	if depth+1 == g.c.Depth {
		return nil, nil // leaves need none
	}
	a, b := g.hist(2*depth+2), g.hist(2*depth+3)
	small := left
	if len(right) < len(left) {
		small = right
	}
	g.fill(a, small)
	for i := range b {
		b[i] = cell{h[i].w - a[i].w, h[i].g - a[i].g}
	}
	if len(right) < len(left) {
		return b, a
	}
	return a, b
}

// split sends bins up to bin to the left.
type split struct {
	column      int
	bin         uint8
	missingLeft bool
}

// best finds the split that lowers the loss most; the first of equals.
func (g *grower) best(h []cell, total cell) (split, bool) {
	var s split
	l2 := g.c.L2
	worth := func(c cell) float64 { return c.g * c.g / (c.w + l2) }
	none := worth(total)
	top := none + 1e-12
	found := false
	try := func(l cell, at split) {
		r := cell{total.w - l.w, total.g - l.g}
		if l.w < g.c.MinLeaf || r.w < g.c.MinLeaf || l.w <= 1e-9 || r.w <= 1e-9 {
			return
		}
		if v := worth(l) + worth(r); v > top {
			top, s, found = v, at, true
		}
	}
	for _, col := range g.columns {
		hist := h[col*stride : (col+1)*stride]
		gone := hist[missingBin]
		some := gone.w > 1e-9
		var l cell
		for b := range len(g.t.edges[col]) {
			l.w += hist[b].w
			l.g += hist[b].g
			// Where none is missing, such cells go with the majority.
			try(l, split{col, uint8(b), !some && 2*l.w > total.w})
			if some {
				try(cell{l.w + gone.w, l.g + gone.g}, split{col, uint8(b), true})
			}
		}
		if some { // all numbers to the left, missing cells to the right
			try(cell{total.w - gone.w, total.g - gone.g}, split{col, uint8(len(g.t.edges[col])), false})
		}
	}
	return s, found
}

// part orders rows in place, left before right, each in its order.
func (g *grower) part(rows []int32, s split) (left, right []int32) {
	n, other := 0, g.spare[:0]
	for _, r := range rows {
		b := g.t.cells[int(r)*g.t.cols+s.column]
		if (b == missingBin && s.missingLeft) || (b != missingBin && b <= s.bin) {
			rows[n] = r
			n++
		} else {
			other = append(other, r)
		}
	}
	copy(rows[n:], other)
	return rows[:n], rows[n:]
}
