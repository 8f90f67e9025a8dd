package progress

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/progrouter/progrouter/research"
)

var lim = research.LimitsFor(research.Standard)

// ledger is a run that can be moved through its milestones.
type ledger struct{ research.Ledger }

func (l *ledger) step(r research.Role, o research.Outcome) int {
	n := len(l.Steps)
	if n > 0 {
		l.Steps[n-1].ProgressAfter = ScoreResearch(&l.Ledger, lim).G
	}
	l.Steps = append(l.Steps, research.Step{
		Index: n, Role: r, Outcome: o, ProgressBefore: ScoreResearch(&l.Ledger, lim).G,
	})
	return n
}

func (l *ledger) plan(n int) {
	l.step(research.Planner, research.OutcomeOK)
	for i := range n {
		id := fmt.Sprintf("q%d", i+1)
		l.Plan.Subquestions = append(l.Plan.Subquestions, research.Subquestion{ID: id, Text: "about " + id})
	}
}

func (l *ledger) search(sub string) {
	i := l.step(research.Searcher, research.OutcomeOK)
	l.Hits = append(l.Hits, research.Hit{Subquestion: sub, URL: "https://a.example/" + sub, StepIndex: i})
	l.Steps[i].Focus = []string{sub}
}

func (l *ledger) quote(sub, doc string) {
	i := l.step(research.Reader, research.OutcomeOK)
	l.addQuote(i, sub, doc)
}

func (l *ledger) addQuote(step int, sub, doc string) {
	n := len(l.Evidence)
	src := fmt.Sprintf("s%d", n)
	l.Sources = append(l.Sources, research.Source{ID: src, URL: doc, SHA256: "sha-" + doc})
	l.Evidence = append(l.Evidence, research.Evidence{
		ID: fmt.Sprintf("e%d", n), SourceID: src, Subquestion: sub, Score: 0.8, StepIndex: step,
		Quote: fmt.Sprintf("%s is explained by %s in chapter %d", sub, doc, n),
	})
}

func (l *ledger) draft() {
	l.step(research.Writer, research.OutcomeOK)
	l.Report.Draft++
	for i, e := range l.Evidence {
		l.Report.Claims = append(l.Report.Claims, research.Claim{
			ID: fmt.Sprintf("c%d", i), Subquestion: e.Subquestion, EvidenceIDs: []string{e.ID},
		})
	}
}

func (l *ledger) review(v research.Verdict) {
	l.step(research.Reviewer, research.OutcomeOK)
	l.Report.Reviewed = true
	for i := range l.Report.Claims {
		l.Report.Claims[i].Verdict = v
	}
}

func TestARunRises(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	type point struct {
		name   string
		do     func()
		regime research.Regime
	}
	last := 0.0
	for _, p := range []point{
		{"planned", func() { l.plan(2) }, research.RegimeRecoverable},
		{"searched", func() { l.search("q1") }, research.RegimeRecoverable},
		{"searched the other", func() { l.search("q2") }, research.RegimeRecoverable},
		{"first answer", func() { l.quote("q1", "one") }, research.RegimePartial},
		{"second answer", func() { l.quote("q2", "one") }, research.RegimePartial},
		{"another document", func() { l.quote("q1", "two") }, research.RegimePartial},
		{"drafted", func() { l.draft() }, research.RegimePartial},
		{"reviewed", func() { l.review(research.Supported) }, research.RegimeComplete},
	} {
		p.do()
		v := ScoreResearch(&l.Ledger, lim)
		if v.G <= last || v.Regime != p.regime {
			t.Errorf("%s: g %.3f after %.3f, regime %s, want %s", p.name, v.G, last, v.Regime, p.regime)
		}
		if v.Trend <= 0 {
			t.Errorf("%s: trend %.2f", p.name, v.Trend)
		}
		last = v.G
	}
	if last < 0.9 {
		t.Errorf("a finished run has g = %.3f", last)
	}
}

func TestNothingIsZero(t *testing.T) {
	t.Parallel()
	v := ScoreResearch(&research.Ledger{}, lim)
	if v.G != 0 || v.Regime != research.RegimeInvalid || v.Trend != 0 || v.Completion != 0 {
		t.Errorf("%+v", v)
	}
}

