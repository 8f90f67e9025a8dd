package chart

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

// wellFormed parses a drawing and returns how often each element occurs.
func wellFormed(t *testing.T, d Drawing) map[string]int {
	t.Helper()
	count, dec := map[string]int{}, xml.NewDecoder(strings.NewReader(string(d)))
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, d)
		}
		if e, ok := tok.(xml.StartElement); ok {
			count[e.Name.Local]++
			for _, a := range e.Attr {
				if a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("attribute %s breaks the content security policy", a.Name.Local)
				}
			}
		}
	}
}

func units(v float64) string { return fmt.Sprintf("%g J", v) }

func energy() Lines {
	return Lines{
		ID: "e", Title: "Energy", Desc: "rising", Height: 200, FormatY: units, Limit: &Limit{120, "budget 120 J"},
		Series: []Series{{Class: "spent", Step: true, Area: true, Points: []Point{
			{}, {X: 1, Y: 10, Mark: "tier-small", Tip: "one"}, {X: 2, Y: 60, Mark: "tier-medium", Form: Diamond}, {X: 3, Y: 61, Mark: "tier-large", Form: Square},
		}}},
		XTicks: []Tick{{1, "1"}, {2, "2"}, {3, "3"}},
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	d := energy().Draw()
	n := wellFormed(t, d)
	if n["circle"] != 1 || n["path"] != 4 { // area, stroke, diamond, square
		t.Errorf("marks: %v", n)
	}
	for _, want := range []string{
		`role="img"`, `aria-labelledby="e-t e-d"`, `<title id="e-t">Energy</title>`, "budget 120 J",
		// stairs: along, then up; the axis ends at 150 above the limit
		`d="M0 100H33.33V93.33H66.67V60H100V59.33"`,
	} {
		if !strings.Contains(string(d), want) {
			t.Errorf("lacks %q in\n%s", want, d)
		}
	}
}

func TestHostileTextsAndNumbers(t *testing.T) {
	t.Parallel()
	l := energy()
	l.Title, l.Desc, l.ID = `<script>alert(1)</script>`, "a & b \x00\x1b", `x" onload="alert(1)`
	l.Series[0].Class = `a"><script>`
	l.Series[0].Points = append(l.Series[0].Points, Point{X: math.NaN(), Y: math.Inf(1), Tip: "</title><script>"}, Point{X: -1, Y: -5})
	d := l.Draw()
	if n := wellFormed(t, d); n["script"] != 0 {
		t.Error("a script got in")
	}
	if strings.Contains(string(d), "NaN") || strings.Contains(string(d), "Inf") {
		t.Error("an undefined coordinate got in")
	}
}

func TestEmptyCharts(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]Drawing{
		"lines": Lines{ID: "a", Height: 100, FormatY: units}.Draw(),
		"bars":  Bars{ID: "b", Height: 100, FormatY: units}.Draw(),
		"share": Share("c", "t", "d", 10, nil),
		"spark": Spark("d", "t", "d", "", 20, nil),
		"gauge": Gauge("e", "t", "d", "", 8, math.NaN()),
	} {
		if n := wellFormed(t, d); n["svg"] == 0 || n["title"] != 1 {
			t.Errorf("%s: %v", name, n)
		}
	}
}

func TestBarsStackFromZero(t *testing.T) {
	t.Parallel()
	d := Bars{ID: "b", Title: "t", Height: 140, FormatY: units, Bars: []Bar{
		{Label: "Mon", Parts: []Part{{"a", 25, "A"}, {"b", 75, "B"}}}, {Label: "Tue"},
	}}.Draw()
	if n := wellFormed(t, d); n["rect"] != 2 {
		t.Errorf("%d parts, want 2", n["rect"])
	}
	// 100 pixels of plot for 100 units: the first part is 25 high and ends at the foot.
	for _, want := range []string{`y="93" width="5.58%"`, `height="25"`, `y="18"`, `height="75"`} {
		if !strings.Contains(string(d), want) {
			t.Errorf("lacks %q in\n%s", want, d)
		}
	}
}

func TestShareFillsTheBar(t *testing.T) {
	t.Parallel()
	d := string(Share("s", "t", "d", 10, []Part{{"a", 1, ""}, {"b", 0, ""}, {"c", 3, "three quarters"}, {"d", -5, ""}}))
	if n := wellFormed(t, Drawing(d)); n["rect"] != 2 {
		t.Errorf("%d parts, want those above zero", n["rect"])
	}
	if !strings.Contains(d, `x="25%" y="0" width="75%"`) {
		t.Errorf("the second part does not begin where the first ends:\n%s", d)
	}
}

func TestGaugeAndTrendStayInside(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		d    Drawing
		want string
	}{
		{Gauge("g", "t", "d", "level-full", 8, 1.7), `width="100%" height="8"></rect></svg>`},
		{Gauge("g", "t", "d", "", 8, 0.25, 0.8), `width="25%"`},
		{Trend("g", "t", "d", "", 8, -0.5), `x="25%" y="0" width="25%"`},
		{Trend("g", "t", "d", "", 8, 3), `x="50%" y="0" width="50%"`},
	} {
		wellFormed(t, tc.d)
		if !strings.Contains(string(tc.d), tc.want) {
			t.Errorf("lacks %q in\n%s", tc.want, tc.d)
		}
	}
}

func TestNiceTicks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		top  float64
		want string
	}{
		{58.5, "[0 20 40 60]"}, {1, "[0 0.5 1]"}, {120, "[0 50 100 150]"}, {0.003, "[0 0.001 0.002 0.003]"},
		{0, "[0 1]"}, {-3, "[0 1]"}, {math.NaN(), "[0 1]"}, {math.Inf(1), "[0 1]"},
	} {
		if got := fmt.Sprint(NiceTicks(tc.top, 3)); got != tc.want {
			t.Errorf("NiceTicks(%g) = %s, want %s", tc.top, got, tc.want)
		}
	}
	for top := 1e-9; top < 1e12; top *= 1.7 {
		ticks := NiceTicks(top, 3)
		if last := ticks[len(ticks)-1]; last < top*(1-1e-9) || len(ticks) > 5 {
			t.Errorf("NiceTicks(%g) = %v", top, ticks)
		}
	}
}
