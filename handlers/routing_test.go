package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
	"github.com/progrouter/progrouter/web/reckon"
)

// decided is a Decided that keeps steps in memory and says what it was asked.
type decided struct {
	steps []research.RoutedStep
	err   error
	asked []time.Time
}

func (d *decided) RoutedSteps(_ context.Context, since time.Time, limit int) ([]research.RoutedStep, error) {
	d.asked = append(d.asked, since)
	var out []research.RoutedStep
	for _, s := range d.steps {
		if !s.Step.FinishedAt.Before(since) {
			out = append(out, s)
		}
	}
	return out[max(0, len(out)-limit):], d.err
}

func (d *decided) Routing() (router.Params, research.Micro) {
	return router.DefaultParams(), research.ToMicro(20)
}

// add is a step of 0.5 J on the small tier; the tiers were expected to take 0.4, 4
// and 40 J.
func (d *decided) add(run string, index int, at time.Time) {
	s := step(index, research.OutcomeOK)
	s.FinishedAt, s.RouterJoules = &at, research.Known(10_000)
	s.Decision.Candidates, s.Decision.Propensity = nil, 0.9
	for i, t := range research.Tiers() {
		s.Decision.Candidates = append(s.Decision.Candidates, research.Candidate{
			Model: "embedded/" + string(t), Tier: t, Eligible: true, Predicted: research.Prediction{Gain: 0.1, Basis: "prior"},
			Expected: research.Cost{Joules: research.Known([]research.Micro{400_000, 4_000_000, 40_000_000}[i]), Dollars: research.Known(0)},
		})
	}
	d.steps = append(d.steps, research.RoutedStep{RunID: run, Step: s})
}

// student is a Learned.
type student struct {
	now   research.Learning
	since []time.Time
	err   error
}

func (p *student) Learning(_ context.Context, since time.Time) (research.Learning, error) {
	p.since = append(p.since, since)
	return p.now, p.err
}

func (p *student) LearningNow(context.Context) (research.Learning, error) { return p.now, p.err }

func trained() research.Learning {
	at := noon().Add(-time.Hour)
	sums := research.QualitySums{
		N: 60, Predicted: 9, Realised: 6, AbsError: 3, SquareError: 0.2, PriorN: 60, PriorError: 4.2,
		PathsN: 30, StructuredError: 1.5, SemanticError: 1.8, MeanError: 1.44, GateError: 1.2,
	}
	return research.Learning{
		Epsilon: 0.043,
		State: research.RouterState{
			Key: "default", Queue: research.ToMicro(7), Decisions: 70, Runs: 9, Samples: 60, TrainingJoules: research.ToMicro(6),
			Version: 2, Through: 50, TrainedAt: &at,
		},
		Quality: research.PredictionQuality{
			Total: sums, ByDay: []research.QualityRow{{Day: "2026-11-30", QualitySums: sums}}, ByRole: []research.QualityRow{{Role: research.Reader, QualitySums: sums}},
			ByModel: []research.QualityRow{{Model: "embedded/<b>", QualitySums: sums}},
			ByBin:   []research.QualityRow{{Bin: -1, QualitySums: sums}, {Bin: 3, QualitySums: sums}, {Bin: 12, QualitySums: sums}},
		},
	}
}

func withRouting(d *decided, p *student) func(*Config, *Deps) {
	return func(_ *Config, deps *Deps) { deps.Decided, deps.Learned = d, p }
}

func (s *site) text(a answer) string { return strings.Join(strings.Fields(s.doc(a).Text()), " ") }

func (s *site) says(a answer, words ...string) {
	s.Helper()
	text := s.text(a)
	for _, w := range words {
		if !strings.Contains(text, w) {
			s.Errorf("no %q in %s", w, text)
		}
	}
}

