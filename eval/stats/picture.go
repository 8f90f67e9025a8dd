package stats

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Picture is the plane of quality over cost with every policy in it. It draws on
// a light ground whatever shows it, since it is made to stand in documents.
type Picture struct {
	Title    string
	Subtitle string
	X, Y     string // names of the axes, with the unit
	Marks    []Mark
	// Line joins the fixed tiers; Hull is the front over all that can be chosen.
	// Either may be empty.
	Line, Hull Front
	LineName   string
	HullName   string
	// Limit is drawn as an upright line with its name; 0 draws none.
	Limit     float64
	LimitName string
	// Kinds are named under the picture, in this order.
	Kinds []KindName
}

// KindName says what a kind of mark stands for.
type KindName struct {
	Kind MarkKind
	Name string
}

// Mark is a policy in the picture.
type Mark struct {
	Point
	Low, High float64 // interval of the quality; equal draws none
	Kind      MarkKind
}

// MarkKind is how a mark looks.
type MarkKind int

// Kinds of marks.
const (
	MarkOther   MarkKind = iota // another policy
	MarkMain                    // the one the picture is about
	MarkFixed                   // always the same tier
	MarkVariant                 // the main one with a part left out
	MarkBound                   // what cannot be chosen
)

// Size and margins of the picture, and of its letters.
const (
	width, height = 860, 540
	left, right   = 72, 28
	top, bottom   = 84, 108
	letters       = 12.0
	letterWidth   = 6.4 // mean advance of a letter, generous
)

const ink, faint, grid, accent = "#1d2733", "#5d6b7a", "#e6eaee", "#0b6e69"

// Draw makes an SVG document.
func (p Picture) Draw() string {
	c := p.canvas()
	c.open(p.Title, p.describe())
	c.text(left, 32, "start", 17, ink, "600", p.Title)
	c.text(left, 54, "start", 12.5, faint, "400", p.Subtitle)
	c.axes(p.X, p.Y)
	c.front(p.Line, `stroke="#8a5a00" stroke-width="1.6" stroke-dasharray="7 5"`)
	c.front(p.Hull, `stroke="`+accent+`" stroke-width="1.6" stroke-opacity=".55"`)
	if p.Limit > 0 && p.Limit <= c.maxX {
		x := c.x(p.Limit)
		c.printf(`<path d="M%s %dV%d" fill="none" stroke="#a3243b" stroke-width="1.4" stroke-dasharray="2 4"/>`, num(x), top, height-bottom)
		c.text(x, top-7, "middle", letters, "#a3243b", "400", p.LimitName)
	}
	for _, m := range p.Marks {
		c.whisker(m)
	}
	for _, m := range p.Marks {
		c.mark(m)
	}
	for i, b := range place(c.spots(p.Marks), c.obstacles(p)) {
		c.label(p.Marks[i], b)
	}
	c.legend(p)
	return c.b.String() + "</svg>\n"
}

// describe is the picture in words, for who cannot see it.
func (p Picture) describe() string {
	var out []string
	for _, m := range p.Marks {
		out = append(out, fmt.Sprintf("%s: %.3f at %.4g", m.Label, m.Quality, m.Cost))
	}
	return strings.Join(out, "; ")
}

// canvas holds the scales.
type canvas struct {
	b                strings.Builder
	maxX, minY, maxY float64
	stepX, stepY     float64
}

func (p Picture) canvas() *canvas {
	c := &canvas{minY: math.Inf(1), maxY: math.Inf(-1), maxX: p.Limit}
	for _, m := range p.Marks {
		c.maxX = max(c.maxX, m.Cost)
		c.minY, c.maxY = min(c.minY, m.Quality, m.Low), max(c.maxY, m.Quality, m.High)
	}
	if len(p.Marks) == 0 {
		c.minY, c.maxY = 0, 1
	}
	c.stepX = nice(max(c.maxX*1.06, 1e-9) / 6)
	c.maxX = max(c.maxX*1.06, 1e-9)
	pad := max(0.01, (c.maxY-c.minY)*0.06)
	c.minY, c.maxY = max(0, c.minY-pad), c.maxY+pad
	c.stepY = nice((c.maxY - c.minY) / 6)
	c.minY = math.Floor(c.minY/c.stepY) * c.stepY
	return c
}

