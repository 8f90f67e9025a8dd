package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/progrouter/progrouter/orchestrator"
	"github.com/progrouter/progrouter/research"
)

const (
	browserEnv   = "PROGROUTER_TEST_BROWSER"   // set: a missing Chromium is a failure
	artifactsEnv = "PROGROUTER_TEST_ARTIFACTS" // folder for screenshots
	patience     = 3 * time.Minute             // for one condition on a busy machine
	oneLook      = 5 * time.Second             // at a page; one that is leaving may never answer
)

// TestBrowser uses the service as a person does, in a real headless Chromium.
// Every test has a service and a browser profile of its own.
func TestBrowser(t *testing.T) {
	t.Parallel()
	ctx := startBrowser(t)
	t.Run("main job", func(t *testing.T) { browserMainJob(t, ctx) })
	t.Run("control", func(t *testing.T) { browserControl(t, ctx) })
	t.Run("forms", func(t *testing.T) { browserForms(t, ctx) })
	t.Run("library", func(t *testing.T) { browserLibrary(t, ctx) })
	t.Run("models", func(t *testing.T) { browserModels(t, ctx) })
	t.Run("login", func(t *testing.T) { browserLogin(t, ctx) })
	t.Run("pages", func(t *testing.T) { browserPages(t, ctx) })
}

func startBrowser(t *testing.T) context.Context {
	t.Helper()
	path := findBrowser(t)
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("lang", "en"),
		chromedp.WSURLReadTimeout(time.Minute),
	)
	alloc, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, cancel := chromedp.NewContext(alloc)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	t.Cleanup(func() {
		wait, done := context.WithTimeout(ctx, 10*time.Second)
		defer done()
		_ = chromedp.Cancel(wait) // waits until the profile folder is let go
		cancel()
		stop()
	})
	return ctx
}

func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv(browserEnv) != "" {
		t.Fatal("no Chromium found, but " + browserEnv + " is set; scripts/test-setup.sh installs it")
	}
	t.Skip("no Chromium found in PATH; scripts/test-setup.sh installs it")
	return ""
}

// site is a running service whose runs can be held at a step.
type site struct {
	url  string
	data string // data folder
	hold *holds
}

func startSite(t *testing.T, change func(*Config)) *site {
	t.Helper()
	cfg := testConfig(t.TempDir())
	if change != nil {
		change(&cfg)
	}
	s := &site{data: cfg.Data, hold: &holds{}}
	ctx, stop := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- serve(ctx, cfg, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
			func(url string) { ready <- url },
			hooks{store: func(st orchestrator.Store) orchestrator.Store { return holdStore{st, s.hold} }})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	select {
	case s.url = <-ready:
	case err := <-ended:
		ended <- err
		t.Fatal("the service did not start")
	case <-time.After(patience):
		t.Fatalf("the service did not start within %v", patience)
	}
	return s
}

// holds stops the next step of a role right after its decision was stored, so
// that a test can look at a run at work without racing it.
type holds struct {
	mu    sync.Mutex
	queue map[research.Role][]*held
}

type held struct{ entered, released chan struct{} }

func (h *holds) next(r research.Role) *held {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.queue == nil {
		h.queue = map[research.Role][]*held{}
	}
	one := &held{make(chan struct{}), make(chan struct{})}
	h.queue[r] = append(h.queue[r], one)
	return one
}

func (h *holds) wait(ctx context.Context, r research.Role) {
	h.mu.Lock()
	list := h.queue[r]
	if len(list) > 0 {
		h.queue[r] = list[1:]
	}
	h.mu.Unlock()
	if len(list) == 0 {
		return
	}
	close(list[0].entered)
	select {
	case <-list[0].released:
	case <-ctx.Done():
	}
}

// reached waits until a run stands at the hold.
func (h *held) reached(t *testing.T) {
	t.Helper()
	select {
	case <-h.entered:
	case <-time.After(patience):
		t.Fatal("no run came to the step that was to be held")
	}
}

func (h *held) release() { close(h.released) }

type holdStore struct {
	orchestrator.Store
	hold *holds
}

func (s holdStore) BeginStep(ctx context.Context, id string, st research.Step) error {
	if err := s.Store.BeginStep(ctx, id, st); err != nil {
		return err
	}
	s.hold.wait(ctx, st.Role)
	return nil
}

// tab is one page of the browser. What the page reports as an error fails the
// test, unless it was announced.
type tab struct {
	t    *testing.T
	ctx  context.Context
	site *site

	mu       sync.Mutex
	faults   []string
	expected []string
}