func TestRoutingPage(t *testing.T) {
	t.Parallel()
	d, p := &decided{}, &student{now: trained()}
	for i := range 12 {
		for n := range 5 {
			d.add(fmt.Sprintf("r%d", i), n, noon().Add(time.Duration(i-100)*time.Hour))
		}
	}
	s := setup(t, withRouting(d, p))
	a := s.get("/dashboard/routing?days=90")
	s.want(a, 200)
	s.says(a, "12 runs with 60 steps", "It took 36 J instead of an estimated 2.4 kJ", "6.6 J of it for routing itself", "98% less",
		"Routing saved nothing here.", "Learning counts as spent: 6 J", "50 finished steps", "4.3%", "20 J",
		"off by 0.050", "0.050 too high", "compared on the same 30 steps", "embedded/<b>",
		"as it was routed", "Only 0 stored steps were taken as this rule would have taken them")
	if got := s.doc(a).Find("svg.fit circle").Length(); got != 3 {
		t.Errorf("%d dots", got)
	}
	if best := s.doc(a).Find(".errors tbody:first-of-type .better").Text(); !strings.Contains(best, "0.040") {
		t.Errorf("the least error is %q", best)
	}
	if since := p.since[0]; !since.Equal(time.Date(2026, 9, 2, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("ninety days begin at %v", since)
	}
	api := s.get("/api/v1/router?days=90")
	s.want(api, 200)
	got := object(t, api.body)
	validate(t, "Router", got)
	if saved := got["savings"].(map[string]any)["savings"].(map[string]any)["large"].(map[string]any)["saved"]; saved != 2364.0 {
		t.Errorf("saved %v J", saved)
	}
	rows := got["prediction_quality"].(map[string]any)["by_predicted"].([]any)
	var ranges []any
	for _, r := range rows {
		ranges = append(ranges, r.(map[string]any)["range"])
	}
	if fmt.Sprint(ranges) != "[below 0 0.15 to 0.20 0.60 and above]" {
		t.Errorf("ranges %v", ranges)
	}
}

func TestRoutingBeforeAnythingWasLearned(t *testing.T) {
	t.Parallel()
	s := setup(t, withRouting(&decided{}, &student{now: research.Learning{Epsilon: 0.1, State: research.RouterState{Samples: 3}}}))
	a := s.get("/dashboard/routing")
	s.want(a, 200)
	s.says(a, "So far only rules of thumb", "after 40 finished steps; 3 are there", "not yet", "No step was routed in this period", "nothing to compare", "No decision of this period")
	korean := s.get("/dashboard/routing", "Accept-Language", "ko")
	s.says(korean, "아직은 등급과 역할마다 정해 둔 어림값만 쓰며")
	api := s.get("/api/v1/router?days=0")
	s.want(api, 200)
	got := object(t, api.body)
	validate(t, "Router", got)
	if got["from"] != nil || len(got["one_step"].([]any)) != len(reckon.TargetNames()) {
		t.Errorf("%s", api.body)
	}
	for _, q := range []string{"days=-1", "days=x", "days=3661"} {
		s.want(s.get("/api/v1/router?"+q), 422)
	}
	nobody := setup(t) // neither is there
	s2 := nobody.get("/dashboard/routing")
	nobody.want(s2, 200)
	nobody.want(nobody.get("/api/v1/router"), 200)
	nobody.want(nobody.get("/dashboard/routing/savings"), 200)
}

func TestRoutingFails(t *testing.T) {
	t.Parallel()
	for name, with := range map[string]func(*Config, *Deps){
		"decisions": withRouting(&decided{err: errors.New("gone")}, &student{}),
		"learning":  withRouting(&decided{}, &student{err: errors.New("gone")}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := setup(t, with)
			for _, path := range []string{"/dashboard/routing", "/dashboard/routing/savings", "/api/v1/router"} {
				if a := s.get(path); a.StatusCode < 500 || strings.Contains(a.body, "gone") {
					t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
				}
			}
		})
	}
}

// The dashboard does not wait for decisions to be read the first time: it loads
// what routing saved once it is shown, or links to it.
func TestDashboardShowsSavings(t *testing.T) {
	t.Parallel()
	d := &decided{}
	d.add("r1", 0, noon())
	s := setup(t, withRouting(d, &student{}))
	cold := s.get("/dashboard?days=7")
	s.want(cold, 200)
	load := s.doc(cold).Find(".saved-load")
	if href := load.AttrOr("hx-get", ""); href != "/dashboard/routing?days=7" || load.Find("a").AttrOr("href", "") != href {
		t.Errorf("loaded from %q", href)
	}
	if len(d.asked) != 0 {
		t.Error("decisions are read")
	}
	part := s.get("/dashboard/routing?days=7", "HX-Request", "true")
	s.want(part, 200)
	if strings.Contains(part.body, "<html") || !strings.Contains(part.body, "99% less") || !strings.Contains(part.body, "format=csv") {
		t.Errorf("%s", part.body)
	}
	s.says(s.get("/dashboard?days=7"), "99% less", "1 run with 1 step")
	d.err = errors.New("gone")
	if a := s.get("/dashboard?days=7"); a.StatusCode < 500 {
		t.Errorf("%d", a.StatusCode)
	}
}

