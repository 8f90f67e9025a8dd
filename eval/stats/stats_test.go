package stats

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(want) && math.IsNaN(got) {
		return
	}
	if !(math.Abs(got-want) < 1e-9) {
		t.Errorf("%s: %.12g, want %.12g", what, got, want)
	}
}

func TestHullKeepsWhatMixturesCannotReach(t *testing.T) {
	t.Parallel()
	f := Hull([]Point{
		{"large", 10, 0.9}, {"below the line", 4, 0.5}, {"small", 2, 0.4}, {"above", 6, 0.8},
		{"dearer and worse", 12, 0.7}, {"as dear as small", 2, 0.3}, {"broken", math.NaN(), 1},
	})
	var names []string
	for _, p := range f {
		names = append(names, p.Label)
	}
	if got := strings.Join(names, ","); got != "small,above,large" {
		t.Errorf("hull %s", got)
	}
	for _, c := range []struct{ cost, quality float64 }{{1, 0.2}, {2, 0.4}, {4, 0.6}, {6, 0.8}, {8, 0.85}, {10, 0.9}, {99, 0.9}, {0, 0}} {
		near(t, fmt.Sprint("at ", c.cost), f.At(c.cost), c.quality)
	}
	near(t, "cost of .6", f.CostOf(0.6), 4)
	near(t, "cost of .85", f.CostOf(0.85), 8)
	near(t, "cost of what nobody reaches", f.CostOf(0.95), math.NaN())
	near(t, "no front", Front(nil).At(1), math.NaN())
	near(t, "above", Above(Point{"", 4, 0.7}, []Point{{"", 2, 0.4}, {"", 6, 0.8}}), 0.1)
}

func TestAHullWhoseDearestIsCheapest(t *testing.T) {
	t.Parallel()
	// A small model that tries again and again may cost more than a large one.
	f := Hull([]Point{{"small", 6, 0.2}, {"large", 5, 0.9}})
	if len(f) != 1 || f[0].Label != "large" {
		t.Errorf("hull %v", f)
	}
	near(t, "below", f.At(2.5), 0.45)
}

func TestAIQ(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		points []Point
		want   float64
	}{
		// From 2 to 6 along a straight line from .4 to .8, level to 10:
		// (0.6·4 + 0.8·4) / 8.
		"two points":       {[]Point{{"", 2, 0.4}, {"", 6, 0.8}}, 0.7},
		"one cheap point":  {[]Point{{"", 1, 0.5}}, 0.5},
		"one in the range": {[]Point{{"", 6, 0.6}}, (0.4*4 + 0.6*4) / 8}, // .2 at 2, from the router that does nothing
		"none":             {nil, math.NaN()},
	} {
		near(t, name, AIQ(c.points, 2, 10), c.want)
	}
	near(t, "empty range", AIQ([]Point{{"", 1, 1}}, 3, 3), math.NaN())
}

func TestAPGR(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		points       []SharePoint
		weak, strong float64
		want         float64
	}{
		"random mixing":  {[]SharePoint{{0.5, 0.6}}, 0.4, 0.8, 0.5},
		"nothing played": {nil, 0.4, 0.8, 0.5},
		// Half the calls bring all of the gap: PGR 0 → 1 over half the range, then 1.
		"half is enough":   {[]SharePoint{{0.5, 0.8}}, 0.4, 0.8, 0.75},
		"same share twice": {[]SharePoint{{0.5, 0.9}, {0.5, 0.7}}, 0.4, 0.8, 0.75},
		"ends are given":   {[]SharePoint{{0, 0.9}, {1, 0.1}}, 0.4, 0.8, 0.5},
		"no gap":           {[]SharePoint{{0.5, 0.8}}, 0.8, 0.8, math.NaN()},
	} {
		near(t, name, APGR(c.points, c.weak, c.strong), c.want)
	}
}

func TestT(t *testing.T) {
	t.Parallel()
	// Mean 3, s = √2.5, t₀.₉₇₅(4) = 2.7764.
	i := T([]float64{1, 2, 3, 4, 5})
	if i == nil {
		t.Fatal("no interval of five")
	}
	near(t, "mean", i.Mean, 3)
	near(t, "high", i.High, 3+2.7764*math.Sqrt(2.5/5))
	if T([]float64{1, 2, 3, 4}) != nil {
		t.Error("an interval over four seeds")
	}
	if x := t975(31); math.Abs(x-2.0395) > 1e-3 {
		t.Errorf("t of 31 degrees %g", x)
	}
	if x := t975(1000); math.Abs(x-1.9623) > 1e-3 {
		t.Errorf("t of 1000 degrees %g", x)
	}
}

// Ninety-five of a hundred intervals should hold the truth.
func TestBootstrapCovers(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	const tries, items, truth = 200, 60, 0.6
	held := 0
	for i := range tries {
		x := make(Tallies, items)
		for j := range x {
			p := 0.2
			if r.Float64() < 0.5 {
				p = 1 // items differ: a mean of .6 over them
			}
			for range 3 {
				x[j].Add(map[bool]float64{true: 1, false: 0}[r.Float64() < p], 1)
			}
		}
		c, err := NewCloud(uint64(i), x)
		if err != nil {
			t.Fatal(err)
		}
		if iv := c.Interval(func(p []Point) float64 { return p[0].Quality }); iv.Low <= truth && truth <= iv.High {
			held++
		}
	}
	if held < tries*89/100 || held > tries*99/100 {
		t.Errorf("%d of %d intervals hold the truth", held, tries)
	}
}

