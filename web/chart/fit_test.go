package chart

import (
	"math"
	"strings"
	"testing"
)

func fit(dots ...Dot) Fit {
	return Fit{ID: "f", Title: "Fit <b>", Desc: "d", Height: 300, LabelX: "x", LabelY: "y", Format: units, Dots: dots}
}

func TestFit(t *testing.T) {
	t.Parallel()
	d := fit(Dot{-0.02, 0.3, 100, "a & b"}, Dot{0.1, 0.1, 25, ""}, Dot{0.2, 0.1, 1, ""}, Dot{X: math.NaN(), Y: 1}).Draw()
	if n := wellFormed(t, d); n["circle"] != 3 || n["title"] != 2 {
		t.Errorf("%v", n)
	}
	for _, want := range []string{`r="10"`, `r="5"`, `r="3"`, `class="diagonal"`, `class="grid zero"`, ">-0.1 J<", ">0.2 J<", "a &amp; b", "Fit &lt;b&gt;"} {
		if !strings.Contains(string(d), want) {
			t.Errorf("lacks %s in\n%s", want, d)
		}
	}
	if strings.Contains(string(d), "NaN") {
		t.Error("an undefined coordinate got in")
	}
}

// Both axes have one scale, so that the diagonal is where both agree.
func TestFitDotsOnTheDiagonal(t *testing.T) {
	t.Parallel()
	f := fit(Dot{X: 0.1, Y: 0.1, Weight: 1}, Dot{X: 0.6, Y: 0.2, Weight: 1})
	ticks := f.ticks()
	if ticks[0] != 0 || ticks[len(ticks)-1] < 0.6 {
		t.Errorf("ticks %v", ticks)
	}
	height := 300.0 - plotTop - fitFoot
	share := 0.1 / ticks[len(ticks)-1]
	want := `cx="` + num(fitLeft+(98-fitLeft)*share) + `%" cy="` + num(plotTop+height*(1-share)) + `"`
	if d := string(f.Draw()); !strings.Contains(d, want) {
		t.Errorf("lacks %s in\n%s", want, d)
	}
}

func TestFitOfNothing(t *testing.T) {
	t.Parallel()
	for _, f := range []Fit{fit(), fit(Dot{Weight: math.NaN()}), fit(Dot{X: math.Inf(1), Y: 1})} {
		ticks := f.ticks()
		if len(ticks) < 2 || len(ticks) > 8 || ticks[0] != 0 {
			t.Errorf("ticks %v", ticks)
		}
		wellFormed(t, f.Draw())
	}
}
