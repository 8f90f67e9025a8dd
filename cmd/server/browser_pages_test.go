package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/progrouter/progrouter/research"
)

// axe is the accessibility checker; scripts/test-assets.sh rebuilds the file.
//
//go:embed testdata/axe/axe.min.js
var axe string

// browserPages looks at every page in both languages, themes and widths: no
// error, no violation of accessibility rules, no sideways scrolling. A picture
// of each is kept.
func browserPages(t *testing.T, browser context.Context) {
	s := startSite(t, nil)
	b := newTab(t, browser, s)
	pages := scenes(t, b)
	for _, lang := range []string{"en", "ko"} {
		b.prefer("lang", lang)
		for _, p := range pages {
			b.open(p.path)
			if got := get[string](b, "document.documentElement.lang"); got != lang {
				t.Errorf("%s is in %q, not in %q", p.name, got, lang)
			}
			p.prepare(b)
			b.look(p.name, lang, p.part)
		}
	}
	seedFaults(t, b)
}

const whole = "html"

// scene is a page worth looking at.
type scene struct {
	name, path, part string     // part is what axe reads, a selector
	before           func(*tab) // what is opened on the page; may be nil
}

func (p scene) prepare(b *tab) {
	b.t.Helper()
	if p.before != nil {
		p.before(b)
	}
}