func newTab(t *testing.T, browser context.Context, s *site) *tab {
	t.Helper()
	b := &tab{t: t, site: s}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext(), chromedp.WithListener(b.listen))
	b.ctx = ctx
	t.Cleanup(func() {
		if t.Failed() {
			b.shot("failed-" + strings.NewReplacer("/", "-", " ", "-").Replace(t.Name()))
		}
		b.check()
		cancel()
	})
	b.size(1280, 800)
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
		})
		return err
	}))
	return b
}

func (b *tab) listen(ev any) {
	text := ""
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		text = "exception: " + (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error()
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" || e.Type == "assert" {
			text = "console: " + consoleText(e.Args)
		}
	case *cdplog.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			text = fmt.Sprintf("%s: %s (%s)", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	}
	if text == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, text)
}

func consoleText(args []*runtime.RemoteObject) string {
	var out []string
	for _, a := range args {
		out = append(out, string(a.Value)+a.Description)
	}
	return strings.Join(out, " ")
}

// expect announces an error that the page rightly reports, such as the status of
// a refused form.
func (b *tab) expect(part string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expected = append(b.expected, part)
}

func (b *tab) check() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
next:
	for _, f := range b.faults {
		for _, e := range b.expected {
			if strings.Contains(f, e) {
				continue next
			}
		}
		b.t.Errorf("the page reports: %s", f)
	}
	b.faults = nil
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx); err != nil { // opens the page without a deadline of its own
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatalf("at %s: %v", b.path(), err)
	}
}

func (b *tab) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.site.url + path))
}

// click scrolls to an element and clicks its middle. A live update may replace
// the element meanwhile; then the new one is meant.
func (b *tab) click(css string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for {
		err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(css), chromedp.NodeVisible))
		if err == nil {
			return
		}
		if ctx.Err() != nil || !strings.Contains(err.Error(), "node with given id") {
			b.t.Fatalf("click %s at %s: %v", css, b.path(), err)
		}
	}
}

func (b *tab) size(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

// fill replaces what a field holds by typing.
func (b *tab) fill(css, text string) {
	b.t.Helper()
	b.do(chromedp.Focus(chromedp.CSS(css), chromedp.NodeVisible),
		chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.querySelector(%q).select()", css)),
		chromedp.KeyEvent(text))
}

func (b *tab) path() string { return get[string](b, "location.pathname") }

// text is what a reader sees of an element.
func (b *tab) text(css string) string {
	b.t.Helper()
	return get[string](b, fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", css))
}

func (b *tab) count(css string) int {
	b.t.Helper()
	return get[int](b, fmt.Sprintf("document.querySelectorAll(%q).length", css))
}

// get evaluates a JavaScript expression in the page.
func get[T any](b *tab, js string) T {
	b.t.Helper()
	v, err := evaluate[T](b, js, patience)
	if err != nil {
		b.t.Fatalf("%s: %v", js, err)
	}
	return v
}

func evaluate[T any](b *tab, js string, most time.Duration) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, most)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
}

// until waits for a condition of the page; it may navigate meanwhile.
func (b *tab) until(what, js string) {
	b.t.Helper()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for {
		if ok, err := evaluate[bool](b, "Boolean("+js+")", oneLook); err == nil && ok {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			b.t.Fatalf("waited in vain until %s, at %s:\n%.2000s", what, b.path(), b.text("main"))
		}
	}
}

// untilCount waits for a number of elements; compare is like "=== 3". Parts of a
// page are renewed one after the other.
func (b *tab) untilCount(css, compare string) {
	b.t.Helper()
	b.until(fmt.Sprintf("the number of %s is %s", css, compare), fmt.Sprintf("document.querySelectorAll(%q).length %s", css, compare))
}

func (b *tab) untilText(css, part string) {
	b.t.Helper()
	b.until(fmt.Sprintf("%s shows %q", css, part), fmt.Sprintf("document.querySelector(%q)?.innerText.includes(%q)", css, part))
}

// shot keeps a picture of the whole page among the artefacts.
func (b *tab) shot(name string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	data, err := chromedp.Run(ctx, chromedp.FullScreenshot(80))
	if err != nil {
		b.t.Errorf("screenshot %s: %v", name, err)
		return
	}
	writeArtifact(b.t, name+".jpg", data)
}

func writeArtifact(t *testing.T, name string, data []byte) {
	t.Helper()
	dir := os.Getenv(artifactsEnv)
	if dir == "" {
		dir = filepath.Join("..", "..", "artifacts")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// fetch gets a page of the site as a program would.
func (s *site) fetch(t *testing.T, path string) (status int, header http.Header, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(data)
}