func TestCoverageCountsDocuments(t *testing.T) {
	t.Parallel()
	base := func() *ledger { l := &ledger{}; l.plan(2); l.search("q1"); return l }
	one, copied, two, orphan := base(), base(), base(), base()
	one.addQuote(9, "q1", "one")
	copied.addQuote(9, "q1", "one")
	copied.addQuote(9, "q1", "one")
	two.addQuote(9, "q1", "one")
	two.addQuote(9, "q1", "two")
	orphan.addQuote(9, "q1", "one")
	orphan.Sources = nil
	r := func(l *ledger) float64 { return ScoreResearch(&l.Ledger, lim).Completion }
	if r(one) != r(copied) {
		t.Error("the same document twice counts twice")
	}
	if !(r(two) > r(one)) {
		t.Error("a second document brings nothing")
	}
	if r(orphan) != r(base()) {
		t.Error("a quote without its source counts")
	}
}

func TestRegimes(t *testing.T) {
	t.Parallel()
	finished := func() *ledger {
		l := &ledger{}
		l.plan(2)
		l.quote("q1", "one")
		l.draft()
		l.review(research.Supported)
		return l
	}
	for _, tc := range []struct {
		name   string
		change func(*ledger)
		want   research.Regime
	}{
		{"one question open", func(*ledger) {}, research.RegimePartial},
		{"given up", func(l *ledger) { l.Plan.Subquestions[1].GaveUp = true }, research.RegimeComplete},
		{"reported as not found", func(l *ledger) { l.Report.NotFound = []string{"about q2"} }, research.RegimeComplete},
		{"not reviewed", func(l *ledger) {
			l.Report.NotFound = []string{"about q2"}
			l.Report.Reviewed = false
		}, research.RegimePartial},
		{"everything not found", func(l *ledger) {
			l.Report, l.Evidence = research.Report{Reviewed: true, NotFound: []string{"about q1", "about q2"}}, nil
		}, research.RegimeRecoverable},
		{"claims cite nothing we hold", func(l *ledger) { l.Evidence = nil }, research.RegimeInvalid},
		{"only weak", func(l *ledger) {
			l.Plan.Subquestions[1].GaveUp = true
			l.Report.Claims[0].Verdict = research.Weak
		}, research.RegimePartial},
		{"contradicted", func(l *ledger) { l.Report.Claims[0].Verdict = research.Contradicted }, research.RegimePartial},
	} {
		l := finished()
		tc.change(l)
		if got := ScoreResearch(&l.Ledger, lim).Regime; got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestFailuresShowInTrendAndQuality(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	l.plan(2)
	l.quote("q1", "one")
	good := ScoreResearch(&l.Ledger, lim)
	for range 4 {
		l.step(research.Reader, research.OutcomeEmpty)
	}
	v := ScoreResearch(&l.Ledger, lim)
	if v.Quality != 0 || !(v.Trend < good.Trend) || !(v.G < good.G) || TrendWord(v.Trend) == Improving {
		t.Errorf("after failures %+v, before %+v", v, good)
	}
	if v.Regime != good.Regime || v.Completion != good.Completion {
		t.Error("failures took milestones away")
	}
}

// Scoring must not depend on whether the last step's score has been stored, or
// on a step in flight.
func TestStoringTheScoreDoesNotChangeIt(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	l.plan(3)
	l.search("q1")
	l.quote("q1", "one")
	want := ScoreResearch(&l.Ledger, lim)
	l.Steps[len(l.Steps)-1].ProgressAfter = want.G
	if got := ScoreResearch(&l.Ledger, lim); got != want {
		t.Errorf("stored: %+v, before: %+v", got, want)
	}
	l.Steps = append(l.Steps, research.Step{Index: 9, Role: research.Reader})
	if got := ScoreResearch(&l.Ledger, lim); got != want {
		t.Errorf("with a step in flight: %+v, before: %+v", got, want)
	}
}

func TestNoveltyOfRepeatedQuotes(t *testing.T) {
	t.Parallel()
	read := func(second string) float64 {
		l := &ledger{}
		l.plan(1)
		i := l.step(research.Reader, research.OutcomeOK)
		l.addQuote(i, "q1", "one")
		l.Evidence[0].Quote = "데이터베이스 서버를 시작한다"
		i = l.step(research.Reader, research.OutcomeOK)
		l.addQuote(i, "q1", "two")
		l.Evidence[1].Quote = second
		return ScoreResearch(&l.Ledger, lim).Quality
	}
	if !(read("전혀 다른 내용의 문장") > read("데이터베이스 서버를 시작한다")) {
		t.Error("a repeated quote is as novel as a new one")
	}
}

// drawLedger makes any ledger at all, consistent or not.
func drawLedger(t *rapid.T) *research.Ledger {
	subs := rapid.SampledFrom([]string{"q1", "q2", "q3", "other"})
	l := &research.Ledger{}
	for i := range rapid.IntRange(0, 3).Draw(t, "plan") {
		l.Plan.Subquestions = append(l.Plan.Subquestions, research.Subquestion{
			ID: fmt.Sprintf("q%d", i+1), Text: fmt.Sprintf("t%d", i+1), GaveUp: rapid.Bool().Draw(t, "gave up"),
		})
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "sources") {
		l.Sources = append(l.Sources, research.Source{ID: fmt.Sprintf("s%d", i), URL: fmt.Sprint(i), SHA256: fmt.Sprint(i % 3)})
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "evidence") {
		l.Evidence = append(l.Evidence, research.Evidence{
			ID: fmt.Sprintf("e%d", i), SourceID: fmt.Sprintf("s%d", rapid.IntRange(0, 5).Draw(t, "source")),
			Subquestion: subs.Draw(t, "sub"), Quote: rapid.StringN(0, 20, 60).Draw(t, "quote"),
			Score: rapid.Float64().Draw(t, "score"), StepIndex: rapid.IntRange(0, 4).Draw(t, "step"),
		})
		l.Hits = append(l.Hits, research.Hit{Subquestion: subs.Draw(t, "hit"), URL: fmt.Sprint(i % 2), StepIndex: i})
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "claims") {
		l.Report.Claims = append(l.Report.Claims, research.Claim{
			ID: fmt.Sprint(i), Subquestion: subs.Draw(t, "sub"),
			EvidenceIDs: []string{fmt.Sprintf("e%d", rapid.IntRange(0, 7).Draw(t, "evidence"))},
			Verdict:     rapid.SampledFrom([]research.Verdict{"", research.Supported, research.Weak, research.Unsupported}).Draw(t, "verdict"),
		})
	}
	l.Report.Reviewed = rapid.Bool().Draw(t, "reviewed")
	for i := range rapid.IntRange(0, 5).Draw(t, "steps") {
		l.Steps = append(l.Steps, research.Step{
			Index: i, Role: rapid.SampledFrom(research.Roles()).Draw(t, "role"),
			Outcome:        rapid.SampledFrom([]research.Outcome{"", research.OutcomeOK, research.OutcomeEmpty}).Draw(t, "outcome"),
			ProgressBefore: rapid.Float64Range(0, 1).Draw(t, "before"), ProgressAfter: rapid.Float64Range(0, 1).Draw(t, "after"),
		})
	}
	return l
}

func TestViewsStayInRange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := drawLedger(t)
		lim := research.LimitsFor(rapid.SampledFrom(research.Depths()).Draw(t, "depth"))
		v := ScoreResearch(l, lim)
		for name, x := range map[string]float64{"g": v.G, "completion": v.Completion, "quality": v.Quality, "|trend|": math.Abs(v.Trend)} {
			if !(x >= 0 && x <= 1) {
				t.Fatalf("%s = %v", name, x)
			}
		}
		if v != ScoreResearch(l, lim) {
			t.Fatal("not deterministic")
		}
	})
}

