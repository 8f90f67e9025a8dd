package chart

import (
	"math"
	"strings"
)

// Point is a place on a chart. Tip is shown when it is pointed at.
type Point struct {
	X, Y float64
	Tip  string
	Mark string // class of its mark; empty draws none
	Form Form   // of its mark
}

// Form is the shape of a mark, so that colour is not all that tells them apart.
type Form int

// The forms.
const (
	Circle Form = iota
	Diamond
	Square
)

// Series is a named line. Class gives the colour. Step draws stairs, Area fills
// down to zero.
type Series struct {
	Name, Class string
	Points      []Point
	Step, Area  bool
}

// Limit is a horizontal line, such as a budget.
type Limit struct {
	Value float64
	Label string
}

// Lines is a line chart from zero upwards.
type Lines struct {
	ID, Title, Desc string
	Height          int
	Series          []Series
	Limit           *Limit
	Top             float64              // least end of the y axis; 0 fits the data
	FormatY         func(float64) string // required
	XTicks          []Tick
}

// plotTop leaves room for the topmost label, plotFoot for the x axis.
const (
	plotTop  = 18
	plotFoot = 22
)

type lineFrame struct {
	top, height, xMin, xMax, yMax float64
}

func (f lineFrame) x(v float64) float64 {
	if f.xMax <= f.xMin {
		return 0
	}
	return 100 * (v - f.xMin) / (f.xMax - f.xMin)
}

func (f lineFrame) y(v float64) float64 { return f.top + f.height*(1-clamp(v/f.yMax)) }

// Draw draws the chart; with no points only the axes.
func (l Lines) Draw() Drawing {
	c := &canvas{}
	c.open("lines", l.ID, l.Title, l.Desc, l.Height)
	ticks := NiceTicks(l.top(), 3)
	f := lineFrame{top: plotTop, height: float64(l.Height) - plotTop - plotFoot, yMax: ticks[len(ticks)-1]}
	f.xMin, f.xMax = l.span()
	c.grid(labelled(ticks, l.FormatY), f.y)
	for _, s := range l.Series {
		l.series(c, f, s)
	}
	if l.Limit != nil {
		c.line("limit", 0, f.y(l.Limit.Value), 100, f.y(l.Limit.Value))
		c.text("limit-label", "end", 100, 0, f.y(l.Limit.Value)-5, l.Limit.Label)
	}
	for _, t := range l.XTicks {
		c.text("tick", anchorAt(f.x(t.Value)), f.x(t.Value), 0, float64(l.Height)-5, t.Label)
	}
	return c.close()
}

func (l Lines) top() float64 {
	top := l.Top
	for _, s := range l.Series {
		for _, p := range s.Points {
			top = math.Max(top, p.Y)
		}
	}
	if l.Limit != nil {
		top = math.Max(top, l.Limit.Value)
	}
	return top
}

func (l Lines) span() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range l.Series {
		for _, p := range s.Points {
			low, high = math.Min(low, p.X), math.Max(high, p.X)
		}
	}
	if low > high {
		return 0, 1
	}
	return low, high
}

func (l Lines) series(c *canvas, f lineFrame, s Series) {
	if len(s.Points) == 0 {
		return
	}
	stroke, first, last := path(f, s), s.Points[0], s.Points[len(s.Points)-1]
	if s.Area {
		c.plot("area "+s.Class, stroke+"L"+num(f.x(last.X))+" 100L"+num(f.x(first.X))+" 100Z", f.top, f.height)
	}
	c.plot("stroke "+s.Class, stroke, f.top, f.height)
	for _, p := range s.Points {
		if p.Mark != "" {
			c.mark(p.Form, "dot "+p.Mark, f.x(p.X), f.y(p.Y), p.Tip)
		}
	}
}

// path writes the line in the 100 × 100 box of canvas.plot.
func path(f lineFrame, s Series) string {
	var b strings.Builder
	for i, p := range s.Points {
		y := 100 * (1 - clamp(p.Y/f.yMax))
		switch {
		case i == 0:
			b.WriteString("M" + num(f.x(p.X)) + " " + num(y))
		case s.Step:
			b.WriteString("H" + num(f.x(p.X)) + "V" + num(y))
		default:
			b.WriteString("L" + num(f.x(p.X)) + " " + num(y))
		}
	}
	return b.String()
}

func anchorAt(x float64) string {
	switch {
	case x < 8:
		return "start"
	case x > 92:
		return "end"
	}
	return "middle"
}

// Spark draws a bare line of values from 0 to 1 without axes.
func Spark(id, title, desc, class string, height int, values []float64) Drawing {
	c := &canvas{}
	c.open("spark", id, title, desc, height)
	s := Series{Class: class, Area: true}
	for i, v := range values {
		s.Points = append(s.Points, Point{X: float64(i), Y: v})
	}
	if len(s.Points) == 1 { // one value still is a line
		s.Points = append(s.Points, Point{X: 1, Y: values[0]})
	}
	f := lineFrame{top: 2, height: float64(height) - 4, xMax: float64(max(len(s.Points)-1, 1)), yMax: 1}
	Lines{}.series(c, f, s)
	return c.close()
}
