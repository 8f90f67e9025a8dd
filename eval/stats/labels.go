package stats

import "math"

// box is a rectangle in the picture.
type box struct{ x, y, w, h float64 }

func (b box) overlap(o box) float64 {
	w := min(b.x+b.w, o.x+o.w) - max(b.x, o.x)
	h := min(b.y+b.h, o.y+o.h) - max(b.y, o.y)
	if w <= 0 || h <= 0 {
		return 0
	}
	return w * h
}

// spot is a mark that wants a label.
type spot struct{ x, y, w, h float64 }

func (c *canvas) spots(marks []Mark) []spot {
	out := make([]spot, len(marks))
	for i, m := range marks {
		w := letterWidth * float64(len([]rune(m.Label)))
		if m.Kind == MarkMain {
			w *= 1.08
		}
		out[i] = spot{c.x(m.Cost), c.y(m.Quality), w, 15}
	}
	return out
}

// obstacles are what labels should keep off: marks and lines.
func (c *canvas) obstacles(p Picture) []box {
	var out []box
	for _, m := range p.Marks {
		out = append(out, box{c.x(m.Cost) - 7, c.y(m.Quality) - 7, 14, 14})
		out = append(out, box{c.x(m.Cost) - 4, c.y(m.Quality) - 4, 8, 8}) // its middle counts twice
	}
	if p.Limit > 0 {
		out = append(out, box{c.x(p.Limit) - 2, top, 4, height - top - bottom})
	}
	for _, f := range []Front{p.Line, p.Hull} {
		for i := 1; i < len(f); i++ {
			out = append(out, c.along(f[i-1], f[i])...)
		}
	}
	return out
}

// along are small boxes on the line between two points.
func (c *canvas) along(a, b Point) []box {
	x0, y0, x1, y1 := c.x(a.Cost), c.y(a.Quality), c.x(b.Cost), c.y(b.Quality)
	n := int(math.Hypot(x1-x0, y1-y0) / 10)
	var out []box
	for i := range n {
		t := (float64(i) + 0.5) / float64(n)
		out = append(out, box{x0 + t*(x1-x0) - 2, y0 + t*(y1-y0) - 2, 4, 4})
	}
	return out
}

// Costs of a label's place: overlaps are what must not be, distance is what
// breaks ties.
const (
	costOverlap  = 50.0
	costObstacle = 1.0
	costOutside  = 1e5
	costCrossing = 30.0 // per step of a leader through another label
	costDistance = 0.8
	labelRounds  = 6
)

// place finds a box for each label: every label in turn takes the best of the
// places around its mark given where the others stand, until none wants to move.
func place(spots []spot, obstacles []box) []box {
	out := make([]box, len(spots))
	set := make([]bool, len(spots))
	for range labelRounds {
		moved := false
		for i, s := range spots {
			best, low := box{}, math.Inf(1)
			for _, b := range s.places() {
				cost := costDistance * s.distance(b)
				for _, o := range obstacles {
					cost += costObstacle * b.overlap(o)
				}
				for j, o := range out {
					if j != i && set[j] {
						cost += costOverlap*b.overlap(o) + costCrossing*s.crosses(b, o)
					}
				}
				if b.x < left+2 || b.x+b.w > width-2 || b.y < top || b.y+b.h > height-bottom-1 {
					cost += costOutside
				}
				if cost < low {
					best, low = b, cost
				}
			}
			moved = moved || !set[i] || best != out[i]
			out[i], set[i] = best, true
		}
		if !moved {
			break
		}
	}
	return out
}

// places around a mark, on rings further and further away.
func (s spot) places() []box {
	var out []box
	for r := 10.0; r <= 130; r += 8 {
		for k := range 16 {
			a := float64(k) * math.Pi / 8
			cx, cy := s.x+r*math.Cos(a), s.y+r*math.Sin(a)
			// The box touches the ring with the side that faces the mark.
			x := cx - s.w/2 + s.w/2*sign(math.Cos(a))
			y := cy - s.h/2 + s.h/2*sign(math.Sin(a))
			out = append(out, box{x, y, s.w, s.h})
		}
	}
	return out
}

func sign(x float64) float64 {
	switch {
	case x > 1e-9:
		return 1
	case x < -1e-9:
		return -1
	}
	return 0
}

// crosses counts the steps of the line from the mark to its label that lie in
// another box.
func (s spot) crosses(b, other box) float64 {
	ex, ey := min(max(s.x, b.x), b.x+b.w), min(max(s.y, b.y), b.y+b.h)
	n, in := int(math.Hypot(ex-s.x, ey-s.y)/4), 0.0
	for i := range n {
		t := (float64(i) + 0.5) / float64(n)
		x, y := s.x+t*(ex-s.x), s.y+t*(ey-s.y)
		if x > other.x && x < other.x+other.w && y > other.y && y < other.y+other.h {
			in++
		}
	}
	return in
}

// distance from the mark to the nearest edge of a box; to the right is preferred
// by a little.
func (s spot) distance(b box) float64 {
	d := math.Hypot(min(max(s.x, b.x), b.x+b.w)-s.x, min(max(s.y, b.y), b.y+b.h)-s.y)
	if b.x < s.x {
		d++
	}
	return d
}
