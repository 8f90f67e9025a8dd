package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/progrouter/progrouter/research"
)

const handbookAsk = "How does ProgRouter keep a run within its budget?"

// ask types a question and starts the run with a fixed policy, quick, and waits
// for its page.
func (b *tab) ask(question string, more ...func()) string {
	b.t.Helper()
	b.open("/")
	b.fill("#question", question)
	b.click(`input[name=depth][value=quick]`)
	for _, m := range more {
		m()
	}
	b.click("#ask button.primary")
	b.until("the run's page is there", `location.pathname.startsWith("/runs/") && document.querySelector("#run-head h1")`)
	return strings.TrimPrefix(b.path(), "/runs/")
}

// policy chooses the routing in the folded part of the form, and more time than a
// quick run has, since the time that a test looks at it counts.
func (b *tab) policy(p research.Policy) func() {
	return func() {
		if !get[bool](b, `document.querySelector("details.more").open`) {
			b.click("details.more > summary")
		}
		b.do(chromedp.SetValue(chromedp.CSS("#policy"), string(p)), chromedp.SetValue(chromedp.CSS("#seconds"), "900"))
	}
}

func (b *tab) untilStatus(class string) {
	b.t.Helper()
	b.until("the run is "+class, `document.querySelector("#run-head .status-`+class+`")`)
}

func browserMainJob(t *testing.T, browser context.Context) {
	s := startSite(t, nil)
	b := newTab(t, browser, s)
	planner, reader := s.hold.next(research.Planner), s.hold.next(research.Reader)

	b.open("/")
	if got := get[string](b, "document.activeElement.id"); got != "question" {
		t.Errorf("the focus of the first page is on %q", got)
	}
	b.until("the estimate names joules", `/\d/.test(document.querySelector("#estimate .figure")?.innerText)`)
	id := b.ask(handbookAsk, b.policy(research.FixedSmall))
	watchLive(t, b, planner, reader)
	readReport(t, b, s, id)
	sums(t, b, s, id)
}

// watchLive sees a run through its live page: nothing is reloaded.
func watchLive(t *testing.T, b *tab, planner, reader *held) {
	t.Helper()
	planner.reached(t)
	get[bool](b, "window.notReloaded = true")
	b.untilText("#run-now", "Planner")
	b.untilText("#run-now", "small")
	age := b.text("#run-now time")
	b.until("the age of the step ticks", fmt.Sprintf(`document.querySelector("#run-now time").innerText !== %q`, age))
	b.untilCount("#run-steps .step", "=== 1")
	before := map[string]string{}
	for _, part := range []string{"#run-now", "#run-meters", "#run-charts", "#run-steps"} {
		before[part] = b.text(part)
	}
	planner.release()

	reader.reached(t)
	b.untilText("#run-now", "Reader")
	b.untilCount("#run-steps .step", ">= 3")
	for part, was := range before {
		b.until(part+" has changed", fmt.Sprintf("document.querySelector(%q).innerText !== %q", part, was))
	}
	b.click("#run-steps li:first-child summary")
	b.until("the decision card is open", `document.querySelector("#run-steps li:first-child .decision")?.checkVisibility()`)
	card := b.text("#run-steps li:first-child .decision")
	for _, want := range []string{"small", "medium", "large", "chosen", "Score", "always small", "Budget left"} {
		if !strings.Contains(card, want) {
			t.Errorf("the decision card lacks %q:\n%s", want, card)
		}
	}
	if !get[bool](b, "window.notReloaded === true") {
		t.Error("the page was loaded again while the run was followed")
	}
	// A reload in the middle of a run loses nothing.
	steps := b.count("#run-steps .step")
	b.do(chromedp.Reload())
	b.untilText("#run-now", "Reader")
	b.untilCount("#run-steps .step", fmt.Sprintf("=== %d", steps))
	get[bool](b, "window.notReloaded = true")
	b.click("#run-steps li:first-child summary")
	reader.release()

	b.untilStatus("complete")
	b.until("the last update is in", `!document.querySelector("#run-now .now-strip") && document.querySelectorAll("#run-report .claim").length > 0`)
	if !get[bool](b, "window.notReloaded === true") {
		t.Error("the page was loaded again while the run was followed")
	}
	if !get[bool](b, `document.querySelector("#run-steps li:first-child details").open`) {
		t.Error("the card that the reader had opened was closed by an update")
	}
}