// nice is the round step nearest above: 1, 2 or 5 times a power of ten.
func nice(step float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(step)))
	for _, k := range []float64{1, 2, 5} {
		if step <= k*unit*(1+1e-9) {
			return k * unit
		}
	}
	return 10 * unit
}

func (c *canvas) x(cost float64) float64 { return left + cost/c.maxX*(width-left-right) }

func (c *canvas) y(quality float64) float64 {
	return top + (c.maxY-quality)/(c.maxY-c.minY)*(height-top-bottom)
}

func (c *canvas) printf(format string, args ...any) { fmt.Fprintf(&c.b, format, args...) }

func (c *canvas) open(title, desc string) {
	c.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" font-family="system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif">`, width, height, width, height)
	c.printf("<title>%s</title><desc>%s</desc>", html.EscapeString(title), html.EscapeString(desc))
	c.printf(`<rect width="%d" height="%d" fill="#fff"/>`, width, height)
}

func (c *canvas) text(x, y float64, anchor string, size float64, fill, weight, s string) {
	c.printf(`<text x="%s" y="%s" text-anchor="%s" font-size="%s" font-weight="%s" fill="%s">%s</text>`, num(x), num(y), anchor, num(size), weight, fill, html.EscapeString(s))
}

func (c *canvas) axes(x, y string) {
	for i := 0; ; i++ {
		v := c.minY + float64(i)*c.stepY
		if v > c.maxY*(1+1e-9) {
			break
		}
		c.printf(`<path d="M%d %sH%d" fill="none" stroke="%s"/>`, left, num(c.y(v)), width-right, grid)
		c.text(left-9, c.y(v)+4, "end", letters, faint, "400", tick(v, c.stepY))
	}
	for i := 0; ; i++ {
		v := float64(i) * c.stepX
		if v > c.maxX*(1+1e-9) {
			break
		}
		c.printf(`<path d="M%s %dv5" fill="none" stroke="%s"/>`, num(c.x(v)), height-bottom, faint)
		c.text(c.x(v), height-bottom+20, "middle", letters, faint, "400", tick(v, c.stepX))
	}
	c.printf(`<path d="M%d %dV%dH%d" fill="none" stroke="%s"/>`, left, top, height-bottom, width-right, faint)
	c.text((left+width-right)/2, height-bottom+42, "middle", 12.5, ink, "400", x)
	mid := float64(top+height-bottom) / 2
	c.printf(`<text x="20" y="%s" text-anchor="middle" font-size="12.5" fill="%s" transform="rotate(-90 20 %s)">%s</text>`, num(mid), ink, num(mid), html.EscapeString(y))
}

// tick writes a value with as many decimals as its step needs.
func tick(v, step float64) string {
	return strconv.FormatFloat(v, 'f', max(0, int(math.Ceil(-math.Log10(step)-1e-9))), 64)
}

