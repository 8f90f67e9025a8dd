package web_test

import (
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
	"github.com/progrouter/progrouter/web/internal/fixture"
)

// A sum of steps' seconds is not a run's time, and the dashboard says which it
// shows; small shares are not nothing.
func TestDashboardNamesItsSums(t *testing.T) {
	t.Parallel()
	row := func(tier research.Tier, joules research.Micro) research.UsageRow {
		return research.UsageRow{Tier: tier, Steps: 2, Runs: 1, Joules: joules, Low: joules / 2, High: joules * 2, Method: research.MethodCPU, Seconds: 90}
	}
	total := row("", 100_300_000)
	u := research.Usage{Total: total, ByTier: []research.UsageRow{row(research.Small, 300_000), row(research.Large, 100_000_000)}}
	for lang, words := range map[string][]string{"en": {"Step time", "exact sums"}, "ko": {"단계 시간", "정확한 합"}} {
		html, doc := render(t, web.DashboardPage(web.NewDashboardView(page(t, lang), web.DashboardInput{Usage: u, Days: 30, Meter: fixture.Meter})))
		for _, w := range words {
			if !strings.Contains(html, w) {
				t.Errorf("%s: no %q", lang, w)
			}
		}
		shares := doc.Find("[aria-labelledby=by-tier] tbody td:nth-child(4)").Text()
		if !strings.Contains(shares, "<1%") || !strings.Contains(shares, ">99%") || strings.Contains(shares, " 0%") {
			t.Errorf("%s: shares %q", lang, shares)
		}
	}
}