// readReport reads the finished report as a sceptic: what is behind a citation?
func readReport(t *testing.T, b *tab, s *site, id string) {
	t.Helper()
	const shown = `document.querySelector(".popover:popover-open")`
	if n := b.count("#run-report .cite"); n < 4 {
		t.Fatalf("the report has %d citations", n)
	}
	if n := b.count("#run-report .sources > ol > li:not(.uncited)"); n < 2 {
		t.Errorf("%d sources are cited", n)
	}
	// by pointer
	b.do(chromedp.ScrollIntoView(chromedp.CSS("#run-report .cite")))
	at := get[[]float64](b, `(() => { const r = document.querySelector("#run-report .cite").getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`)
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, at[0], at[1]))
	b.until("hovering shows the quote", shown)
	quote := b.text(".popover:popover-open blockquote")
	pop := b.text(".popover:popover-open")
	if len(quote) < 20 || !strings.Contains(pop, "supported") || !strings.Contains(pop, "read ") {
		t.Errorf("the citation shows %q", pop)
	}
	if box := get[[]float64](b, `(() => { const r = document.querySelector(".popover:popover-open").getBoundingClientRect(); return [r.left, r.top, innerWidth - r.right, innerHeight - r.bottom]; })()`); min(box[0], box[1], box[2], box[3]) < 0 {
		t.Errorf("the citation leaves the window: %v", box)
	}
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, 2, 2))
	b.until("the quote goes when the pointer does", "!"+shown)
	b.click("#run-report .cite")
	b.until("a click shows the quote", shown)
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("Escape closes it", "!"+shown)
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, 2, 2))
	// by keyboard
	b.do(chromedp.Focus(chromedp.CSS("#run-report .cite")), chromedp.KeyEvent(kb.Enter))
	b.until("Enter shows the quote", shown)
	b.until("the quote is the same", fmt.Sprintf(`document.querySelector(".popover:popover-open blockquote").innerText === %q`, quote))
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("Escape closes it", "!"+shown)
	if got := get[string](b, "document.activeElement.className"); got != "cite" {
		t.Errorf("after Escape the focus is on %q", got)
	}
	// the stored text
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("Enter shows the quote", shown)
	b.click(".popover:popover-open .popover-links a")
	b.until("the stored text is shown", `document.querySelector(".snapshot mark")`)
	if !get[bool](b, fmt.Sprintf(`[...document.querySelectorAll(".snapshot mark")].some(m => m.textContent.replace(/\s+/g, " ").includes(%q))`, strings.Join(strings.Fields(quote), " "))) {
		t.Errorf("the stored text does not mark %q", quote)
	}
	b.open("/runs/" + id)
	exports(t, b, s, id, quote)
}

// runJSON is the part of the JSON form that these tests read.
type runJSON struct {
	ID, Question, Status string
	Report               struct {
		Claims []struct {
			Text, Verdict string
			Evidence      []struct {
				SourceID   string `json:"source_id"`
				Quote      string
				Start, End int
			}
		}
		NotFound []string `json:"not_found"`
	}
	Sources []struct{ ID, URL, Title, Text string }
	Steps   []struct {
		Role, Tier string
		Energy     struct{ Joules float64 }
	}
	Totals struct{ Joules, Dollars, Seconds float64 }
}

func (s *site) run(t *testing.T, id string) runJSON {
	t.Helper()
	status, _, body := s.fetch(t, "/api/v1/runs/"+id)
	var r runJSON
	if err := json.Unmarshal([]byte(body), &r); err != nil || status != http.StatusOK {
		t.Fatalf("run %s: %d, %v", id, status, err)
	}
	return r
}

