package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

// partial is a run whose budget may be raised.
func partial(id string) *research.Ledger {
	l, thirty := finished(id), 30.0
	l.Run.Status = research.Partial
	l.Run.Budget = research.Budget{Joules: research.Known(10_000_000), Dollars: research.Known(1_000_000), Seconds: &thirty}
	return l
}

func TestRaiseBudgetKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                     string
		joules, dollars, seconds string
		selector, says           string
	}{
		{"words", "abc", "2", "60", "#raise-joules-problem", "is not a number"},
		{"comma", "1,5", "", "", "#raise-joules-problem", "comma"},
		{"zero dollars", "", "0", "60", "#raise-dollars-problem", "not above zero"},
		{"negative seconds", "20", "", "-5", "#raise-seconds-problem", "not above zero"},
		{"too large", "", "", "99999999999", "#raise-seconds-problem", "largest"},
		{"lower", "5", "", "", "#raise-joules-problem", "only be raised"},
		{"nothing higher", "", "", "", "#raise-joules-problem", "No limit is higher"},
		{"two at once", "abc", "def", "60", "#raise-dollars-problem", "is not a number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := setup(t)
			s.store.add(partial("r1"))
			typed := map[string]string{"joules": tt.joules, "dollars": tt.dollars, "seconds": tt.seconds}
			a := s.post("/runs/r1/raise", url.Values{"joules": {tt.joules}, "dollars": {tt.dollars}, "seconds": {tt.seconds}})
			s.want(a, 422)
			s.wantRaiseForm(a, typed, tt.selector, tt.says)
			// The switches lead to a page that still has it all.
			next := s.doc(a).Find("form[data-languages] input[name=next]").AttrOr("value", "")
			b := s.get(next)
			s.want(b, 200)
			s.wantRaiseForm(b, typed, tt.selector, tt.says)
		})
	}
}

func (s *site) wantRaiseForm(a answer, typed map[string]string, selector, says string) {
	s.Helper()
	d := s.doc(a)
	if _, open := d.Find("#menu-raise").Attr("open"); !open {
		s.Error("the form is closed")
	}
	for name, value := range typed {
		if got := d.Find("#raise-"+name).AttrOr("value", "?"); got != value {
			s.Errorf("%s is %q, typed %q", name, got, value)
		}
	}
	if got := d.Find(selector).Text(); !strings.Contains(got, says) {
		s.Errorf("%s says %q, want %q", selector, got, says)
	}
	field := strings.TrimSuffix(selector, "-problem")
	if d.Find(field).AttrOr("aria-errormessage", "") != strings.TrimPrefix(selector, "#") {
		s.Errorf("%s does not name its message", field)
	}
}

func TestRaiseBudgetOfAnEndedRun(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.add(finished("r1"))
	a := s.post("/runs/r1/raise", url.Values{"joules": {"abc"}})
	s.want(a, 422)
	if got := s.doc(a).Find(".error-page a.button").AttrOr("href", ""); got != "/runs/r1" {
		t.Errorf("the error page leads to %q", got)
	}
}

// Every page that answers a form has switches, which must lead to a page.
func TestSwitchesReturnToAPage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path, route string
		form        url.Values
		want        string
	}{
		{"/runs/r1/cancel", "", nil, "/runs/r1"},
		{"/runs/r1/delete", "", nil, "/runs/r1"},
		{"/runs/none/pause", "", nil, "/runs/none"},
		{"/library/remove", "", url.Values{"url": {"none"}}, "/library"},
		{"/library", "", url.Values{"a": {"b"}}, "/library"},
		{"/settings/models", "", nil, "/settings"},
		{"/login/none", "", nil, "/"},
		{"/nothing", "", nil, "/"},
		{"/runs", "", url.Values{"question": {strings.Repeat("x", 7000)}, "depth": {"quick"}}, "/"},
	}
	for _, tt := range tests {
		s := setup(t)
		s.store.add(finished("r1"))
		s.store.change("r1", func(l *research.Ledger) {
			l.Run.Status = research.Cancelled
			if strings.HasSuffix(tt.path, "/delete") {
				l.Run.Status = research.Running
			}
		})
		a := s.post(tt.path, tt.form)
		if a.StatusCode < 400 {
			t.Errorf("%s: status %d", tt.path, a.StatusCode)
		}
		d := s.doc(a)
		for _, form := range []string{"form[data-languages]", "form[data-themes]"} {
			if got := d.Find(form+" input[name=next]").AttrOr("value", ""); got != tt.want {
				t.Errorf("%s: %s leads to %q, want %q", tt.path, form, got, tt.want)
			}
		}
	}
}

func TestSwitchOnTheAskFormKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := setup(t)
	form := goodForm()
	form.Set("joules", "abc")
	a := s.post("/runs", form)
	s.want(a, 422)
	next := s.doc(a).Find("form[data-languages] input[name=next]").AttrOr("value", "")
	moved := s.post("/preferences", url.Values{"lang": {"ko"}, "next": {next}})
	s.want(moved, 303)
	b := s.get(moved.Header.Get("Location"))
	s.want(b, 200)
	d := s.doc(b)
	if d.Find("html").AttrOr("lang", "") != "ko" {
		t.Error("the language was not switched")
	}
	if got := d.Find("#question").Text(); got != form.Get("question") {
		t.Errorf("question %q", got)
	}
	if got := d.Find("#joules").AttrOr("value", ""); got != "abc" {
		t.Errorf("joules %q", got)
	}
	if got := d.Find("select[name=policy] option[selected]").AttrOr("value", ""); got != "cascade" {
		t.Errorf("policy %q", got)
	}
	if _, on := d.Find("input[name=web]").Attr("checked"); on {
		t.Error("the web box was ticked")
	}
}

func TestAskFormSurvivesOurOwnFaults(t *testing.T) {
	t.Parallel()
	s := setup(t, func(_ *Config, d *Deps) { d.Runs = fullDisk{d.Runs} })
	a := s.post("/runs", goodForm())
	s.want(a, 500)
	d := s.doc(a)
	if got := d.Find("#question").Text(); got != goodForm().Get("question") {
		t.Errorf("the question is %q", got)
	}
	if got := d.Find(".ask-form > .problem").Text(); !strings.Contains(got, "Internal error") || strings.Contains(got, "secret") {
		t.Errorf("the form says %q", got)
	}
	if !strings.Contains(s.log.String(), "secret") {
		t.Error("the cause was not logged")
	}
}

type fullDisk struct{ Runs }

func (fullDisk) CreateRun(context.Context, research.Request, research.Budget) (string, error) {
	return "", errors.New("secret trouble")
}

func TestLibraryKeepsItsPage(t *testing.T) {
	t.Parallel()
	s := setup(t)
	a := s.post("/library/remove", url.Values{"url": {"none"}})
	s.want(a, 404)
	d := s.doc(a)
	if d.Find(".problem").Length() != 1 || d.Find(".document-list li").Length() != 1 {
		t.Errorf("page says\n%.900s", d.Find("main").Text())
	}
}

// Readers that leave are no trouble of ours: nothing above debug is logged,
// whatever they were waiting for.
func TestVanishedClientsAreNotWarnings(t *testing.T) {
	t.Parallel()
	calls := []struct{ method, path, form string }{
		{"POST", "/estimate", "depth=quick&library=on"},
		{"GET", "/", ""}, {"GET", "/runs", ""}, {"GET", "/runs/r1", ""}, {"GET", "/dashboard", ""},
		{"GET", "/library", ""}, {"GET", "/settings", ""}, {"GET", "/readyz", ""}, {"GET", "/api/v1/runs/r1", ""},
		{"GET", "/api/v1/usage", ""}, {"GET", "/runs/r1/export?format=md", ""}, {"GET", "/runs/r1/events", ""},
		{"POST", "/runs", goodForm().Encode()}, {"POST", "/runs/r1/raise", "joules=99"}, {"POST", "/runs/r1/cancel", ""},
		{"POST", "/library/remove", "url=x"},
	}
	for _, call := range calls {
		s := setup(t, func(_ *Config, d *Deps) {
			g := gone{}
			d.Runs, d.Usage, d.Library, d.Estimates, d.Health, d.Events = g, g, g, g, g, g
		})
		ctx, leave := context.WithCancel(t.Context())
		leave()
		r := httptest.NewRequestWithContext(ctx, call.method, call.path, strings.NewReader(call.form))
		r.Host = "localhost"
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		s.srv.Handler().ServeHTTP(httptest.NewRecorder(), r)
		if log := s.log.String(); strings.Contains(log, "level=WARN") || strings.Contains(log, "level=ERROR") {
			t.Errorf("%s %s:\n%s", call.method, call.path, log)
		}
	}
}

