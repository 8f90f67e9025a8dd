package web_test

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
	"github.com/progrouter/progrouter/web/internal/fixture"
)

func TestReportCites(t *testing.T) {
	t.Parallel()
	l := fixture.Complete()
	doc := runPage(t, l)
	numbers := map[string]bool{}
	doc.Find(".claim").Each(func(_ int, c *goquery.Selection) {
		if c.Find(".cite").Length() == 0 {
			t.Errorf("a claim without a marker: %q", text(c))
		}
		c.Find(".cite").Each(func(_ int, m *goquery.Selection) {
			numbers[text(m)] = true
			target, _ := m.Attr("popovertarget")
			pop := doc.Find("#" + target)
			quote := strings.TrimSpace(pop.Find("blockquote").Text())
			if !hasQuote(l, quote) {
				t.Errorf("marker %s shows a quote that is not in the evidence: %q", text(m), quote)
			}
			for _, want := range []string{"read 30 Nov 2026", "See it in the stored text"} {
				if !strings.Contains(text(pop), want) {
					t.Errorf("marker %s lacks %q: %s", text(m), want, text(pop))
				}
			}
		})
	})
	if len(numbers) != 9 {
		t.Errorf("%d numbers, want one per quote", len(numbers))
	}
	if got := text(doc.Find("#summary-title").Parent().Find(".cite").First()); got != "1" {
		t.Errorf("the first marker a reader meets is %s", got)
	}
}

func hasQuote(l *research.Ledger, quote string) bool {
	for _, e := range l.Evidence {
		if e.Quote == quote {
			return true
		}
	}
	return false
}

func TestReportParts(t *testing.T) {
	t.Parallel()
	doc := runPage(t, fixture.Complete())
	if got := text(doc.Find(".versus")); strings.Count(got, "contradicted") < 2 || !strings.Contains(got, "Notes on limits") {
		t.Errorf("contradictions: %q", got)
	}
	if got := text(doc.Find(".not-found")); !strings.Contains(got, "How much energy the router itself uses") {
		t.Errorf("not found: %q", got)
	}
	if got := text(doc.Find(".discarded")); !strings.Contains(got, "login") || !strings.Contains(got, "private") {
		t.Errorf("discarded: %q", got)
	}
	if got := text(doc.Find(".claim-weak")); !strings.Contains(got, "weakly supported Only one source says so.") {
		t.Errorf("weak claim: %q", got)
	}
	if doc.Find(".claim-supported .verdict").Length() != 0 {
		t.Error("supported claims need no mark")
	}
	if got := text(doc.Find(".run-head")); !strings.Contains(got, "No language model was used") {
		t.Errorf("head: %q", got)
	}
	if n := doc.Find(".sources li").Length(); n != 4 {
		t.Errorf("%d sources", n)
	}
	links := doc.Find(`.menu a[href^="/runs/run-complete/export?format="]`)
	if links.Length() == 0 {
		t.Error("no export link")
	}
	links.Each(func(_ int, a *goquery.Selection) {
		if href := a.AttrOr("href", ""); !strings.HasSuffix(href, "&lang=en") {
			t.Errorf("%s does not ask for the reader's language", href)
		}
	})
}

func TestStepsShowTheDecision(t *testing.T) {
	t.Parallel()
	doc := runPage(t, fixture.Complete())
	if n := doc.Find(".timeline > li").Length(); n != 7 {
		t.Fatalf("%d steps", n)
	}
	step := doc.Find("#step-2")
	summary := text(step.Find("summary"))
	for _, want := range []string{"3 Reader", "medium", "8.9 J", "3.2 s", "+0.21"} {
		if !strings.Contains(summary, want) {
			t.Errorf("summary lacks %q: %s", want, summary)
		}
	}
	table := step.Find(".candidates")
	if n := table.Find("thead th").Length(); n != 3 {
		t.Errorf("%d candidates", n)
	}
	for _, row := range []string{"Expected gain", "At worst", "value of the gain", "energy, by the allowance", "energy, by the budget", "Score", "Eligible"} {
		if !strings.Contains(text(table), row) {
			t.Errorf("the card lacks %q", row)
		}
	}
	last := text(doc.Find("#step-6 .candidates tfoot"))
	if !strings.Contains(last, "no: its worst case of 80 J") {
		t.Errorf("why not: %q", last)
	}
	if got := text(doc.Find("#step-3 summary")); !strings.Contains(got, "Failed.") {
		t.Errorf("a closed row hides how its step ended: %q", got)
	}
	if strings.Contains(summary, "Done") {
		t.Errorf("what ended well is not said: %q", summary)
	}
	if got := text(doc.Find("#step-3")); !strings.Contains(got, "explored, to learn") || !strings.Contains(got, "Failed.") {
		t.Errorf("failed, explored step: %q", got)
	}
}

func TestReasonsInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	_, doc := render(t, web.RunPage(web.NewRunView(page(t, "ko"), fixture.Complete(), web.RunInput{Meter: fixture.Meter})))
	if got := text(doc.Find("#step-2 .step-reason")); !strings.Contains(got, "소형 등급보다 중형 등급 모델을") || !strings.Contains(got, "감안해도") {
		t.Errorf("reason: %q", got)
	}
	if got := text(doc.Find(".standfirst")); !strings.HasPrefix(got, "출처가 답하는 부분은 모두") {
		t.Errorf("stop reason: %q", got)
	}
	if got := text(doc.Find("#step-6 tfoot")); !strings.Contains(got, "아니요: 최악의 경우") {
		t.Errorf("why not: %q", got)
	}
	if got := text(doc.Find(".discarded")); !strings.Contains(got, "내부망 주소라") {
		t.Errorf("discarded: %q", got)
	}
	l := fixture.Complete()
	l.Run.StopCode, l.Steps[2].Decision.ReasonCode = "of_the_future", "of_the_future"
	v := web.NewRunView(page(t, "ko"), l, web.RunInput{})
	if v.StopReason != l.Run.StopReason || v.Steps[2].Reason != l.Steps[2].Decision.Reason {
		t.Error("unknown codes must show the stored sentence")
	}
}

func TestLiveRun(t *testing.T) {
	t.Parallel()
	doc := runPage(t, fixture.Running())
	now := text(doc.Find("#run-now"))
	for _, want := range []string{"Step 6 · Reviewer", "checking every claim", "medium", "3 s", "Step 4 had a problem", "minutes ago"} {
		if !strings.Contains(now, want) {
			t.Errorf("now lacks %q: %s", want, now)
		}
	}
	if got, _ := doc.Find("[data-since]").Attr("data-since"); got != "2026-11-30T15:04:02Z" {
		t.Errorf("since %q", got)
	}
	for _, action := range []string{"pause", "cancel"} {
		if doc.Find(`form[method=post][action="/runs/run-running/`+action+`"]`).Length() != 1 {
			t.Errorf("no %s button", action)
		}
	}
	if doc.Find(`form[action$="/delete"]`).Length() != 0 {
		t.Error("a live run cannot be deleted")
	}
	if n := doc.Find(".claim .verdict").Length(); n != 0 {
		t.Errorf("%d claims say that an unreviewed draft is not reviewed", n)
	}
}

func TestUnknownIsNeverZero(t *testing.T) {
	t.Parallel()
	doc := runPage(t, fixture.Partial())
	if got := text(doc.Find("#step-1 summary")); !strings.Contains(got, "unknown") || strings.Contains(got, "0 J") {
		t.Errorf("step: %q", got)
	}
	if got := text(doc.Find("#run-meters")); !strings.Contains(got, "1 step of unknown energy is not in this sum") {
		t.Errorf("meters: %q", got)
	}
	l := fixture.NoEvidence()
	for i := range l.Steps {
		l.Steps[i].Energy = research.Energy{Method: research.MethodUnknown}
	}
	if v := view(t, l); v.Joules.Known || v.Joules.Text != "unknown" {
		t.Errorf("a sum of unknown steps shows %+v", v.Joules)
	}
	for i := range l.Steps {
		l.Steps[i].Dollars = nil
	}
	v := view(t, l)
	if v.Dollars.Known || v.Dollars.Text != "unknown" || !strings.Contains(v.UnknownSteps, "of unknown price") {
		t.Errorf("dollars of unknown price show %+v, %q", v.Dollars, v.UnknownSteps)
	}
	l.Steps[0].Dollars = research.Known(20_000)
	if v = view(t, l); !v.Dollars.Known || !strings.Contains(v.Dollars.Text, "0.02") || !strings.Contains(v.UnknownSteps, "of unknown price") {
		t.Errorf("dollars known in part show %+v, %q", v.Dollars, v.UnknownSteps)
	}
	u := research.UsageRow{Steps: 3, UnpricedSteps: 3}
	if d := web.NewDashboardView(page(t, "en"), web.DashboardInput{Usage: research.Usage{Total: u}}); d.Dollars != "unknown" || !strings.Contains(d.Unknown, "of unknown price") {
		t.Errorf("the dashboard shows %q, %q", d.Dollars, d.Unknown)
	}
}

