// Package chart draws small SVG charts from plain series: pages, live fragments
// and exports share them. It must not know runs, pages or locales: callers pass
// finished labels. Drawings carry no style attributes: classes give the colours,
// and everything scales with its container because positions are percentages.
package chart

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Drawing is a finished SVG element. It renders as a templ component.
type Drawing string

// Render writes the SVG.
func (d Drawing) Render(_ context.Context, w io.Writer) error {
	_, err := io.WriteString(w, string(d))
	return err
}

// Tick is a labelled place on an axis.
type Tick struct {
	Value float64
	Label string
}

// canvas collects SVG elements. Widths are percentages, heights pixels.
type canvas struct {
	b      strings.Builder
	height float64
}

// open starts the drawing. id must be unique in the document: title and
// description are tied to the drawing through it.
func (c *canvas) open(class, id, title, desc string, height int) {
	c.height = float64(height)
	fmt.Fprintf(&c.b, `<svg class="chart %s" xmlns="http://www.w3.org/2000/svg" role="img" width="100%%" height="%d" aria-labelledby="%s-t %s-d">`,
		escape(class), height, escape(id), escape(id))
	fmt.Fprintf(&c.b, `<title id="%s-t">%s</title><desc id="%s-d">%s</desc>`, escape(id), escape(title), escape(id), escape(desc))
}

func (c *canvas) close() Drawing {
	c.b.WriteString(`</svg>`)
	return Drawing(c.b.String())
}

// line draws between two points: x in percent, y in pixels.
func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&c.b, `<line class="%s" x1="%s%%" y1="%s" x2="%s%%" y2="%s"/>`, escape(class), num(x1), num(y1), num(x2), num(y2))
}

// text writes a label; anchor is start, middle or end, dx in pixels.
func (c *canvas) text(class, anchor string, x, dx, y float64, label string) {
	fmt.Fprintf(&c.b, `<text class="%s" text-anchor="%s" x="%s%%" dx="%s" y="%s">%s</text>`, escape(class), anchor, num(x), num(dx), num(y), escape(label))
}

// rect draws a box with a native tooltip; tip may be empty.
func (c *canvas) rect(class string, x, y, w, h float64, tip string) {
	if w <= 0 || h <= 0 {
		return
	}
	fmt.Fprintf(&c.b, `<rect class="%s" x="%s%%" y="%s" width="%s%%" height="%s">`, escape(class), num(x), num(y), num(w), num(h))
	c.tip(tip)
	c.b.WriteString(`</rect>`)
}

// mark draws a point as a circle, diamond or square of about 8 pixels.
func (c *canvas) mark(form Form, class string, x, y float64, tip string) {
	shapes := [...]string{
		Circle:  `<circle class="%s" r="3.8">`,
		Diamond: `<path class="%s" d="M0-5.2 5.2 0 0 5.2-5.2 0z">`,
		Square:  `<path class="%s" d="M-3.8-3.8h7.6v7.6h-7.6z">`,
	}
	ends := [...]string{Circle: "</circle>", Diamond: "</path>", Square: "</path>"}
	fmt.Fprintf(&c.b, `<svg x="%s%%" y="%s" overflow="visible">`, num(x), num(y))
	fmt.Fprintf(&c.b, shapes[form], escape(class))
	c.tip(tip)
	c.b.WriteString(ends[form] + `</svg>`)
}

// dot draws a circle of a radius in pixels.
func (c *canvas) dot(class string, x, y, r float64, tip string) {
	fmt.Fprintf(&c.b, `<circle class="%s" cx="%s%%" cy="%s" r="%s">`, escape(class), num(x), num(y), num(r))
	c.tip(tip)
	c.b.WriteString(`</circle>`)
}

// grid draws the horizontal lines with their labels on top; zero needs none.
func (c *canvas) grid(ticks []Tick, y func(float64) float64) {
	for _, t := range ticks {
		c.line("grid", 0, y(t.Value), 100, y(t.Value))
		if t.Value != 0 {
			c.text("tick", "start", 0, 0, y(t.Value)-4, t.Label)
		}
	}
}

func (c *canvas) tip(s string) {
	if s != "" {
		c.b.WriteString(`<title>` + escape(s) + `</title>`)
	}
}

// plot draws a path in a box of 100 × 100 stretched over the given band.
func (c *canvas) plot(class, d string, top, height float64) {
	fmt.Fprintf(&c.b, `<svg x="0" y="%s" width="100%%" height="%s" viewBox="0 0 100 100" preserveAspectRatio="none" overflow="visible"><path class="%s" vector-effect="non-scaling-stroke" d="%s"/></svg>`,
		num(top), num(height), escape(class), d)
}

// num writes a coordinate with two decimals at most.
func num(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

func escape(s string) string {
	return escaper.Replace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' { // not allowed in XML at all
			return -1
		}
		return r
	}, s))
}

func clamp(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return math.Max(0, math.Min(1, v))
}