func TestOwnTroubleIsStillAWarning(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.estimate = errors.New("estimate is broken")
	s.want(s.post("/estimate", url.Values{"library": {"on"}, "depth": {"quick"}}), http.StatusOK)
	if !strings.Contains(s.log.String(), "level=WARN") {
		t.Error("nothing was logged")
	}
}

// gone fails as stores do once the request's context has ended.
type gone struct{}

func (gone) fail(ctx context.Context) error { return fmt.Errorf("query: %w", context.Cause(ctx)) }

func (g gone) CreateRun(ctx context.Context, _ research.Request, _ research.Budget) (string, error) {
	return "", g.fail(ctx)
}
func (g gone) Ledger(ctx context.Context, _ string) (*research.Ledger, error) {
	return nil, g.fail(ctx)
}
func (g gone) Run(ctx context.Context, _ string) (research.Run, error) {
	return research.Run{}, g.fail(ctx)
}
func (g gone) ListRuns(ctx context.Context, _ research.RunFilter) ([]research.RunSummary, int, error) {
	return nil, 0, g.fail(ctx)
}
func (g gone) QueuePosition(ctx context.Context, _ string) (int, error) { return 0, g.fail(ctx) }
func (g gone) DeleteRun(ctx context.Context, _ string) error            { return g.fail(ctx) }
func (g gone) RequestCancel(ctx context.Context, _ string) error        { return g.fail(ctx) }
func (g gone) RequestPause(ctx context.Context, _ string) error         { return g.fail(ctx) }
func (g gone) Resume(ctx context.Context, _ string) error               { return g.fail(ctx) }
func (g gone) RaiseBudget(ctx context.Context, _ string, _ research.Budget) error {
	return g.fail(ctx)
}
func (g gone) LastEventID(ctx context.Context, _ string) (int64, error) { return 0, g.fail(ctx) }
func (g gone) Subscribe(string) (<-chan struct{}, func())               { return nil, func() {} }
func (g gone) Usage(ctx context.Context, _, _ time.Time) (research.Usage, error) {
	return research.Usage{}, g.fail(ctx)
}
func (g gone) Documents(ctx context.Context, _ string, _, _ int) ([]research.LibraryDocument, int, error) {
	return nil, 0, g.fail(ctx)
}
func (g gone) RemoveDocument(ctx context.Context, _ string) error { return g.fail(ctx) }
func (g gone) EstimateRun(ctx context.Context, _ research.Request, _ research.Budget) (Estimate, error) {
	return Estimate{}, g.fail(ctx)
}
func (g gone) Ping(ctx context.Context) error { return g.fail(ctx) }

func TestWebSwitchedOff(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]string{"off": "switched off", "down": "answers", "ok": "through"} {
		s := setup(t, func(_ *Config, d *Deps) { d.Setup = providers(state) })
		if got := s.doc(s.get("/")).Find("label.check").Last().Text(); !strings.Contains(got, want) {
			t.Errorf("%s: %q", state, got)
		}
	}
}

type providers string

func (p providers) Settings(context.Context) web.SettingsInput {
	return web.SettingsInput{Providers: []web.ProviderInput{{Name: "wikipedia", State: string(p)}}}
}
