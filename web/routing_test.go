package web_test

import (
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
	"github.com/progrouter/progrouter/web/internal/fixture"
	"github.com/progrouter/progrouter/web/reckon"
)

func TestRunSaysWhatOtherTiersWouldHaveCost(t *testing.T) {
	t.Parallel()
	doc := runPage(t, fixture.Complete())
	part := doc.Find("#whatif")
	words := text(part)
	for _, w := range []string{
		"routing is estimated to have saved 168 J (74%; between 83.4 J and 336 J): it took 58.5 J instead of 226 J",
		"Against the small tier alone, routing saved nothing", "As it was routed: 57.9 J", "1.13 times what was expected", "These are estimates",
	} {
		if !strings.Contains(words, w) {
			t.Errorf("no %q in %s", w, words)
		}
	}
	if n := part.Find("tbody tr").Length(); n != 6 {
		t.Errorf("%d rows, want every step and five roles", n)
	}
	if first := text(part.Find("tbody tr").First()); first != "Every step 2.7 J 1.35–5.4 J 46.6 J 23.3–93.1 J 226 J 113–453 J" {
		t.Errorf("first row %q", first)
	}
	if short := text(doc.Find("#run-meters .apart")); !strings.Contains(short, "saved 168 J") || doc.Find(`#run-meters a[href="#whatif"]`).Length() != 1 {
		t.Errorf("beside the costs: %q", short)
	}
}

func TestWhatIfOfUnusualRuns(t *testing.T) {
	t.Parallel()
	unknown := fixture.Complete()
	for i := range unknown.Steps {
		unknown.Steps[i].Energy = research.Energy{Method: research.MethodUnknown}
	}
	for name, tt := range map[string]struct {
		l    *research.Ledger
		says string
	}{
		"fixed":   {fixture.Fixed(), "nothing was routed and nothing could be saved by routing. As it was: 57.9 J"},
		"running": {fixture.Running(), "The run is not over"},
		"partial": {fixture.Partial(), "1 step is not compared"},
		"unknown": {unknown, "Nothing can be said about the large tier alone: there is no step of which both costs are known. Nothing can be said about the small tier alone: there is no step of which both costs are known. As it was routed: unknown"},
	} {
		if got := text(runPage(t, tt.l).Find("#whatif")); !strings.Contains(got, tt.says) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if runPage(t, fixture.Queued()).Find("#whatif").Length() != 0 {
		t.Error("a run without steps is compared")
	}
}

// The card shows both paths, the gate and what else was gone by where they are
// there, and that nothing has been learned where it is so.
func TestDecisionCardShowsThePaths(t *testing.T) {
	t.Parallel()
	card := runPage(t, fixture.Learned()).Find("#step-6 .decision")
	rows := map[string]string{}
	for _, row := range card.Find(".candidates tbody tr").EachIter() {
		rows[text(row.Find("th"))] = text(row.Find("td"))
	}
	for label, want := range map[string]string{
		"Expected gain": "0.060 0.140 0.170", "by the numbers of the state": "0.090 0.170 0.200", "by the words": "0.000 0.080 0.110",
		"weight of the words": "25% 35% 45%", "by the rule of thumb alone": "0.071 0.151 0.181", "of it for loading the model": "– – 21.5 J",
		"Gain the policy went by": "0.080 · mean of 12 steps 0.090 · mean of 13 steps 0.100 · mean of 14 steps", "Expected tries": "1.4 2.4 3.4",
		"Based on": "learned learned learned",
	} {
		if rows[label] != want {
			t.Errorf("%s: %q, want %q", label, rows[label], want)
		}
	}
	if strings.Contains(text(card), "nothing has been learned") {
		t.Error("what was learned is called a rule of thumb")
	}
	cold := runPage(t, fixture.Complete()).Find("#step-0 .decision")
	if words := text(cold); !strings.Contains(words, "nothing has been learned about this choice yet") || strings.Contains(words, "by the words") || strings.Contains(words, "loading") {
		t.Errorf("the prior: %s", words)
	}
}

func TestSavingsSayWhenRoutingLost(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		spoil func(*research.Step)
		class string
		says  string
	}{
		"saved": {func(*research.Step) {}, "saved-saved", "less"},
		"lost": {func(s *research.Step) {
			s.Energy.Joules, s.Energy.Low, s.Energy.High = joules(900), joules(900), joules(900)
		}, "saved-lost", "Routing saved nothing here."},
		"open":    {func(s *research.Step) { s.Energy.Low, s.Energy.High, s.Model = joules(0), joules(900), "box/small" }, "saved-open", "open"},
		"unknown": {func(s *research.Step) { s.Energy = research.Energy{} }, "saved-nothing", "Nothing can be said"},
	} {
		l := fixture.Complete()
		s := l.Steps[0]
		tt.spoil(&s)
		p := reckon.OfPeriod([]research.RoutedStep{{RunID: "r", Step: s}}, reckon.Learning{})
		_, doc := render(t, web.SavingsPart(web.NewSavingsView(page(t, "en"), p, 30)))
		side := doc.Find(".saved-side").First()
		if !side.HasClass(tt.class) || !strings.Contains(text(side), tt.says) {
			t.Errorf("%s: %s %s", name, side.AttrOr("class", ""), text(side))
		}
	}
}

func joules(j float64) *research.Micro { return research.Known(research.ToMicro(j)) }

func TestQualityWithoutPaths(t *testing.T) {
	t.Parallel()
	_, doc := render(t, web.RoutingPage(web.NewRoutingView(page(t, "en"), fixture.ColdRouting())))
	words := text(doc.Find("main"))
	for _, w := range []string{"have not predicted a step of this period yet", "0.029 too high", "Only 7 stored steps were taken as this rule would have taken them"} {
		if !strings.Contains(words, w) {
			t.Errorf("no %q in %s", w, words)
		}
	}
	if doc.Find(".errors .better").Length() != 0 {
		t.Error("a path that never predicted is the best")
	}
}

// A mark says something only where the errors differ as they are written, and the
// errors of the paths are those of fewer steps than the columns before them.
func TestQualityMarksWhatCanBeTold(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		structured, semantic, mean, gate float64
		better                           string
	}{
		"all alike as written":  {.4199, .4201, .42, .4202, ""},
		"one is best":           {.42, .43, .425, .41, "0.041"},
		"two are alike":         {.4101, .43, .42, .41, "0.041 0.041"},
		"the best is not first": {.42, .39, .42, .42, "0.039"},
	} {
		r := fixture.ColdRouting()
		q := &r.Learning.Quality.Total
		q.N, q.PathsN = 20, 10
		q.StructuredError, q.SemanticError, q.MeanError, q.GateError = tt.structured, tt.semantic, tt.mean, tt.gate
		_, doc := render(t, web.RoutingPage(web.NewRoutingView(page(t, "en"), r)))
		var got []string
		for _, c := range doc.Find(".errors tbody").First().Find(".better").EachIter() {
			got = append(got, strings.Fields(text(c))[0])
		}
		if strings.Join(got, " ") != tt.better {
			t.Errorf("%s: %q", name, got)
		}
		if !strings.Contains(text(doc.Find("main")), "Compare these four with each other only") {
			t.Errorf("%s: nothing says that the columns count different steps", name)
		}
	}
}
