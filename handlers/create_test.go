package handlers

import (
	"net/url"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func goodForm() url.Values {
	return url.Values{
		"question": {"How are WAL files archived?"}, "library": {"on"}, "urls": {"https://example.org/a\r\nhttps://example.org/b"},
		"follow": {"1"}, "depth": {"quick"}, "policy": {"cascade"}, "language": {"ko"}, "joules": {"12.5"}, "dollars": {""}, "seconds": {"30"},
	}
}

func TestCreateRun(t *testing.T) {
	t.Parallel()
	s := setup(t)
	a := s.post("/runs", goodForm())
	s.want(a, 303)
	if got := a.Header.Get("Location"); got != "/runs/run1" {
		t.Errorf("leads to %s", got)
	}
	r := s.store.runs["run1"].Run
	if r.Question != "How are WAL files archived?" || r.Language != "ko" || r.Depth != research.Quick || r.Policy != research.Cascade ||
		!r.Library || r.Web || len(r.URLs) != 2 || r.Follow != 1 {
		t.Errorf("stored %+v", r.Request)
	}
	if *r.Budget.Joules != 12_500_000 || *r.Budget.Dollars != *research.DefaultBudget(research.Quick, false).Dollars || *r.Budget.Seconds != 30 {
		t.Errorf("budget %+v", r.Budget)
	}
	if r.Given.Dollars != nil {
		t.Error("an open budget counts as given")
	}
	s.want(s.get("/runs/run1"), 200)
}

func TestCreateRunKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, field, value string
		selector           string // where the message must be
	}{
		{"empty question", "question", "  ", "#question-problem"},
		{"long question", "question", strings.Repeat("x", 2001), "#question-problem"},
		{"control character", "question", "a\x01bc?", "#question-problem"},
		{"malformed URL", "urls", "not a url", "#urls-problem"},
		{"other scheme", "urls", "file:///etc/passwd", "#urls-problem"},
		{"zero joules", "joules", "0", "#joules-problem"},
		{"negative dollars", "dollars", "-1", "#dollars-problem"},
		{"words for seconds", "seconds", "soon", "#seconds-problem"},
		{"comma", "joules", "1,5", "#joules-problem"},
		{"unknown policy", "policy", "oracle", "#policy-problem"},
		{"unknown depth", "depth", "abyss", "#depth-problem"},
		{"unknown language", "language", "xx", "#language-problem"},
		{"follow too deep", "follow", "9", "#follow-problem"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := setup(t)
			form := goodForm()
			form.Set(tt.field, tt.value)
			a := s.post("/runs", form)
			s.want(a, 422)
			d := s.doc(a)
			if len(s.store.runs) != 0 {
				t.Error("a run was stored")
			}
			message := strings.TrimSpace(d.Find(tt.selector).Text())
			if message == "" || strings.Contains(message, "{{") || strings.Contains(message, "no value") {
				t.Errorf("%s says %q\n", tt.selector, message)
			}
			for _, name := range []string{"joules", "dollars", "seconds"} {
				if got := d.Find("input[name="+name+"]").AttrOr("value", ""); got != form.Get(name) {
					t.Errorf("%s is %q, typed %q", name, got, form.Get(name))
				}
			}
			for _, name := range []string{"question", "urls"} {
				got := strings.ReplaceAll(d.Find("textarea[name="+name+"]").Text(), "\r", "")
				if got != strings.ReplaceAll(form.Get(name), "\r", "") {
					t.Errorf("%s is %.80q, typed %.80q", name, got, form.Get(name))
				}
			}
			if _, on := d.Find("input[name=library]").Attr("checked"); !on {
				t.Error("the library box lost its tick")
			}
			if _, on := d.Find("input[name=web]").Attr("checked"); on {
				t.Error("the web box was ticked")
			}
			if tt.field != "policy" && d.Find("select[name=policy] option[selected]").AttrOr("value", "") != "cascade" {
				t.Error("the policy was forgotten")
			}
		})
	}
}

func TestCreateRunNothingToSearch(t *testing.T) {
	t.Parallel()
	s := setup(t)
	a := s.post("/runs", url.Values{"question": {"What is it?"}})
	s.want(a, 422)
	if got := s.doc(a).Find("#sources-problem").Text(); !strings.Contains(got, "nothing to search") {
		t.Errorf("message %q", got)
	}
}

func TestCreateRunBelowOneStep(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.estimate = research.Errorf(research.EInvalid, "budget_below_step", "joules: one step needs 2 J at least. Raise the limit.").At("joules")
	a := s.post("/runs", goodForm())
	s.want(a, 422)
	if got := s.doc(a).Find("#joules-problem").Text(); !strings.Contains(got, "one step needs 2 J") {
		t.Errorf("message %q", got)
	}
	s.store.estimate = research.Errorf(research.EUnavailable, "x", "No estimate now.")
	s.want(s.post("/runs", goodForm()), 303)
}

func TestEstimateFragment(t *testing.T) {
	t.Parallel()
	s := setup(t)
	a := s.post("/estimate", url.Values{"question": {""}, "library": {"on"}, "depth": {"quick"}}, "HX-Request", "true")
	s.want(a, 200)
	if strings.Contains(a.body, "<html") || !strings.Contains(a.body, "3 J") {
		t.Errorf("fragment\n%s", a.body)
	}
	a = s.post("/estimate", url.Values{"library": {"on"}, "joules": {"x"}}, "HX-Request", "true")
	s.want(a, 200)
	if !strings.Contains(a.body, "is not a number") {
		t.Errorf("fragment\n%s", a.body)
	}
	s.want(s.get("/estimate?library=on&depth=deep"), 200)
}

