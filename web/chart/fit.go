package chart

import "math"

// Dot is a point of a Fit: what was predicted, what came, and how much it weighs.
type Dot struct {
	X, Y, Weight float64
	Tip          string
}

// drawn says whether the dot has a place.
func (d Dot) drawn() bool { return !math.IsNaN(d.X+d.Y) && !math.IsInf(d.X+d.Y, 0) }

// Fit draws predictions against what came of them: on the diagonal both agree. Both
// axes have one scale, which may reach below zero.
type Fit struct {
	ID, Title, Desc string
	Height          int
	LabelX, LabelY  string
	Dots            []Dot
	Format          func(float64) string // required
}

const (
	fitLeft   = 8  // percent left of the plot, for the labels of the y axis
	fitFoot   = 40 // pixels below it, for those of the x axis and its name
	dotLeast  = 3.0
	dotMost   = 10.0
	fitLeastY = 0.05 // the scale has at least this length
)

// Draw draws the chart; with no dots only the axes and the diagonal.
func (f Fit) Draw() Drawing {
	c := &canvas{}
	c.open("fit", f.ID, f.Title, f.Desc, f.Height)
	ticks := f.ticks()
	low, high := ticks[0], ticks[len(ticks)-1]
	at := func(v float64) float64 { return clamp((v - low) / (high - low)) }
	height := float64(f.Height) - plotTop - fitFoot
	x := func(v float64) float64 { return fitLeft + (100-fitLeft-2)*at(v) }
	y := func(v float64) float64 { return plotTop + height*(1-at(v)) }
	for _, t := range ticks {
		class := "grid"
		if t == 0 {
			class = "grid zero"
		}
		c.line(class, fitLeft, y(t), 98, y(t))
		c.text("tick", "end", fitLeft, -6, y(t)+4, f.Format(t))
		c.text("tick", "middle", x(t), 0, plotTop+height+16, f.Format(t))
	}
	c.line("diagonal", x(low), y(low), x(high), y(high))
	c.text("tick", "start", 0, 0, 10, f.LabelY)
	c.text("tick", "end", 98, 0, float64(f.Height)-5, f.LabelX)
	most := 0.0
	for _, d := range f.Dots {
		most = math.Max(most, d.Weight)
	}
	for _, d := range f.Dots {
		if !d.drawn() {
			continue
		}
		r := dotLeast
		if most > 0 { // the area stands for the weight
			r = math.Max(dotLeast, dotMost*math.Sqrt(clamp(d.Weight/most)))
		}
		c.dot("dot", x(d.X), y(d.Y), r, d.Tip)
	}
	return c.close()
}

// ticks are round steps that reach from the least to the largest value, zero among
// them.
func (f Fit) ticks() []float64 {
	low, high := 0.0, fitLeastY
	for _, d := range f.Dots {
		if d.drawn() {
			low, high = min(low, d.X, d.Y), max(high, d.X, d.Y)
		}
	}
	step := niceStep((high - low) / 4)
	var out []float64
	for i := math.Floor(low/step + 1e-9); ; i++ {
		v := i * step
		out = append(out, v)
		if v >= high-1e-9*step {
			return out
		}
	}
}
