package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
	"github.com/progrouter/progrouter/web/internal/fixture"
)

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>' onmouseover='alert(3)`

// hostileRun has markup in every text that comes from outside.
func hostileRun() *research.Ledger {
	l := fixture.Complete()
	r := &l.Run
	r.Question, r.StopReason, r.StopCode, r.Notices = hostile, hostile, hostile, []research.Note{{Text: hostile, Code: hostile}}
	r.ID, r.Status, r.Policy, r.Depth, r.Language = hostile, "failed", research.Policy(hostile), research.Depth(hostile), hostile
	for i := range l.Sources {
		l.Sources[i].Title, l.Sources[i].Text, l.Sources[i].Published = hostile, hostile+l.Sources[i].Text, hostile
		l.Sources[i].URL = []string{"javascript:alert(1)", "JAVASCRIPT:alert(1)", "data:text/html,<script>1</script>", "https://example.org/" + hostile}[i]
	}
	for i := range l.Evidence {
		l.Evidence[i].Quote, l.Evidence[i].Heading = hostile, hostile
	}
	for i := range l.Report.Claims {
		l.Report.Claims[i].Text, l.Report.Claims[i].Note = hostile, hostile
	}
	for i := range l.Report.Sections {
		l.Report.Sections[i].Heading = hostile
	}
	l.Report.NotFound = []string{hostile}
	l.Discarded = []research.Discarded{{URL: "javascript:alert(1)", Reason: hostile, Code: hostile}, {URL: " vbscript:x", Reason: hostile}}
	for i := range l.Plan.Subquestions {
		l.Plan.Subquestions[i].Text = hostile
	}
	for i := range l.Steps {
		s := &l.Steps[i]
		s.Note, s.Model, s.Decision.Reason, s.Decision.ReasonCode, s.Outcome = hostile, hostile, hostile, hostile, research.Outcome(hostile)
		s.Tier, s.Role = research.Tier(hostile), research.Role(hostile)
		s.Actions = []research.Action{{Kind: hostile, Detail: hostile, Error: hostile}}
		for j := range s.Decision.Candidates {
			c := &s.Decision.Candidates[j]
			c.Model, c.Tier, c.WhyNot, c.WhyCode, c.Eligible, c.Predicted.Basis = hostile, research.Tier(hostile), hostile, hostile, false, hostile
		}
	}
	return l
}

// harmless checks that no text became markup.
func harmless(t *testing.T, name string, doc *goquery.Document) {
	t.Helper()
	checkPolicy(t, doc)
	if n := doc.Find("img").Length(); n != 0 {
		t.Errorf("%s: %d images", name, n)
	}
	doc.Find("a[href]").Each(func(_ int, a *goquery.Selection) {
		href, _ := a.Attr("href")
		if !strings.HasPrefix(href, "/") && !strings.HasPrefix(href, "#") && !strings.HasPrefix(href, "https://") && !strings.HasPrefix(href, "http://") {
			t.Errorf("%s: a link to %q", name, href)
		}
		if target, ok := a.Attr("target"); ok && target == "_blank" {
			if rel, _ := a.Attr("rel"); !strings.Contains(rel, "noopener") || !strings.Contains(rel, "noreferrer") {
				t.Errorf("%s: an outside link with rel=%q", name, rel)
			}
		}
	})
}

func TestHostileTextsStayText(t *testing.T) {
	t.Parallel()
	p, l := page(t, "en"), hostileRun()
	p.Path, p.Flash = "/x?"+hostile, &web.Flash{Kind: hostile, Text: hostile}
	run := web.NewRunView(p, l, web.RunInput{Formats: []string{hostile}})
	summary := fixture.Summary(l, 1)
	snapshot, _ := web.NewSnapshotView(p, l, "s4")
	form := web.AskForm{Question: hostile, URLs: "</textarea>" + hostile, Joules: hostile, Depth: hostile, Policy: hostile, Language: hostile}
	usage := fixture.Usage()
	usage.ByDay[0].Day, usage.ByTier[0].Tier, usage.ByRole[0].Role, usage.ByPolicy[0].Policy = hostile, research.Tier(hostile), research.Role(hostile), research.Policy(hostile)
	doc := research.LibraryDocument{URL: "javascript:" + hostile, Title: hostile, Collection: hostile, MediaType: hostile, AddedAt: time.Unix(0, 0)}
	for name, c := range map[string]templ.Component{
		"run": web.RunPage(run), "timeline": web.TimelinePage(run), "snapshot": web.SnapshotPage(snapshot),
		"ask": web.AskPage(web.NewAskView(p, web.AskInput{Form: form, Errors: map[string]string{"question": hostile, hostile: hostile}, Providers: []string{hostile}, LastRuns: []research.RunSummary{summary},
			Estimate: web.EstimateInput{Error: hostile}})),
		"runs":      web.RunsPage(web.NewRunsView(p, web.RunsInput{Filter: research.RunFilter{Text: hostile, Limit: 1, Offset: 1}, Total: 9, Runs: []research.RunSummary{summary}})),
		"compare":   web.ComparePage(web.NewCompareView(p, web.CompareInput{A: l, B: l, Choices: []research.RunSummary{summary}})),
		"dashboard": web.DashboardPage(web.NewDashboardView(p, web.DashboardInput{Usage: usage})),
		"library": web.LibraryPage(web.NewLibraryView(p, web.LibraryInput{Text: hostile, Documents: []research.LibraryDocument{doc}, Total: 9, Limit: 1,
			Error: hostile, Results: []web.UploadResult{{Name: hostile, Error: hostile}}})),
		"settings": web.SettingsPage(web.NewSettingsView(p, web.SettingsInput{Version: hostile, Providers: []web.ProviderInput{{hostile, hostile, research.Note{Text: hostile, Code: hostile}}}, Environment: []web.EnvInput{{Key: hostile, Name: hostile, Value: hostile, Help: hostile, Source: hostile}}})),
		"login":    web.LoginPage(web.NewLoginView(p, hostile, hostile)),
		"error":    web.ErrorPage(web.NewErrorView(p, 422, research.Errorf(research.EInvalid, hostile, "%s", hostile))),
	} {
		_, page := render(t, c)
		harmless(t, name, page)
		if name != "dashboard" && name != "settings" && !strings.Contains(page.Text(), "<script>alert(1)</script>") {
			if v, _ := page.Find(`input[name="next"]`).First().Attr("value"); !strings.Contains(v, "<script>") {
				t.Errorf("%s: the text is not shown as it was typed", name)
			}
		}
	}
}

func TestOnlyWebAddressesBecomeLinks(t *testing.T) {
	t.Parallel()
	doc := runPage(t, hostileRun())
	for _, sel := range []string{".sources .meta a", ".popover-source a", ".discarded a"} {
		doc.Find(sel).Each(func(_ int, a *goquery.Selection) {
			if href, _ := a.Attr("href"); !strings.HasPrefix(href, "https://example.org/") {
				t.Errorf("%s links to %q", sel, href)
			}
		})
	}
}