func num(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// front is drawn from its cheapest point to its best, and level from there on.
func (c *canvas) front(f Front, style string) {
	if len(f) == 0 {
		return
	}
	var d strings.Builder
	for i, p := range f {
		fmt.Fprintf(&d, "%c%s %s", "ML"[min(i, 1)], num(c.x(p.Cost)), num(c.y(p.Quality)))
	}
	fmt.Fprintf(&d, "H%d", width-right)
	c.printf(`<path d="%s" fill="none" %s/>`, d.String(), style)
}

func (c *canvas) whisker(m Mark) {
	if m.High > m.Low {
		c.printf(`<path d="M%s %sV%s" fill="none" stroke="%s" stroke-opacity=".35" stroke-width="1.5"/>`, num(c.x(m.Cost)), num(c.y(m.Low)), num(c.y(m.High)), colour(m.Kind))
	}
}

func colour(k MarkKind) string {
	switch k {
	case MarkMain:
		return accent
	case MarkFixed:
		return "#8a5a00"
	case MarkVariant:
		return "#55a5a0"
	case MarkBound:
		return "#6a4fb3"
	}
	return "#44566b"
}

func (c *canvas) mark(m Mark) { c.symbol(c.x(m.Cost), c.y(m.Quality), m.Kind) }

func (c *canvas) symbol(x, y float64, k MarkKind) {
	switch k {
	case MarkMain:
		c.printf(`<circle cx="%s" cy="%s" r="7" fill="%s" stroke="#fff" stroke-width="1.5"/>`, num(x), num(y), accent)
	case MarkFixed:
		c.printf(`<rect x="%s" y="%s" width="10" height="10" fill="%s" stroke="#fff"/>`, num(x-5), num(y-5), colour(k))
	case MarkBound:
		c.printf(`<path d="M%s %sl6.5 6.5l-6.5 6.5l-6.5 -6.5z" fill="#fff" stroke="%s" stroke-width="1.8"/>`, num(x), num(y-6.5), colour(k))
	case MarkVariant:
		c.printf(`<circle cx="%s" cy="%s" r="4" fill="#fff" stroke="%s" stroke-width="1.8"/>`, num(x), num(y), colour(k))
	default:
		c.printf(`<circle cx="%s" cy="%s" r="5" fill="%s" stroke="#fff"/>`, num(x), num(y), colour(k))
	}
}

// label writes a name, with a line to its mark where it stands away from it.
func (c *canvas) label(m Mark, b box) {
	x, y := c.x(m.Cost), c.y(m.Quality)
	ex, ey := min(max(x, b.x), b.x+b.w), min(max(y, b.y), b.y+b.h)
	if d := math.Hypot(ex-x, ey-y); d > 13 {
		c.printf(`<path d="M%s %sL%s %s" fill="none" stroke="%s" stroke-width=".9"/>`,
			num(x+(ex-x)*8/d), num(y+(ey-y)*8/d), num(ex), num(ey), colour(m.Kind))
	}
	fill, weight := ink, "400"
	switch m.Kind {
	case MarkMain:
		fill, weight = accent, "600"
	case MarkVariant:
		fill = faint
	}
	c.printf(`<text x="%s" y="%s" font-size="%s" font-weight="%s" fill="%s" stroke="#fff" stroke-width="3" stroke-linejoin="round" paint-order="stroke">%s</text>`,
		num(b.x), num(b.y+b.h-4), num(letters), weight, fill, html.EscapeString(m.Label))
}

// legend has a row for the lines and one for the marks.
func (c *canvas) legend(p Picture) {
	row := legendRow{c: c, x: left, y: height - 44}
	if len(p.Line) > 0 && p.LineName != "" {
		row.line(p.LineName, "h26", `stroke="#8a5a00" stroke-width="1.6" stroke-dasharray="7 5"`)
	}
	if len(p.Hull) > 0 && p.HullName != "" {
		row.line(p.HullName, "h26", `stroke="`+accent+`" stroke-width="1.6" stroke-opacity=".55"`)
	}
	if slices.ContainsFunc(p.Marks, func(m Mark) bool { return m.High > m.Low }) {
		row.line("95 % interval", "m13 -8v16", `stroke="`+faint+`" stroke-opacity=".6" stroke-width="1.5"`)
	}
	row = legendRow{c: c, x: left, y: height - 20}
	for _, k := range p.Kinds {
		row.symbol(k)
	}
}

// legendRow is written from left to right.
type legendRow struct {
	c    *canvas
	x, y float64
}

func (r *legendRow) line(name, path, style string) {
	r.c.printf(`<path d="M%s %s%s" fill="none" %s/>`, num(r.x), num(r.y), path, style)
	r.name(34, name)
}

func (r *legendRow) symbol(k KindName) {
	r.c.symbol(r.x+8, r.y, k.Kind)
	r.name(22, k.Name)
}

func (r *legendRow) name(indent float64, name string) {
	r.c.text(r.x+indent, r.y+4, "start", letters, faint, "400", name)
	r.x += indent + letterWidth*float64(len([]rune(name))) + 20
}