// stub is a state with given views.
type stub struct {
	r float64
	c research.Regime
	e float64
}

func (s stub) Completion() float64        { return s.r }
func (s stub) Regime() research.Regime    { return s.c }
func (s stub) LastTransition() Transition { return Transition{s.e, s.e} }

// More milestones, a better regime and a better transition never lower g.
func TestScoreIsMonotone(t *testing.T) {
	t.Parallel()
	regimes := []research.Regime{research.RegimeInvalid, research.RegimeRecoverable, research.RegimePartial, research.RegimeComplete}
	rapid.Check(t, func(t *rapid.T) {
		draw := func() (stub, int) {
			c := rapid.IntRange(0, 3).Draw(t, "regime")
			return stub{rapid.Float64Range(0, 1).Draw(t, "r"), regimes[c], rapid.Float64Range(0, 1).Draw(t, "e")}, c
		}
		a, ca := draw()
		b, cb := draw()
		if a.r > b.r {
			a.r, b.r = b.r, a.r
		}
		if a.e > b.e {
			a.e, b.e = b.e, a.e
		}
		if ca > cb {
			a.c, b.c = b.c, a.c
		}
		steps := []research.Step{{Outcome: research.OutcomeOK, ProgressBefore: rapid.Float64Range(0, 1).Draw(t, "before")}}
		if ga, gb := Score(a, steps).G, Score(b, steps).G; ga > gb {
			t.Fatalf("%+v gives %v, %+v gives %v", a, ga, b, gb)
		}
	})
}

