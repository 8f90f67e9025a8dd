package boost

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Config says how trees are grown. The zero value of a field that names one
// takes the default in brackets.
type Config struct {
	Trees     int     // most trees
	Depth     int     // splits above a leaf, 1 to MaxDepth
	Rate      float64 // share of a tree's correction that is taken, 0 to 1
	MinLeaf   float64 // least weight of rows in a leaf
	L2        float64 // weight of an imagined row without residual in every leaf
	Subsample float64 // share of the rows a tree sees (0: 1)
	Columns   float64 // share of the columns a tree sees (0: 1)
	Intercept float64 // L2 of the constant the trees start from; 0 is an unshrunken mean, negative none
	Holdout   float64 // share of the rows kept aside to find the number of trees (0: none)
	Patience  int     // trees without improvement there before growing ends
	Seed      uint64
}

// Limits that decoding checks as well.
const (
	MaxDepth = 8
	MaxTrees = 4096
)

// Targets is what to learn: y − base on the rows of a table.
type Targets struct {
	Y      []float64 // one per row of the table
	Base   []float64 // what the trees correct, nil for 0
	Weight []float64 // nil for 1; rows without positive weight are ignored
	Rows   []int32   // the rows to learn from, nil for all
}

// Fit bins a matrix and learns from all of it, see Table.Fit.
func Fit(m Matrix, bins int, tg Targets, c Config) (*Forest, error) {
	t, err := Bin(m, bins)
	if err != nil {
		return nil, err
	}
	return t.Fit(tg, c)
}

// Fit grows a forest. Rows whose target, base or weight is not finite are
// ignored; without a usable row the forest says 0 everywhere.
func (t *Table) Fit(tg Targets, c Config) (*Forest, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	rows, err := t.usable(tg)
	if err != nil {
		return nil, err
	}
	g := newGrower(t, tg, c)
	train, held := g.split(rows)
	f := &Forest{cols: t.cols}
	if len(train) == 0 {
		return f, nil
	}
	f.intercept = g.start(train)
	for _, r := range rows {
		g.residual[r] -= f.intercept
	}
	best, bestAt, none := g.loss(held), 0, len(held) == 0
	for i := range c.Trees {
		tree := g.tree(train, uint64(i))
		f.trees = append(f.trees, tree)
		for _, r := range rows {
			g.residual[r] -= float64(tree.valueOf(t, r))
		}
		if none {
			continue
		}
		if l := g.loss(held); l < best {
			best, bestAt = l, i+1
		} else if i+1-bestAt >= c.Patience {
			break
		}
	}
	if !none {
		f.trees = f.trees[:bestAt]
	}
	return f, nil
}

func (c Config) check() error {
	switch {
	case c.Trees < 0 || c.Trees > MaxTrees:
		return fmt.Errorf("boost: %d trees, want 0 to %d", c.Trees, MaxTrees)
	case c.Depth < 1 || c.Depth > MaxDepth:
		return fmt.Errorf("boost: depth %d, want 1 to %d", c.Depth, MaxDepth)
	case !(c.Rate > 0 && c.Rate <= 1):
		return fmt.Errorf("boost: rate %v, want above 0 and up to 1", c.Rate)
	case !(c.MinLeaf >= 0) || !(c.L2 >= 0) || math.IsInf(c.L2, 1) || math.IsNaN(c.Intercept):
		return fmt.Errorf("boost: least leaf %v, L2 %v", c.MinLeaf, c.L2)
	case !(c.Subsample >= 0 && c.Subsample <= 1) || !(c.Columns >= 0 && c.Columns <= 1):
		return fmt.Errorf("boost: shares %v of the rows and %v of the columns", c.Subsample, c.Columns)
	case !(c.Holdout >= 0 && c.Holdout < 1) || c.Patience < 0:
		return fmt.Errorf("boost: %v of the rows kept aside, patience %d", c.Holdout, c.Patience)
	}
	return nil
}

func (t *Table) usable(tg Targets) ([]int32, error) {
	if len(tg.Y) != t.rows || (tg.Base != nil && len(tg.Base) != t.rows) || (tg.Weight != nil && len(tg.Weight) != t.rows) {
		return nil, fmt.Errorf("boost: %d rows with %d targets, %d bases and %d weights", t.rows, len(tg.Y), len(tg.Base), len(tg.Weight))
	}
	rows := make([]int32, 0, t.rows)
	add := func(r int32) {
		ok := finite(tg.Y[r]) && (tg.Base == nil || finite(tg.Base[r]))
		if ok && tg.Weight != nil {
			ok = tg.Weight[r] > 0 && finite(tg.Weight[r])
		}
		if ok {
			rows = append(rows, r)
		}
	}
	if tg.Rows == nil {
		for r := range t.rows {
			add(int32(r))
		}
		return rows, nil
	}
	for _, r := range tg.Rows {
		if r < 0 || int(r) >= t.rows {
			return nil, fmt.Errorf("boost: row %d of %d", r, t.rows)
		}
		add(r)
	}
	return rows, nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// split keeps rows aside by the seed.
func (g *grower) split(rows []int32) (train, held []int32) {
	if g.c.Holdout == 0 {
		return rows, nil
	}
	r := rand.New(rand.NewPCG(g.c.Seed, 0x5eed)) //nolint:gosec // not for secrets
	for _, row := range rows {
		if r.Float64() < g.c.Holdout {
			held = append(held, row)
		} else {
			train = append(train, row)
		}
	}
	return train, held
}

// start is the constant the trees start from.
func (g *grower) start(rows []int32) float64 {
	if g.c.Intercept < 0 {
		return 0
	}
	sum, w := 0.0, g.c.Intercept
	for _, r := range rows {
		sum += g.weight[r] * g.residual[r]
		w += g.weight[r]
	}
	return sum / w
}

func (g *grower) loss(rows []int32) float64 {
	sum := 0.0
	for _, r := range rows {
		sum += g.weight[r] * g.residual[r] * g.residual[r]
	}
	return sum
}
