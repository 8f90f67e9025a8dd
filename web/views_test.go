package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
	"github.com/progrouter/progrouter/web/internal/fixture"
)

func askView(t *testing.T, in web.AskInput) *goquery.Document {
	t.Helper()
	_, doc := render(t, web.AskPage(web.NewAskView(page(t, "en"), in)))
	return doc
}

func TestAskFormRoundTrip(t *testing.T) {
	t.Parallel()
	seconds := 90.5
	run := research.Run{Request: research.Request{
		Question: "Why?", Language: "ko", Depth: research.Deep, Policy: research.Cascade, Library: true, Follow: 2,
		URLs:  []string{"https://a.example/1", "https://a.example/2"},
		Given: research.Budget{Joules: research.Known(research.ToMicro(12.5)), Seconds: &seconds},
	}}
	doc := askView(t, web.AskInput{Form: web.AskFormFromRun(run)})
	values := url.Values{}
	doc.Find("#ask [name]").Each(func(_ int, f *goquery.Selection) {
		name, _ := f.Attr("name")
		kind, _ := f.Attr("type")
		_, checked := f.Attr("checked")
		switch {
		case goquery.NodeName(f) == "select":
			v, _ := f.Find("option[selected]").Attr("value")
			values.Set(name, v)
		case goquery.NodeName(f) == "textarea":
			values.Set(name, f.Text())
		case kind == "checkbox" && checked:
			values.Set(name, "on")
		case kind == "radio" && !checked, kind == "checkbox":
		default:
			v, _ := f.Attr("value")
			values.Set(name, v)
		}
	})
	if got, want := web.AskFormFromValues(values), web.AskFormFromRun(run); got != want {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
}

func TestAskFormDefaults(t *testing.T) {
	t.Parallel()
	f := web.DefaultAskForm(3, false)
	if !f.Library || f.Web || f.Depth != "standard" || f.Policy != "progrouter" {
		t.Errorf("%+v", f)
	}
	if f := web.AskFormFromValues(url.Values{}); f.Depth != "standard" || f.Policy != "progrouter" || f.Library {
		t.Errorf("an empty form reads %+v", f)
	}
	doc := askView(t, web.AskInput{Form: f})
	if got, _ := doc.Find("#joules").Attr("placeholder"); got != "1500" {
		t.Errorf("the default budget reads %q", got)
	}
	if _, open := doc.Find(".more").Attr("open"); open {
		t.Error("the extra settings are open though nothing is set")
	}
	if !strings.Contains(text(doc.Find(".ask-aside")), "No language model is used") {
		t.Error("no word about the missing language model")
	}
}

func TestAskShowsProblemsAtTheirFields(t *testing.T) {
	t.Parallel()
	doc := askView(t, web.AskInput{
		Form:   web.AskForm{Question: "x", Joules: "many", Depth: "quick"},
		Errors: map[string]string{"question": "too short", "joules": "no number", "url": "bad address", "odd": "something else"},
	})
	for id, want := range map[string]string{"question-problem": "too short", "joules-problem": "no number", "urls-problem": "bad address"} {
		if got := text(doc.Find("#" + id)); got != want {
			t.Errorf("%s: %q", id, got)
		}
	}
	if got := doc.Find("#question").Text(); got != "x" {
		t.Errorf("the question typed is lost: %q", got)
	}
	for _, sel := range []string{".more[open]", ".urls[open]", "#joules[aria-invalid=true]"} {
		if doc.Find(sel).Length() != 1 {
			t.Errorf("%s not found", sel)
		}
	}
	if got := text(doc.Find("#ask > .problem")); got != "something else" {
		t.Errorf("a problem without a field: %q", got)
	}
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	in := web.EstimateInput{
		Expected: research.Cost{Joules: research.Known(research.ToMicro(58)), Seconds: 24},
		High:     research.Cost{Joules: research.Known(research.ToMicro(140)), Seconds: 70},
		Budget:   research.Budget{Joules: research.Known(research.ToMicro(50))}, Method: research.MethodCPU, Meter: fixture.Meter, PastRuns: 1,
	}
	_, doc := render(t, web.EstimateFragment(web.NewEstimateView(page(t, "en"), in)))
	got := text(doc.Selection)
	for _, want := range []string{"58 J up to 140 J budget 50 J", "Dollars unknown", "24 s up to 1 min 10 s", "Energy: the run will probably end early", "Learned from 1 finished run", "10 W per busy core"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q: %s", want, got)
		}
	}
	_, doc = render(t, web.EstimateFragment(web.NewEstimateView(page(t, "en"), web.EstimateInput{Error: "Too small."})))
	if got := text(doc.Find(".problem")); got != "Too small." {
		t.Errorf("error: %q", got)
	}
}