func TestAddingAMilestoneNeverLowersCompletion(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := drawLedger(t)
		if len(l.Plan.Subquestions) == 0 {
			return
		}
		before := ScoreResearch(l, lim)
		q := rapid.SampledFrom(l.Plan.Subquestions).Draw(t, "question").ID
		l.Sources = append(l.Sources, research.Source{ID: "new", URL: "new", SHA256: "new"})
		l.Evidence = append(l.Evidence, research.Evidence{ID: "new", SourceID: "new", Subquestion: q, StepIndex: -1})
		if rapid.Bool().Draw(t, "supported") {
			l.Report.Claims = append(l.Report.Claims, research.Claim{Subquestion: q, EvidenceIDs: []string{"new"}, Verdict: research.Supported})
		}
		if after := ScoreResearch(l, lim); after.Completion < before.Completion {
			t.Fatalf("completion fell from %v to %v", before.Completion, after.Completion)
		}
	})
}

// TestTrendOfAFinishedState: how the last steps went makes a finished state no
// more and no less finished, and an unfinished one it does.
func TestTrendOfAFinishedState(t *testing.T) {
	t.Parallel()
	up := []research.Step{{Outcome: research.OutcomeOK, ProgressBefore: 0}}
	down := []research.Step{{Outcome: research.OutcomeOK, ProgressBefore: 1}}
	for c, moves := range map[research.Regime]bool{
		research.RegimeInvalid: false, research.RegimeRecoverable: true, research.RegimePartial: true, research.RegimeComplete: false,
	} {
		s := stub{0.5, c, 0.5}
		if a, b := Score(s, up).G, Score(s, down).G; (a > b) != moves {
			t.Errorf("%s: %v going up, %v going down", c, a, b)
		}
	}
}

func TestWeights(t *testing.T) {
	t.Parallel()
	for _, c := range []research.Regime{research.RegimeInvalid, research.RegimeRecoverable, research.RegimePartial, research.RegimeComplete, "unknown"} {
		w := WeightsFor(c)
		if w.Base < 0 || w.Completion < 0 || w.Trend < 0 || w.Quality < 0 || w.Base+w.Completion+w.Trend+w.Quality > 1+1e-9 {
			t.Errorf("%s: %+v", c, w)
		}
	}
}

func BenchmarkScoreDeepRun(b *testing.B) {
	l := &ledger{}
	l.plan(6)
	for i := range 72 {
		l.quote(fmt.Sprintf("q%d", i%6+1), fmt.Sprint("doc", i%20))
	}
	l.draft()
	l.quote("q1", "last")
	for b.Loop() {
		ScoreResearch(&l.Ledger, lim)
	}
}

// What a larger tier chose counts for more, and nothing that is added by a smaller
// one takes away from it.
func TestSurerChoicesCountMore(t *testing.T) {
	t.Parallel()
	read := func(tiers ...research.Tier) float64 {
		l := &ledger{}
		l.plan(1)
		for _, tier := range tiers {
			l.quote("q1", "one")
			l.Steps[len(l.Steps)-1].Tier = tier
		}
		return ScoreResearch(&l.Ledger, research.LimitsFor(research.Standard)).Completion
	}
	small, medium, large := read(research.Small), read(research.Medium), read(research.Large)
	if !(small < medium && medium < large) {
		t.Errorf("small %v, medium %v, large %v", small, medium, large)
	}
	if both := read(research.Large, research.Small); both < large {
		t.Errorf("%v after a further quote by small, %v before", both, large)
	}
}