// scenes fills the service with runs in every state.
func scenes(t *testing.T, b *tab) []scene {
	t.Helper()
	b.expect("status of 422")
	b.expect("status of 404")
	b.open("/")
	b.look("ask-first", "en", whole)
	b.open("/dashboard/routing")
	b.look("routing-first", "en", whole)

	done := b.ask(handbookAsk)
	b.untilStatus("complete")
	other := b.ask(handbookAsk, b.policy(research.FixedSmall))
	b.untilStatus("complete")
	none := b.ask("Which zebra won the chess tournament of Reykjavik?", b.policy(research.FixedSmall))
	b.until("the run is over", `document.querySelector("#run-head .status-no_evidence, #run-head .status-partial, #run-head .status-complete")`)
	h := b.site.hold.next(research.Reader)
	stopped := b.ask("How is energy measured?", b.policy(research.FixedSmall))
	h.reached(t)
	b.click(`form[action$="/cancel"] button`)
	b.untilStatus("cancelled")
	b.site.hold.next(research.Reader).later(t)
	live := b.ask("How are documents and web pages connected as sources?", b.policy(research.FixedSmall))
	b.untilText("#run-now", "Reader")

	open := func(css string) func(*tab) {
		return func(b *tab) {
			b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("for (const d of document.querySelectorAll(%q)) d.open = true; undefined", css)))
		}
	}
	return []scene{
		{"ask", "/", whole, open("#ask details")},
		{"ask-faults", "/", whole, func(b *tab) {
			b.do(chromedp.Evaluate[chromedp.Void](`question.value = "ab"; urls.value = "http//x"; joules.value = "-5"; document.querySelector("input[name=library]").checked = false; undefined`), chromedp.Evaluate[chromedp.Void](`ask.submit()`))
			b.until("the faults are named", `document.querySelector("#question-problem")`)
		}},
		{"runs", "/runs", whole, nil},
		{"runs-none", "/runs?q=zzzz", whole, nil},
		{"run", "/runs/" + done, whole, open(".chart-figure details, .discarded, #step-1, .steps li:nth-child(2) details")},
		{"run-cited", "/runs/" + done, ".popover:popover-open", func(b *tab) {
			b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".cite").scrollIntoView({block: "center"}); document.querySelector(".popover").showPopover()`))
		}},
		{"run-export", "/runs/" + done, "#run-head", open("#menu-export")},
		{"run-live", "/runs/" + live, "#run-now", nil},
		{"run-none", "/runs/" + none, "#run-report", nil},
		{"run-stopped", "/runs/" + stopped, "#run-head", open("#menu-delete")},
		{"timeline", "/runs/" + done + "/timeline", whole, nil},
		{"snapshot", b.snapshotOf(done), whole, nil},
		{"compare", "/compare?a=" + done + "&b=" + other, whole, nil},
		{"dashboard", "/dashboard", whole, func(b *tab) {
			open(".chart-figure details")(b)
			b.until("what routing saved is loaded", `document.querySelector(".saved-side")`)
		}},
		{"routing", "/dashboard/routing", whole, open(".chart-figure details")},
		{"run-whatif", "/runs/" + other, "#whatif", nil},
		{"library", "/library", whole, nil},
		{"settings", "/settings", whole, nil},
		{"missing", "/runs/nothing-like-it", whole, nil},
	}
}

// later lets go of a hold when the test is over.
func (h *held) later(t *testing.T) { t.Cleanup(h.release) }

func (b *tab) snapshotOf(id string) string {
	b.t.Helper()
	return "/runs/" + id + "/sources/" + b.site.run(b.t, id).Sources[0].ID
}

// prefer sets language or theme as the form of the masthead does.
func (b *tab) prefer(name, value string) {
	b.t.Helper()
	js := fmt.Sprintf(`fetch("/preferences", {method: "POST", body: new URLSearchParams({%q: %q, next: "/"})}).then(r => r.ok)`, name, value)
	if !get[bool](b, js) {
		b.t.Errorf("%s cannot be set to %s", name, value)
	}
}

// look checks what is open in both themes and widths. Structure does not depend
// on the language, nor on the theme but for contrast, so not every rule is tried
// on every picture.
func (b *tab) look(name, lang, part string) {
	b.t.Helper()
	if lang == "en" {
		b.do(chromedp.Evaluate[chromedp.Void](axe + "\n;undefined"))
	}
	for _, width := range []int64{1280, 390} {
		b.size(width, 844)
		for _, theme := range []string{"light", "dark"} {
			if lang != "en" && (width == 390) != (theme == "dark") {
				continue
			}
			b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.documentElement.dataset.theme = %q; undefined", theme)))
			what := fmt.Sprintf("%s-%s-%d-%s", name, lang, width, theme)
			if wide := get[int64](b, "document.documentElement.scrollWidth"); wide > width {
				b.t.Errorf("%s scrolls sideways: %d wide; %s", what, wide, get[string](b, fmt.Sprintf(widest, width)))
			}
			b.shot(what)
			if lang == "en" && (theme == "light" || width == 390) {
				for _, v := range b.violations(part, theme == "dark") {
					b.t.Errorf("%s: %s", what, v)
				}
			}
		}
	}
}

// widest names what sticks out of the window.
const widest = `[...document.querySelectorAll("main *, header *, footer *")].filter(e => e.getBoundingClientRect().right > %d && !e.closest(".scroll")).map(e => e.tagName + "." + e.className).slice(0, 5).join(" ")`

// violations asks axe about a part of the page, or about its colours alone.
func (b *tab) violations(part string, colours bool) []string {
	b.t.Helper()
	rules := ""
	if colours {
		rules = `, runOnly: ["color-contrast", "link-in-text-block"]`
	}
	return get[[]string](b, fmt.Sprintf(`axe.run(%q, {resultTypes: ["violations"]%s}).then(r => r.violations.flatMap(v =>
		v.nodes.map(n => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary.replace(/\s+/g, " ").slice(0, 300))).slice(0, 12))`, part, rules))
}

// seedFaults proves that the checks can fail.
func seedFaults(t *testing.T, b *tab) {
	t.Helper()
	b.open("/settings")
	b.do(chromedp.Evaluate[chromedp.Void](axe+"\n;undefined"), chromedp.Evaluate[chromedp.Void](
		`main.insertAdjacentHTML("beforeend", '<input>'); undefined`))
	if found := b.violations("html", false); len(found) == 0 {
		t.Error("axe does not see a field without a name")
	}
	b.do(chromedp.Evaluate[chromedp.Void](`console.error("seeded"); undefined`))
	b.until("the seeded error is seen", "true")
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.faults); n == 0 || !strings.Contains(b.faults[n-1], "seeded") {
		t.Errorf("errors of the console are not seen: %q", b.faults)
	}
	b.expected = append(b.expected, "seeded")
}

// browserLogin signs in, and out again.
func browserLogin(t *testing.T, browser context.Context) {
	s := startSite(t, func(c *Config) { c.Password = "correct horse" })
	b := newTab(t, browser, s)
	b.expect("status of 401")
	b.expect("status of 403")
	b.expect("status of 422")
	b.open("/library")
	b.until("the password is asked for", `document.querySelector("#password")`)
	b.look("login", "en", whole)
	b.size(1280, 800)
	b.fill("#password", "wrong")
	b.click("form.login button.primary")
	b.until("the wrong password is refused", `document.querySelector("#password-problem")`)
	b.fill("#password", "correct horse")
	b.click("form.login button.primary")
	b.until("the page asked for is shown", `location.pathname === "/library" && document.querySelector(".document-list")`)
	b.click(`form[action="/logout"] button`)
	b.until("the password is asked for", `document.querySelector("#password")`)
}

// TestReadmePicture renews docs/images/run.png, the picture of the README, where
// asked to by scripts/screenshot.sh.
func TestReadmePicture(t *testing.T) {
	out := os.Getenv("PROGROUTER_README_PICTURE")
	if out == "" {
		t.Skip("renews the README's picture only where PROGROUTER_README_PICTURE names its file")
	}
	s := startSite(t, nil)
	b := newTab(t, startBrowser(t), s)
	b.size(1280, 1280)
	b.ask(handbookAsk, func() { b.click("input[name=depth][value=standard]") })
	b.untilStatus("complete")
	b.do(chromedp.Reload(), chromedp.Evaluate[chromedp.Void]("scrollTo(0, 0)"))
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	data, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 300_000 {
		t.Errorf("the picture has %d bytes", len(data))
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(out, data, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Log(strings.TrimSpace(out), len(data), "bytes")
}
