package chart

import "math"

// Part is a piece of a bar.
type Part struct {
	Class string
	Value float64
	Tip   string
}

// Bar is a column: its parts are stacked in order.
type Bar struct {
	Label string // under the column; empty shows none
	Parts []Part
}

// Bars is a stacked column chart from zero upwards.
type Bars struct {
	ID, Title, Desc string
	Height          int
	Bars            []Bar
	FormatY         func(float64) string // required
}

// barInset keeps the columns clear of the axis labels, in percent.
const barInset = 7

// Draw draws the chart.
func (b Bars) Draw() Drawing {
	c := &canvas{}
	c.open("bars", b.ID, b.Title, b.Desc, b.Height)
	ticks := NiceTicks(b.top(), 3)
	height, yMax := float64(b.Height)-plotTop-plotFoot, ticks[len(ticks)-1]
	y := func(v float64) float64 { return plotTop + height*(1-clamp(v/yMax)) }
	c.grid(labelled(ticks, b.FormatY), y)
	// Columns stay slim when there are few: the chart has at least 12 slots.
	slot := (100 - barInset) / float64(max(len(b.Bars), 12))
	for i, bar := range b.Bars {
		x, base := barInset+float64(i)*slot+slot*0.14, 0.0
		for _, p := range bar.Parts {
			c.rect("part "+p.Class, x, y(base+p.Value), slot*0.72, y(base)-y(base+p.Value), p.Tip)
			base += math.Max(p.Value, 0)
		}
		if bar.Label != "" {
			mid := x + slot*0.36
			c.text("tick", anchorAt(mid), mid, 0, float64(b.Height)-5, bar.Label)
		}
	}
	return c.close()
}

func (b Bars) top() float64 {
	top := 0.0
	for _, bar := range b.Bars {
		sum := 0.0
		for _, p := range bar.Parts {
			sum += math.Max(p.Value, 0)
		}
		top = math.Max(top, sum)
	}
	return top
}

// Share draws parts of a whole as one horizontal bar. Nothing to share draws an
// empty track.
func Share(id, title, desc string, height int, parts []Part) Drawing {
	c := &canvas{}
	c.open("share", id, title, desc, height)
	sum := 0.0
	for _, p := range parts {
		sum += math.Max(p.Value, 0)
	}
	if sum <= 0 {
		c.rect("track", 0, 0, 100, float64(height), "")
		return c.close()
	}
	x := 0.0
	for _, p := range parts {
		w := 100 * math.Max(p.Value, 0) / sum
		c.rect("part "+p.Class, x, 0, w, float64(height), p.Tip)
		x += w
	}
	return c.close()
}

// Gauge draws a share (0 to 1) of a limit with marks at the given shares. Shares
// above 1 fill the whole track.
func Gauge(id, title, desc, class string, height int, share float64, marks ...float64) Drawing {
	c := &canvas{}
	c.open("gauge", id, title, desc, height)
	c.rect("track", 0, 0, 100, float64(height), "")
	c.rect("fill "+class, 0, 0, 100*clamp(share), float64(height), "")
	for _, m := range marks {
		c.line("mark", 100*clamp(m), 0, 100*clamp(m), float64(height))
	}
	return c.close()
}

// Trend draws a signed value (−1 to 1) from the middle.
func Trend(id, title, desc, class string, height int, value float64) Drawing {
	c := &canvas{}
	c.open("gauge", id, title, desc, height)
	c.rect("track", 0, 0, 100, float64(height), "")
	half := 50 * clamp(math.Abs(value))
	if value < 0 {
		c.rect("fill "+class, 50-half, 0, half, float64(height), "")
	} else {
		c.rect("fill "+class, 50, 0, half, float64(height), "")
	}
	c.line("mark", 50, 0, 50, float64(height))
	return c.close()
}
