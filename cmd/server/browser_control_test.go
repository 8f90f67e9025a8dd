package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/progrouter/progrouter/research"
)

// browserControl stops, pauses, repeats, extends and deletes runs.
func browserControl(t *testing.T, browser context.Context) {
	s := startSite(t, nil)
	b := newTab(t, browser, s)
	pauseAndResume(t, b)
	stopAndDelete(t, b)
	askAgain(t, b)
	raiseAndGoOn(t, b)
}

func pauseAndResume(t *testing.T, b *tab) {
	t.Helper()
	h := b.site.hold.next(research.Reader)
	id := b.ask(handbookAsk, b.policy(research.FixedSmall))
	h.reached(t)
	b.until("the run can be paused", `document.querySelector('form[action$="/pause"]')`)
	b.click(`form[action$="/pause"] button`)
	b.untilText("#run-now", "Pausing after this step")
	h.release()
	b.untilStatus("paused")
	b.untilText("#run-now", "Paused")
	steps := b.count("#run-steps .step")
	b.click(`form[action$="/resume"] button`)
	b.untilStatus("complete")
	b.untilCount("#run-steps .step", fmt.Sprintf("> %d", steps))
	if r := b.site.run(t, id); r.Status != "complete" {
		t.Errorf("status %s", r.Status)
	}
}

func stopAndDelete(t *testing.T, b *tab) {
	t.Helper()
	h := b.site.hold.next(research.Reader)
	id := b.ask("How is energy measured?", b.policy(research.FixedSmall))
	h.reached(t)
	b.until("the run can be stopped", `document.querySelector('form[action$="/cancel"]')`)
	b.click(`form[action$="/cancel"] button`)
	b.untilStatus("cancelled")
	if got := b.site.run(t, id).Status; got != "cancelled" {
		t.Errorf("status %s", got)
	}
	b.until("it can be deleted", `document.querySelector("#menu-delete")`)
	b.click("#menu-delete > summary")
	b.untilText("#menu-delete", "cannot be undone")
	b.click("#menu-delete button.danger")
	b.until("the list is shown", `location.pathname === "/runs"`)
	b.untilText(".flash", "deleted")
	if strings.Contains(b.text("#runs"), "How is energy measured?") {
		t.Error("the deleted run is still listed")
	}
	if status, _, body := b.site.fetch(t, "/runs/"+id); status != 404 || !strings.Contains(body, "<h1>") {
		t.Errorf("a deleted run answers %d", status)
	}
}

func askAgain(t *testing.T, b *tab) {
	t.Helper()
	b.open("/runs")
	b.click("#runs .run-row .run-question")
	b.untilStatus("complete")
	b.click(`.actions a[href^="/?again="]`)
	b.until("the form is shown", `document.querySelector("#ask")`)
	if got := get[string](b, `document.querySelector("#question").value`); got != handbookAsk {
		t.Errorf("the form asks %q again", got)
	}
	if got := get[string](b, `document.querySelector("#policy").value`); got != string(research.FixedSmall) {
		t.Errorf("the form routes by %q", got)
	}
	if !get[bool](b, `document.querySelector("details.more").open`) {
		t.Error("a changed routing is hidden in the folded part")
	}
	b.do(chromedp.SetValue(chromedp.CSS("#policy"), string(research.Cascade)))
	b.click("#ask button.primary")
	b.untilStatus("complete")
	if facts := b.text("#run-head .facts"); !strings.Contains(facts, "cascade") {
		t.Errorf("the second run says %q", facts)
	}
	b.click(`.actions a[href^="/compare"]`)
	b.until("a second run can be chosen", `document.querySelector("#b")`)
	b.do(chromedp.Evaluate[chromedp.Void](`(() => { const s = document.querySelector("#b"); s.value = [...s.options].map(o => o.value).filter(v => v && v !== document.querySelector("#a").value)[0]; })()`))
	b.click("form.filter button")
	b.until("both runs are shown", `document.querySelectorAll("table.compare thead .run-question").length === 2`)
}

var leastAmount = regexp.MustCompile(`(?i)at least ([\d.,]+)`)

