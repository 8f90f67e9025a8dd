package trial

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

// made is a result whose figures are known: four tasks, two streams, an allowance
// of 6.
func made() *Result {
	r := &Result{
		World: "made", Unit: Unit{Symbol: "J", Method: research.MethodCPU, Simulated: true}, Suites: []string{"one", "two"}, Items: 4,
		Models:  []Model{{Name: "s", Tier: research.Small}, {Name: "l", Tier: research.Large}},
		Options: Options{Seeds: []int{1, 2}, Stable: 0.5, MaxAttempts: 5}, Allowance: 6, Large: 10,
		Skipped: map[research.Policy]string{research.FixedMedium: "no medium model takes part"}, Notes: []string{"Made up."},
	}
	add := func(p research.Policy, model string, units float64, solved ...bool) {
		for _, seed := range []int{1, 2} {
			for i, ok := range solved {
				suite := "one"
				if i > 1 {
					suite = "two"
				}
				verdict := Wrong
				if ok {
					verdict = Passed
				}
				r.Rows = append(r.Rows, Row{
					Policy: p, Seed: seed, Suite: suite, Item: string(rune('a' + i)), Position: i, Steady: i > 1, Solved: ok,
					Units: units, Low: units / 2, High: 2 * units, Seconds: 1, Stopped: StopSolved,
					Steps: []StepRow{{Model: model, Verdict: verdict, Units: units, Gain: 0.5, Predicted: research.Prediction{Gain: 0.25, Basis: "prior"}}},
				})
			}
		}
	}
	add(research.FixedSmall, "s", 2, true, false, false, false)
	add(research.FixedLarge, "l", 10, true, true, true, false)
	add(research.ProgRouter, "l", 6, true, true, true, false)
	add(research.Oracle, "l", 5, true, true, true, true)
	add(research.Random, "s", 8, true, false, true, false)
	return r
}

func TestFiguresAreThoseOfTheRows(t *testing.T) {
	t.Parallel()
	d := document(t, made())
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) < 1e-9) {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	p := d.of(t, research.ProgRouter)
	near("quality", p.Quality.Mean, 0.75)
	near("units", p.Units.Mean, 6)
	near("joules, low", p.Joules.Low, 3)
	near("steady", p.Steady.Quality.Mean, 0.5)
	near("suite one", p.BySuite["one"].Quality.Mean, 1)
	// The fixed line goes from (2, .25) to (10, .75): .5 at 6.
	near("above the line", p.AboveLine.Mean, 0.25)
	near("of fixed-large", p.OfLarge.Quality.Mean, 1)
	near("of its units", p.OfLarge.Units.Mean, 0.6)
	near("regret", p.Regret.Quality.Mean, 0.25)
	near("regret in units", p.Regret.Units.Mean, 1)
	// Only fixed-small keeps an allowance of 6: (.75 − .25) / (1 − .25).
	near("headroom", p.Headroom.Mean, 2.0/3)
	near("headroom over the mixture", p.OverMixture.Mean, 0.5) // (.75 − .5) / (1 − .5)
	near("against random", p.Against[research.Random].Quality.Mean, 0.25)
	// From 2 to 10: the hull of (0, 0) and (6, .75), then level.
	near("AIQ", *p.AIQ, ((0.25+0.75)/2*4+0.75*4)/8)
	near("AIQ of the fixed line", *d.FixedAIQ, 0.5)
	near("shares", p.Shares["l"], 100)
	near("error of predictions", p.Predictor.MAE, 0.25)
	near("calibration", p.Predictor.Miscalibration, 0.25)
	if !p.AllowanceKept || p.StreamsKept != 2 {
		t.Errorf("kept %t in %d", p.AllowanceKept, p.StreamsKept)
	}
	if large := d.of(t, research.FixedLarge); large.AllowanceKept || len(large.DominatedBy) != 1 || large.DominatedBy[0] != research.ProgRouter {
		t.Errorf("fixed-large: kept %t, dominated by %v", large.AllowanceKept, large.DominatedBy)
	}
	if p.Quality.Seeds != nil {
		t.Error("an interval over two seeds")
	}
	if small := d.of(t, research.FixedSmall); small.APGR != nil || p.APGR == nil {
		t.Error("APGR is of policies that route")
	}
}

func TestWithoutFixedTiersNothingIsComparedWithThem(t *testing.T) {
	t.Parallel()
	r := made()
	r.Rows = r.rows(research.Random)
	d := document(t, r)
	p := d.of(t, research.Random)
	if p.AboveLine != nil || p.Regret != nil || p.Headroom != nil || p.OfLarge != nil || p.AIQ != nil || p.APGR != nil || d.FixedAIQ != nil {
		t.Errorf("%+v", p)
	}
	if _, err := json.Marshal(d); err != nil {
		t.Error(err)
	}
}

func TestALargeModelThatSolvesNothingDividesNobody(t *testing.T) {
	t.Parallel()
	r := made()
	for i := range r.Rows {
		r.Rows[i].Solved = false
	}
	if _, err := json.Marshal(document(t, r)); err != nil {
		t.Error(err)
	}
}

func TestFilesAreWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := made().Write(dir); err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var d Document
	if err := json.Unmarshal(read("bench.json"), &d); err != nil || len(d.Policies) != 5 || d.Policies[0].BySuite["two"].Runs != 4 {
		t.Errorf("%v: %+v", err, d)
	}
	for name, lines := range map[string]int{"bench.csv": 1 + 40, "attempts.csv": 1 + 40} {
		rows, err := csv.NewReader(bytes.NewReader(read(name))).ReadAll()
		if err != nil || len(rows) != lines {
			t.Errorf("%s: %d lines, %v", name, len(rows), err)
		}
	}
	if svg := string(read("pareto.svg")); !strings.Contains(svg, "Simulated: made") || !strings.Contains(svg, "J per run") {
		t.Error("the picture does not say what it shows")
	}
	if err := made().Write(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("no error for a folder that is not there")
	}
}

func TestTheTableSaysWhatItShows(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := document(t, made()).Table(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"simulated: made: 4 tasks", "allowance 6 J", "progrouter", "steady state", "+0.250", "fixed-medium was not played: no medium", "Made up."} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