func exports(t *testing.T, b *tab, s *site, id, quote string) {
	t.Helper()
	b.click("#menu-export > summary")
	links := get[[]string](b, `[...document.querySelectorAll("#menu-export a")].map(a => a.getAttribute("href"))`)
	r := s.run(t, id)
	checks := map[string]func(string) bool{
		"md": func(x string) bool { return strings.Contains(x, "# "+handbookAsk) && strings.Contains(x, quote) },
		"html": func(x string) bool {
			return strings.Contains(x, "<html") && !strings.Contains(x, "<script") && !strings.Contains(x, "http://127")
		},
		"json":      func(x string) bool { return json.Valid([]byte(x)) && strings.Contains(x, id) },
		"cost.csv":  func(x string) bool { return len(csvRows(t, x)) > len(r.Steps) },
		"cost.json": func(x string) bool { return json.Valid([]byte(x)) },
	}
	seen := map[string]bool{}
	for _, href := range links {
		_, format, _ := strings.Cut(href, "format=")
		format, _, _ = strings.Cut(format, "&")
		status, head, body := s.fetch(t, href)
		if status != http.StatusOK || !strings.HasPrefix(head.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s: status %d, disposition %q", href, status, head.Get("Content-Disposition"))
		}
		if ok := checks[format]; ok != nil && !ok(body) {
			t.Errorf("export %s has not what it should:\n%.1500s", format, body)
		}
		seen[format] = true
	}
	for format := range checks {
		if !seen[format] {
			t.Errorf("no link exports %s; there are %v", format, links)
		}
	}
	for _, c := range r.Report.Claims {
		for _, e := range c.Evidence {
			for _, src := range r.Sources {
				if got, ok := research.Slice(src.Text, e.Start, e.End); src.ID == e.SourceID && (!ok || got != e.Quote) {
					t.Errorf("claim %q: %q is not at its place in %s", c.Text, e.Quote, src.URL)
				}
			}
		}
	}
	download(t, b)
}

// download clicks an export, and the file arrives.
func download(t *testing.T, b *tab) {
	t.Helper()
	dir := t.TempDir()
	id := chromedp.FromContext(b.ctx).BrowserContextID
	if _, err := chromedp.CallBrowser(b.ctx, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, BrowserContextID: id, DownloadPath: dir,
	}); err != nil {
		t.Fatal(err)
	}
	b.click(`#menu-export a[href*="format=md"]`)
	deadline, tick := time.After(patience), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for {
		files, _ := filepath.Glob(filepath.Join(dir, "*.md"))
		if len(files) == 1 {
			if data, err := os.ReadFile(files[0]); err == nil && strings.Contains(string(data), handbookAsk) {
				return
			}
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("the download did not arrive: %v", files)
		}
	}
}

func csvRows(t *testing.T, text string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Errorf("not a CSV file: %v\n%s", err, text)
	}
	return rows
}

// sums sees the same total on every page.
func sums(t *testing.T, b *tab, s *site, id string) {
	t.Helper()
	r := s.run(t, id)
	micro := 0
	for _, st := range r.Steps {
		micro += int(research.ToMicro(st.Energy.Joules))
	}
	if micro != int(research.ToMicro(r.Totals.Joules)) || micro == 0 {
		t.Errorf("steps sum to %d µJ, the run says %v J", micro, r.Totals.Joules)
	}
	total := get[string](b, `document.querySelector('[aria-labelledby=meter-cost] .big .figure').innerText`)

	b.click("#run-steps .section-head a")
	b.until("the timeline is shown", `document.querySelector("table.routing")`)
	if n := b.count("table.routing tbody tr"); n != len(r.Steps) {
		t.Errorf("the timeline has %d rows for %d steps", n, len(r.Steps))
	}
	if got := b.text(".page-head .figure"); got != total {
		t.Errorf("the timeline says %s, the run %s", got, total)
	}
	b.click(`.masthead nav a[href="/runs"]`)
	b.until("the list of runs is shown", `document.querySelector("#runs .run-row")`)
	if row := b.text("#runs .run-row"); !strings.Contains(row, handbookAsk) || !strings.Contains(row, "complete") || !strings.Contains(row, total) {
		t.Errorf("the list says %q, the run %s", row, total)
	}
	b.fill("#q", "nothing like it")
	b.untilText("#runs", "No run matches")
	b.click(`.masthead nav a[href="/dashboard"]`)
	b.until("the dashboard is shown", `document.querySelector(".totals")`)
	if got := b.text(".totals .lead .huge"); got != total {
		t.Errorf("the dashboard says %s, the run %s", got, total)
	}
	for i := range b.count(".usage") {
		foot := fmt.Sprintf(`document.querySelectorAll(".usage")[%d].querySelector("tfoot td").innerText`, i)
		if got := get[string](b, foot); !strings.HasPrefix(total, got) && !strings.HasPrefix(got, total) {
			t.Errorf("table %d of the dashboard sums to %s, the run to %s", i, got, total)
		}
	}
	var usage struct{ Total struct{ Joules float64 } }
	_, _, body := s.fetch(t, "/api/v1/usage")
	if err := json.Unmarshal([]byte(body), &usage); err != nil || int(research.ToMicro(usage.Total.Joules)) != micro {
		t.Errorf("usage says %v J, the steps %d µJ (%v)\n%.600s", usage.Total.Joules, micro, err, body)
	}
}