func TestRunsList(t *testing.T) {
	t.Parallel()
	in := web.RunsInput{Filter: research.RunFilter{Text: "a&b", Limit: 5, Offset: 5}, Total: 12, Runs: fixture.Summaries()}
	v := web.NewRunsView(page(t, "en"), in)
	if v.Pager.Text != "6–10 of 12" || v.Pager.Prev != "/runs?q=a%26b" || v.Pager.Next != "/runs?page=3&q=a%26b" {
		t.Errorf("pager %+v", v.Pager)
	}
	_, doc := render(t, web.RunsPage(v))
	if n := doc.Find(".run-row").Length(); n != 5 {
		t.Errorf("%d rows", n)
	}
	if got := text(doc.Find(".run-row").Eq(1)); !strings.Contains(got, "number 2 in the queue") {
		t.Errorf("queued run: %q", got)
	}
	if doc.Find(`#runs[hx-trigger="every 3s"]`).Length() != 1 {
		t.Error("a list with live runs does not refresh")
	}
	in.Runs, in.Total = nil, 0
	_, doc = render(t, web.RunsPage(web.NewRunsView(page(t, "en"), in)))
	if got := text(doc.Find(".empty")); !strings.HasPrefix(got, "No run matches.") {
		t.Errorf("empty: %q", got)
	}
	if doc.Find("#runs[hx-get]").Length() != 0 {
		t.Error("an empty list polls")
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	a, b := fixture.Complete(), fixture.NoEvidence()
	_, doc := render(t, web.ComparePage(web.NewCompareView(page(t, "en"), web.CompareInput{A: a, B: b, Choices: fixture.Summaries()[:1]})))
	body := text(doc.Find(".compare"))
	for _, want := range []string{"58.5 J", "0.7 J better", "−99%", "Claims that answer 8 better 0 −8", "Share of claims that answer 89% unknown"} {
		if !strings.Contains(body, want) {
			t.Errorf("lacks %q: %s", want, body)
		}
	}
	if !strings.Contains(text(doc.Find("main")), "different questions") {
		t.Error("no word that the questions differ")
	}
	if got, _ := doc.Find("#a option[selected]").Attr("value"); got != a.Run.ID {
		t.Errorf("the first picker shows %q, though the list does not hold it", got)
	}
	_, doc = render(t, web.ComparePage(web.NewCompareView(page(t, "en"), web.CompareInput{A: a, B: fixture.Partial()})))
	if got := text(doc.Find(".compare tbody").First()); !strings.Contains(got, "Energy 58.5 J 50 J −15%") {
		t.Errorf("a sum with unknown steps must not win: %q", got)
	}
	same, like := fixture.Complete(), fixture.Complete()
	same.Steps[len(same.Steps)-1].ProgressAfter, like.Steps[len(like.Steps)-1].ProgressAfter = .9981, .9979
	_, doc = render(t, web.ComparePage(web.NewCompareView(page(t, "en"), web.CompareInput{A: same, B: like})))
	if doc.Find(".compare .tag").Length() != 0 {
		t.Errorf("figures that read the same have a winner: %s", text(doc.Find(".compare tbody").Last()))
	}
	_, doc = render(t, web.ComparePage(web.NewCompareView(page(t, "en"), web.CompareInput{Choices: fixture.Summaries()})))
	if doc.Find(".compare").Length() != 0 || doc.Find("#a option").Length() != 6 {
		t.Error("without runs only the picker is shown")
	}
}

func TestDashboard(t *testing.T) {
	t.Parallel()
	_, doc := render(t, web.DashboardPage(web.NewDashboardView(page(t, "en"), web.DashboardInput{Usage: fixture.Usage(), Days: 30, Meter: fixture.Meter})))
	totals := text(doc.Find(".totals"))
	for _, want := range []string{"3.12 kJ", "0.867 Wh", "between 1.56–6.24 kJ", "10 W per busy core", "3 steps of unknown energy", "290 steps", "complete 31"} {
		if !strings.Contains(totals, want) {
			t.Errorf("totals lack %q: %s", want, totals)
		}
	}
	if n := doc.Find(".usage").Length(); n != 4 {
		t.Errorf("%d tables", n)
	}
	if got := text(doc.Find("section[aria-labelledby=by-tier] tbody tr").Eq(2)); !strings.HasPrefix(got, "large 2.05 kJ 1.02–4.1 kJ 1.02–4.1 kJ 66%") { // once for phones, once for the rest
		t.Errorf("large: %q", got)
	}
	if n := doc.Find("#figure-chart-days rect").Length(); n != 11 {
		t.Errorf("%d columns, want one per day with steps", n)
	}
	if got, _ := doc.Find(".windows [aria-current]").Attr("href"); got != "/dashboard?days=30" {
		t.Errorf("window %q", got)
	}
	u := fixture.Usage()
	u.ByRole[0].Method = research.MethodRAPL
	_, doc = render(t, web.DashboardPage(web.NewDashboardView(page(t, "en"), web.DashboardInput{Usage: u, Meter: fixture.Meter})))
	if got := text(doc.Find("section[aria-labelledby=by-role]")); !strings.Contains(got, "measured by the processor") {
		t.Errorf("differing methods are not told: %q", got)
	}
	_, doc = render(t, web.DashboardPage(web.NewDashboardView(page(t, "en"), web.DashboardInput{})))
	if got := text(doc.Find(".empty")); !strings.Contains(got, "No run has used anything") {
		t.Errorf("empty: %q", got)
	}
}

func TestLibrary(t *testing.T) {
	t.Parallel()
	in := web.LibraryInput{Total: 1, Limit: 20, MaxBytes: 32 << 20, Documents: []research.LibraryDocument{
		{URL: "library:handbook/a.md", Title: "A", Collection: "handbook", AddedAt: fixture.Now()},
		{URL: "library:b.pdf", Collection: "uploads", MediaType: "application/pdf; x=y", Bytes: 2048, Passages: 1, AddedAt: fixture.Now()},
	}, Results: []web.UploadResult{{Name: "b.pdf", Passages: 1}, {Name: "c.pdf", Error: "It is encrypted."}}}
	_, doc := render(t, web.LibraryPage(web.NewLibraryView(page(t, "en"), in)))
	rows := doc.Find(".document-list > li")
	if got := text(rows.Eq(1)); got != "b.pdf uploaded PDF 1 passage 2 kB just now Remove" {
		t.Errorf("row %q", got)
	}
	if rows.Eq(0).Find("form").Length() != 0 {
		t.Error("the handbook can be removed")
	}
	if got, _ := rows.Eq(1).Find("input[name=url]").Attr("value"); got != "library:b.pdf" {
		t.Errorf("removes %q", got)
	}
	if got := text(doc.Find(".upload-results")); got != "b.pdf added, 1 passage c.pdf It is encrypted." {
		t.Errorf("results %q", got)
	}
	if got := text(doc.Find("#files-hint")); !strings.Contains(got, "Up to 32 MB each.") {
		t.Errorf("limit %q", got)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	in := web.SettingsInput{
		Models:    []web.ModelInput{{Name: "embedded/small", Tier: research.Small, Embedded: true}, {Name: "local/big", Tier: research.Large}},
		Connected: web.ModelsInput{Models: []web.LanguageModelInput{{LanguageModel: research.LanguageModel{Name: "local/big", Tier: research.Large}, EnergyState: web.EnergyUnknown}}},
		Providers: []web.ProviderInput{{Name: "wikipedia", State: "down"}}, Meter: fixture.Meter, Allowed: []string{"10.0.0.1:80"},
	}
	deep := research.LimitsFor(research.Deep)
	_, doc := render(t, web.SettingsPage(web.NewSettingsView(page(t, "en"), in)))
	if got := text(doc.Find("#models")); !strings.Contains(got, "large local/big price unknown energy unknown") || strings.Contains(got, "No language model") {
		t.Errorf("models %q", got)
	}
	for sel, want := range map[string]string{"#search": "no answer Wikipedia", "#server": "10.0.0.1:80", "#energy": "No energy counter", "#depths": fmt.Sprintf("Deep %d %d %d", deep.Subquestions, deep.Sources, deep.Evidence)} {
		if got := text(doc.Find(sel)); !strings.Contains(got, want) {
			t.Errorf("%s lacks %q: %s", sel, want, got)
		}
	}
}

func TestSwitchesReturnToThePage(t *testing.T) {
	t.Parallel()
	p := page(t, "ko")
	p.Theme, p.SignedIn = web.ThemeDark, true
	_, doc := render(t, web.LibraryPage(web.NewLibraryView(p, web.LibraryInput{})))
	if got, _ := doc.Find("html").Attr("data-theme"); got != "dark" {
		t.Errorf("theme %q", got)
	}
	doc.Find(`form[action="/preferences"] input[name=next]`).Each(func(_ int, f *goquery.Selection) {
		if got, _ := f.Attr("value"); got != "/here?x=1" {
			t.Errorf("next %q", got)
		}
	})
	if got := text(doc.Find(`[aria-pressed=true]`)); got != "한국어" {
		t.Errorf("pressed %q", got)
	}
	if doc.Find(`form[action="/logout"]`).Length() != 1 {
		t.Error("no way to sign out")
	}
	_, doc = render(t, web.LoginPage(web.NewLoginView(p, "/runs", "")))
	if doc.Find("nav").Length() != 0 {
		t.Error("the login page shows the navigation")
	}
	for in, want := range map[string]web.Theme{"dark": web.ThemeDark, "light": web.ThemeLight, "system": web.ThemeSystem, "x": web.ThemeSystem} {
		if web.ParseTheme(in) != want {
			t.Errorf("theme %q", in)
		}
	}
}

func TestDashboardOrderIsNatural(t *testing.T) {
	t.Parallel()
	u := fixture.Usage()
	u.ByTier[0], u.ByTier[2] = u.ByTier[2], u.ByTier[0]
	u.ByRole[0], u.ByRole[4] = u.ByRole[4], u.ByRole[0]
	v := web.NewDashboardView(page(t, "en"), web.DashboardInput{Usage: u})
	if got := v.Tables[0].Rows[0].Label + " " + v.Tables[1].Rows[0].Label; got != "small Planner" {
		t.Errorf("first rows: %s", got)
	}
	if u.ByTier[0].Tier != research.Large {
		t.Error("the caller's rows were sorted")
	}
}

func TestProgressInWords(t *testing.T) {
	t.Parallel()
	given := &research.ProgressView{G: 0.09, Regime: research.RegimeRecoverable}
	for status, want := range map[research.Status]string{research.Running: "no answer yet, on the way", research.NoEvidence: "ended without an answer"} {
		l := fixture.NoEvidence()
		l.Run.Status = status
		v := web.NewRunView(page(t, "en"), l, web.RunInput{Progress: given})
		if v.Progress.Regime != want || v.Progress.G != "0.09" {
			t.Errorf("%s: %+v", status, v.Progress)
		}
	}
	v := web.NewRunView(page(t, "en"), fixture.Complete(), web.RunInput{})
	if v.Progress.Regime != "answered" || !strings.Contains(v.Progress.Explain, "before its step") {
		t.Errorf("without a fresh score: %+v", v.Progress)
	}
	l := fixture.Complete()
	l.Steps[5].ProgressAfter = 0.5
	if v := web.NewRunView(page(t, "en"), l, web.RunInput{}); !v.Steps[5].Loss || v.Steps[4].Loss {
		t.Error("only a step that lost progress is a loss")
	}
}