// raiseAndGoOn follows the advice of a refusal to the smallest budget, gets a
// partial report for it, and lets the run go on with more.
// starvingRun stores a run whose budget allows no step.
func starvingRun(t *testing.T, data string) string {
	t.Helper()
	req := handbookQuestion()
	req.Given.Joules = research.Known(research.ToMicro(0.01))
	id, err := openStore(t, data, "").CreateRun(t.Context(), req, req.EffectiveBudget(false))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func raiseAndGoOn(t *testing.T, b *tab) {
	t.Helper()
	b.expect("status of 422")
	b.open("/")
	b.fill("#question", "How does routing decide which tier works on a step?")
	b.click(`input[name=depth][value=quick]`)
	b.policy(research.FixedSmall)()
	b.fill("#joules", "0.0001")
	b.click("#ask button.primary")
	b.until("the budget is refused", `document.querySelector("#joules-problem")`)
	m := leastAmount.FindStringSubmatch(b.text("#joules-problem"))
	if m == nil {
		t.Fatalf("the refusal names no smallest budget: %q", b.text("#joules-problem"))
	}
	// The smallest budget is a bound that real runs stay far below, so the run
	// that starves is stored as an older program would have left it.
	id := starvingRun(t, b.site.data)
	b.open("/runs/" + id)
	b.untilStatus("partial")
	if why := b.text("#run-head .standfirst"); !strings.Contains(strings.ToLower(why), "budget") {
		t.Errorf("the partial run says %q", why)
	}
	steps := b.count("#run-steps .step")
	get[bool](b, "document.querySelector('#menu-raise').open = true")
	if got := get[string](b, `document.querySelector("#raise-joules").value`); got != "0.01" {
		t.Errorf("the form to raise says %q, the budget is 0.01", got)
	}
	b.fill("#raise-joules", "300")
	b.click("#menu-raise button.primary")
	b.untilText(".flash", "goes on")
	b.untilStatus("complete")
	b.untilCount("#run-steps .step", fmt.Sprintf("> %d", steps))
}

// browserForms gives every form something wrong; what was typed stays.
func browserForms(t *testing.T, browser context.Context) {
	s := startSite(t, nil)
	b := newTab(t, browser, s)
	b.expect("status of 422")
	b.open("/")
	typed := map[string]string{"#question": "ab", "#urls": "http//x", "#joules": "-5", "#dollars": "0", "#seconds": "soon"}
	b.click("details.urls > summary")
	b.click("details.more > summary")
	for field, text := range typed {
		b.fill(field, text)
	}
	b.click(`input[name=library]`)
	b.do(chromedp.SetValue(chromedp.CSS("#policy"), "random"), chromedp.SetValue(chromedp.CSS("#language"), "ko"))
	b.click("#ask button.primary")
	b.until("the faults are named", `document.querySelector("#question-problem")`)
	for field, text := range typed {
		if got := get[string](b, fmt.Sprintf("document.querySelector(%q).value", field)); got != text {
			t.Errorf("%s holds %q, typed was %q", field, got, text)
		}
		if problem := b.text(field + "-problem"); len(problem) < 20 {
			t.Errorf("%s: the problem is %q", field, problem)
		}
		if !get[bool](b, fmt.Sprintf("document.querySelector(%q).checkVisibility()", field+"-problem")) {
			t.Errorf("%s: the problem is hidden", field)
		}
	}
	if get[bool](b, `document.querySelector("input[name=library]").checked`) || get[string](b, `document.querySelector("#policy").value`) != "random" || get[string](b, `document.querySelector("#language").value`) != "ko" {
		t.Error("choices were lost with the faults")
	}
	b.expect("status of 404")
	b.open("/runs/nothing-like-it")
	if n := b.count(".error-page h1"); n != 1 || strings.Contains(b.text("main"), "Internal error") {
		t.Errorf("an unknown run shows %q", b.text("main"))
	}
	preferences(t, b)
}

func preferences(t *testing.T, b *tab) {
	t.Helper()
	b.open("/settings")
	b.click(`.switches button[value=ko]`)
	b.until("the page is Korean", `document.documentElement.lang === "ko" && location.pathname === "/settings"`)
	b.untilText("main h1", "설정")
	b.click(`.masthead nav a[href="/library"]`)
	b.until("Korean stays", `document.documentElement.lang === "ko" && location.pathname === "/library"`)
	light := get[string](b, "getComputedStyle(document.body).backgroundColor")
	b.click(`.switches button[value=dark]`)
	b.until("the theme is dark", fmt.Sprintf(`document.documentElement.dataset.theme === "dark" && getComputedStyle(document.body).backgroundColor !== %q`, light))
	b.until("the theme is remembered", `fetch("/runs").then(r => r.text()).then(x => x.includes('data-theme="dark"'))`)
	b.click(`.masthead nav a[href="/runs"]`)
	b.until("dark stays", `document.documentElement.dataset.theme === "dark" && location.pathname === "/runs"`)
	b.click(`.switches button[value=en]`)
	b.until("the page is English", `document.documentElement.lang === "en"`)
}