// After the first time only what is new is read, and what was deleted is gone.
func TestDecisionsAreReadOnce(t *testing.T) {
	t.Parallel()
	d := &decided{}
	d.add("r1", 0, noon())
	d.add("r2", 0, noon().Add(30*time.Second))
	clock := noon()
	s := setup(t, withRouting(d, &student{}), func(c *Config, _ *Deps) { c.Now = func() time.Time { return clock } })
	s.store.add(finished("r2"))
	steps := func() string {
		_, after, _ := strings.Cut(s.text(s.get("/dashboard/routing?days=0")), "is not compared.")
		return after[:24]
	}
	first := steps()
	d.add("r3", 0, noon().Add(10*time.Second)) // stored after a newer one
	if second := steps(); first == second || !strings.Contains(second, "with 3 steps") {
		t.Errorf("%q, then %q", first, second)
	}
	if last := d.asked[len(d.asked)-1]; last.IsZero() || !last.Equal(noon().Add(-30*time.Second)) {
		t.Errorf("read again from %v", last)
	}
	all := len(slices.DeleteFunc(slices.Clone(d.asked), func(t time.Time) bool { return !t.IsZero() }))
	if all != 1 {
		t.Errorf("everything was read %d times", all)
	}
	d.steps = slices.DeleteFunc(d.steps, func(r research.RoutedStep) bool { return r.RunID == "r2" })
	s.want(s.post("/runs/r2/delete", url.Values{}), 303)
	if got := steps(); !strings.Contains(got, "with 2 steps") {
		t.Errorf("after a deletion: %q", got)
	}
	d.steps = d.steps[:1] // deleted by another process
	clock = clock.Add(2 * time.Hour)
	if got := steps(); !strings.Contains(got, "with 1 step") {
		t.Errorf("later: %q", got)
	}
}

func TestRoutedKeepsTheNewestSteps(t *testing.T) {
	t.Parallel()
	d := &decided{}
	for i := range reckon.MaxSteps {
		d.add("r", i, noon().Add(time.Duration(i)*time.Second))
	}
	r := newRouted(d, noon)
	if p, err := r.period(t.Context(), time.Time{}, reckon.Learning{}); err != nil || p.Whole || p.Steps != reckon.MaxSteps {
		t.Fatalf("%+v, %v", p, err)
	}
	d.add("r", reckon.MaxSteps, noon().Add(reckon.MaxSteps*time.Second))
	p, err := r.period(t.Context(), time.Time{}, reckon.Learning{})
	if err != nil || p.Steps != reckon.MaxSteps || !p.From.Equal(noon().Add(time.Second)) {
		t.Errorf("%+v, %v", p, err)
	}
	for i := range 3 * resultsKept { // windows do not pile up
		if _, err := r.period(t.Context(), noon().Add(time.Duration(i)*time.Hour), reckon.Learning{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.periods) > resultsKept {
		t.Errorf("%d results are kept", len(r.periods))
	}
}

// A page with few steps is never behind what it counts above; with many, what other
// rules would have done holds for a minute.
func TestTargetsHold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		steps int
		holds bool
	}{{0, false}, {5, false}, {manySteps + 1, true}} {
		d, clock := &decided{}, noon()
		for i := range tt.steps {
			d.add("r", i, noon().Add(time.Duration(i)*time.Millisecond))
		}
		r := newRouted(d, func() time.Time { return clock })
		decisions := func() int {
			targets, err := r.targets(t.Context(), time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			return targets[0].Decisions
		}
		before := decisions()
		d.add("r", tt.steps, noon().Add(time.Minute))
		if held := decisions() == before; held != tt.holds {
			t.Errorf("%d steps: held %v", tt.steps, held)
		}
		clock = clock.Add(2 * targetsHold)
		if got := decisions(); got != before+1 {
			t.Errorf("%d steps: %d decisions later, %d before", tt.steps, got, before)
		}
	}
}

func TestSavingsFiles(t *testing.T) {
	t.Parallel()
	d := &decided{}
	d.add("r1", 0, noon())
	s := setup(t, withRouting(d, &student{}))
	for format, media := range map[string]string{"csv": "text/csv; charset=utf-8", "json": "application/json", "": "text/csv; charset=utf-8"} {
		a := s.get("/dashboard/routing/savings?days=7&format=" + format)
		s.want(a, 200)
		if got := a.Header.Get("Content-Type"); got != media || !strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment; filename=savings-2026-11-30.") || !strings.Contains(a.body, "r1") {
			t.Errorf("%s: %s %s\n%s", format, got, a.Header.Get("Content-Disposition"), a.body)
		}
	}
	s.want(s.get("/dashboard/routing/savings?format=pdf"), 422)
}

func TestAPIWhatIf(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.add(finished("r1"))
	fixed, fresh := finished("r2"), finished("r3")
	fixed.Run.Policy, fresh.Steps = research.FixedSmall, nil
	s.store.add(fixed)
	s.store.add(fresh)
	for id, routed := range map[string]bool{"r1": true, "r2": false, "r3": true} {
		a := s.get("/api/v1/runs/" + id + "/whatif")
		s.want(a, 200)
		got := object(t, a.body)
		validate(t, "WhatIf", got)
		if got["routed"] != routed || (got["savings"] == nil) != (id != "r1") {
			t.Errorf("%s: %s", id, a.body)
		}
	}
	s.want(s.get("/api/v1/runs/none/whatif"), 404)
	page := s.get("/runs/r1")
	s.says(page, "What routing saved in this run", "Nothing can be said about the large tier alone")
	s.says(s.get("/runs/r2/timeline"), "What other tiers would have cost", "nothing could be saved by routing")
	if s.doc(s.get("/runs/r3")).Find("#whatif").Length() != 0 {
		t.Error("a run without steps is compared")
	}
}