func TestGaugesWarnEarly(t *testing.T) {
	t.Parallel()
	doc := runPage(t, fixture.Partial()) // 50 of 52 J
	if doc.Find("#run-meters .level-full").Length() != 1 {
		t.Error("a used-up budget is not marked")
	}
	if got := text(doc.Find("#run-meters")); !strings.Contains(got, "modelled from CPU time at 10 W per busy core (5–20 W)") {
		t.Errorf("no honest label: %q", got)
	}
	if doc.Find(`form[action="/runs/run-partial/raise"] input[name=joules][value="52"]`).Length() != 1 {
		t.Error("a partial run's budget cannot be raised")
	}
}

func TestQueuedAndEmptyRuns(t *testing.T) {
	t.Parallel()
	p := page(t, "en")
	for position, want := range map[int]string{0: "Waiting for a free worker", 1: "Next in the queue", 3: "2 runs are ahead"} {
		v := web.NewRunView(p, fixture.Queued(), web.RunInput{QueuePosition: position})
		if !strings.Contains(v.Now.Waiting, want) {
			t.Errorf("position %d: %q", position, v.Now.Waiting)
		}
	}
	doc := runPage(t, fixture.NoEvidence())
	if got := text(doc.Find("#run-report")); !strings.Contains(got, "do not answer this question") || !strings.Contains(got, "“railway line borders” in library: 0 results") {
		t.Errorf("no evidence: %q", got)
	}
	for status, want := range map[research.Status]string{research.Failed: "because the run failed", research.Cancelled: "was stopped", research.Paused: "Resume the run"} {
		l := fixture.Queued()
		l.Run.Status = status
		if v := view(t, l); !strings.Contains(v.Report.Empty, want) {
			t.Errorf("%s: %q", status, v.Report.Empty)
		}
	}
	l := fixture.Running()
	l.Run.CancelRequested = true
	if v := view(t, l); v.Actions.Cancel || v.Now.Waiting != "Stopping" {
		t.Errorf("stopping: %+v %q", v.Actions, v.Now.Waiting)
	}
}

func TestAnEmptyLedgerDoesNotPanic(t *testing.T) {
	t.Parallel()
	_, doc := render(t, web.RunPage(web.NewRunView(page(t, "en"), &research.Ledger{}, web.RunInput{})))
	if doc.Find("main").Length() != 1 {
		t.Error("no page")
	}
}

func TestSnapshotMarksQuotes(t *testing.T) {
	t.Parallel()
	l := fixture.Complete()
	l.Evidence = append(l.Evidence,
		research.Evidence{ID: "bad1", SourceID: "s1", Start: -5, End: 3},
		research.Evidence{ID: "bad2", SourceID: "s1", Start: 5, End: 1 << 30},
		research.Evidence{ID: "bad3", SourceID: "s1", Start: l.Evidence[0].Start + 1, End: l.Evidence[0].End})
	v, ok := web.NewSnapshotView(page(t, "en"), l, "s1")
	if !ok {
		t.Fatal("no such source")
	}
	var whole strings.Builder
	for _, b := range v.Blocks {
		for _, s := range b.Segments {
			whole.WriteString(s.Text)
		}
	}
	stripped := strings.NewReplacer("\n", "", "#", "", " ", "")
	if got, want := stripped.Replace(whole.String()), stripped.Replace(l.Sources[0].Text); got != want {
		t.Errorf("the blocks do not make the snapshot:\n%s", whole.String())
	}
	_, doc := render(t, web.SnapshotPage(v))
	if got := doc.Find("mark#e1").Text(); got != l.Evidence[0].Quote {
		t.Errorf("marked %q", got)
	}
	if n := doc.Find("mark").Length(); n != 3 {
		t.Errorf("%d marks", n)
	}
	if _, ok := web.NewSnapshotView(page(t, "en"), l, "s99"); ok {
		t.Error("a source that is not there")
	}
}

func TestRunNamesItsLanguageModels(t *testing.T) {
	t.Parallel()
	l := fixture.Complete()
	l.Steps[0].Role, l.Steps[0].Model = research.Planner, "ollama/llama3.2:3b"
	if head := text(runPage(t, l).Find(".run-head")); !strings.Contains(head, "no answer of theirs was used") || strings.Contains(head, "Language models used") || strings.Contains(head, "Connect a language model") {
		t.Errorf("a model that never answered: %q", head)
	}
	l.Steps[0].Actions = []research.Action{{Kind: "call", Call: &research.ModelCall{Model: "ollama/llama3.2:3b", Tokens: research.Tokens{Output: 9}}}}
	head := text(runPage(t, l).Find(".run-head"))
	if !strings.Contains(head, "Language models used: ollama/llama3.2:3b (Planner). The built-in engine took the other steps.") || strings.Contains(head, "Connect a language model") {
		t.Errorf("head: %q", head)
	}
}