func TestFormsHaveLimits(t *testing.T) {
	t.Parallel()
	s := setup(t)
	a := s.post("/runs", url.Values{"question": {strings.Repeat("x", formLimit)}})
	s.want(a, 413)
	if !strings.Contains(a.body, "larger than 1 MB") {
		t.Errorf("page says\n%.800s", a.body)
	}
	s.want(s.do("POST", "/runs", "%zz", "Content-Type", "application/x-www-form-urlencoded"), 400)
}

func TestActions(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.add(running("r1"))
	for action, status := range map[string]research.Status{"pause": research.Paused, "resume": research.Queued, "cancel": research.Cancelled} {
		s.store.change("r1", func(l *research.Ledger) { l.Run.Status = research.Running })
		a := s.post("/runs/r1/"+action, nil)
		s.want(a, 303)
		if got := s.store.runs["r1"].Run.Status; got != status || a.Header.Get("Location") != "/runs/r1" {
			t.Errorf("%s: status %s, leads to %s", action, got, a.Header.Get("Location"))
		}
		s.want(s.post("/runs/none/"+action, nil), 404)
		s.want(s.get("/runs/r1/"+action), 405)
	}
	s.store.change("r1", func(l *research.Ledger) { l.Run.Status = research.Complete })
	a := s.post("/runs/r1/cancel", nil)
	s.want(a, 409)
	s.store.change("r1", func(l *research.Ledger) { l.Run.Status = research.Running })
	s.want(s.post("/runs/r1/delete", nil), 409)
	s.store.change("r1", func(l *research.Ledger) { l.Run.Status = research.Complete })
	a = s.post("/runs/r1/delete", nil)
	s.want(a, 303)
	if page := s.get(a.Header.Get("Location")); !strings.Contains(page.body, "The run and its sources were deleted.") {
		t.Error("nothing says that the run was deleted")
	}
	if page := s.get("/runs"); strings.Contains(page.body, "were deleted") {
		t.Error("the message is shown twice")
	}
	s.want(s.get("/runs/r1"), 404)
}

func TestFlashTakesOnlyKnownTexts(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.cookie[cookieFlash] = "made-up"
	if strings.Contains(s.get("/").body, "made-up") {
		t.Error("a cookie writes on the page")
	}
}

func TestRaiseBudget(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                     string
		joules, dollars, seconds string
		status                   int
		joulesSet, secondsSet    bool
	}{
		{"joules", "20", "", "", 303, true, false},
		{"all shown, one raised", "10", "1", "60", 303, false, true},
		{"nothing", "", "", "", 422, false, false},
		{"the same", "10", "1", "30", 422, false, false},
		{"lower", "5", "", "", 422, false, false},
		{"lower and higher", "20", "0.5", "", 422, false, false},
		{"not a number", "x", "", "", 422, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := setup(t)
			l := finished("r1")
			thirty := 30.0
			l.Run.Status = research.Partial
			l.Run.Budget = research.Budget{Joules: research.Known(10_000_000), Dollars: research.Known(1_000_000), Seconds: &thirty}
			s.store.add(l)
			s.want(s.post("/runs/r1/raise", url.Values{"joules": {tt.joules}, "dollars": {tt.dollars}, "seconds": {tt.seconds}}), tt.status)
			if b := s.store.raised; (b.Joules != nil) != tt.joulesSet || b.Dollars != nil || (b.Seconds != nil) != tt.secondsSet {
				t.Errorf("raised %+v", b)
			}
			if want := tt.status == 303; (s.store.resumed == 1) != want {
				t.Errorf("resumed %d times", s.store.resumed)
			}
		})
	}
}

func TestExports(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.add(finished("r1"))
	for format, want := range map[string]struct{ media, file string }{
		"md":        {"text/markdown; charset=utf-8", "archiving-wal.md"},
		"html":      {"text/html; charset=utf-8", "archiving-wal.html"},
		"json":      {"application/json", "archiving-wal.json"},
		"cost.csv":  {"text/csv; charset=utf-8", "archiving-wal-cost.csv"},
		"cost.json": {"application/json", "archiving-wal-cost.json"},
		"":          {"text/markdown; charset=utf-8", "archiving-wal.md"},
	} {
		a := s.get("/runs/r1/export?format=" + format)
		s.want(a, 200)
		if got := a.Header.Get("Content-Type"); got != want.media {
			t.Errorf("%s: type %q", format, got)
		}
		if got := a.Header.Get("Content-Disposition"); got != "attachment; filename="+want.file {
			t.Errorf("%s: disposition %q", format, got)
		}
		if len(a.body) < 100 {
			t.Errorf("%s: %d bytes", format, len(a.body))
		}
	}
	a := s.get("/runs/r1/export?format=docm")
	s.want(a, 422)
	if !strings.Contains(a.body, "cost.csv") {
		t.Error("the message does not list the formats")
	}
	l := finished("r2")
	l.Report.Title = "복구 \"a\"\r\nX: y"
	s.store.add(l)
	if got := s.get("/runs/r2/export?format=md").Header.Get("Content-Disposition"); !strings.HasPrefix(got, "attachment; filename*=utf-8''") {
		t.Errorf("disposition %q", got)
	}
	if a := s.get("/runs/r1/export?format=md&lang=ko"); !strings.Contains(a.body, "## 출처") {
		t.Error("headings are not Korean")
	}
}