func TestDifferencesArePaired(t *testing.T) {
	t.Parallel()
	// Items differ wildly, the second is better by .1 on every one of them.
	var a, b Tallies
	for i := range 30 {
		q := float64(i%10) / 12
		a, b = append(a, Tally{1, q, 2}), append(b, Tally{1, q + 0.1, 3})
	}
	c, err := NewCloud(1, a, b)
	if err != nil {
		t.Fatal(err)
	}
	iv := c.Interval(func(p []Point) float64 { return p[1].Quality - p[0].Quality })
	near(t, "low", iv.Low, 0.1)
	near(t, "high", iv.High, 0.1)
	if !iv.Above(0) || iv.Above(0.2) {
		t.Errorf("%+v", iv)
	}
	if _, err := NewCloud(1, a, b[:3]); err == nil {
		t.Error("policies of different items were compared")
	}
	again, _ := NewCloud(1, a, b)
	mean := func(p []Point) float64 { return p[0].Quality }
	if c.Interval(mean) != again.Interval(mean) {
		t.Error("the same seed gave another interval")
	}
}

func TestIntervalsWithoutData(t *testing.T) {
	t.Parallel()
	if c, err := NewCloud(1); err != nil || c.Interval(func([]Point) float64 { return 1 }) != (Interval{}) {
		t.Errorf("no policies: %v", err)
	}
	c, err := NewCloud(1, Tallies{{}, {}})
	if err != nil {
		t.Fatal(err)
	}
	if iv := c.Interval(func(p []Point) float64 { return p[0].Quality }); !math.IsNaN(iv.Mean) {
		t.Errorf("no rows: %+v", iv)
	}
	// A statistic that often has no answer uses the resamples that have one.
	c, _ = NewCloud(1, Tallies{{1, 1, 1}, {1, 0, 1}, {1, 0, 1}})
	iv := c.Interval(func(p []Point) float64 {
		if p[0].Quality == 0 {
			return math.NaN()
		}
		return p[0].Quality
	})
	if !(iv.Low > 0) {
		t.Errorf("%+v", iv)
	}
}

func TestSplitIsAQuarterAndStays(t *testing.T) {
	t.Parallel()
	n := 0
	for i := range 4000 {
		if SplitOf(fmt.Sprintf("task/%d", i)) == Development {
			n++
		}
	}
	if n < 900 || n > 1100 {
		t.Errorf("%d of 4000 are for development", n)
	}
	// FNV-1a of "a" is 0xe40c292c, a multiple of four.
	if SplitOf("a") != Development || SplitOf("b") != Reported {
		t.Error("the halves have moved")
	}
	if Steady(29, 100, 0.3) || !Steady(30, 100, 0.3) {
		t.Error("the steady state begins elsewhere")
	}
}

func crowd(n int) Picture {
	p := Picture{Title: "Simulated: <desk>", Subtitle: "a & b", X: "J", Y: "quality", Limit: 50, LimitName: "allowance", LineName: "line", HullName: "hull"}
	for i := range n {
		p.Marks = append(p.Marks, Mark{
			Point: Point{fmt.Sprintf("progrouter-variant-%d", i), 40 + float64(i%4), 0.8 + float64(i%5)/200}, Low: 0.75, High: 0.85, Kind: MarkKind(i % 5),
		})
	}
	p.Marks = append(p.Marks, Mark{Point: Point{"fixed-large", 100, 0.99}, Low: 0.98, High: 1}, Mark{Point: Point{"fixed-small", 10, 0.3}})
	p.Line, p.Hull = Hull([]Point{{"", 10, 0.3}, {"", 100, 0.99}}), Hull([]Point{{"", 10, 0.3}, {"", 40, 0.82}, {"", 100, 0.99}})
	return p
}

func TestLabelsDoNotOverlap(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 8, 16} {
		p := crowd(n)
		c := p.canvas()
		boxes := place(c.spots(p.Marks), c.obstacles(p))
		for i, a := range boxes {
			for j, b := range boxes[:i] {
				if a.overlap(b) > 0 {
					t.Errorf("%d marks: labels %d and %d overlap by %.1f", n, i, j, a.overlap(b))
				}
			}
			if a.x < left || a.x+a.w > width || a.y < top || a.y+a.h > height-bottom {
				t.Errorf("%d marks: label %d is outside: %+v", n, i, a)
			}
		}
	}
}

func TestPictureIsWellFormed(t *testing.T) {
	t.Parallel()
	for _, p := range []Picture{crowd(12), {}, {Marks: []Mark{{Point: Point{"free", 0, 0}}}}} {
		svg := p.Draw()
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("no number in %s", svg)
		}
		for d := xml.NewDecoder(strings.NewReader(svg)); ; {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v in %s", err, svg)
			}
		}
		for _, m := range p.Marks {
			if !strings.Contains(svg, ">"+m.Label+"</text>") {
				t.Errorf("%s has no label", m.Label)
			}
		}
	}
	if svg := crowd(1).Draw(); !strings.Contains(svg, "Simulated: &lt;desk&gt;") || svg != crowd(1).Draw() {
		t.Error("the title is not escaped, or the picture changes")
	}
}

func BenchmarkCloud(b *testing.B) {
	var policies []Tallies
	for p := range 17 {
		x := make(Tallies, 400)
		for i := range x {
			x[i] = Tally{9, float64((i + p) % 9), float64(i)}
		}
		policies = append(policies, x)
	}
	for b.Loop() {
		if _, err := NewCloud(1, policies...); err != nil {
			b.Fatal(err)
		}
	}
}
