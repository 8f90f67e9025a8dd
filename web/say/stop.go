package say

import (
	"strings"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/research"
)

// Stop is why a run ended, "" while it has not.
func Stop(l *i18n.Localizer, led *research.Ledger) string {
	r := led.Run
	key := "stop." + r.StopCode
	if !known(l, r.StopReason, key) {
		return r.StopReason
	}
	parts := []string{l.T(key, "Searches", l.Int(len(led.Queries)), "Sources", l.Int(len(led.Sources)))}
	switch r.StopCode {
	case "no_evidence":
		if n := len(led.Discarded); n > 0 {
			parts = append(parts, l.T("stop.discarded", "Count", l.Int(n), "Reason", Discarded(l, led.Discarded[n-1])))
		}
	case "tier":
		if n := len(led.Steps); n > 0 {
			parts = append(parts, obstacles(l, led.Steps[n-1].Decision)...)
		}
	case "complete_gaps", "main_open", "budget", "steps", "errors":
		if open := gaps(led); len(open) > 0 && r.Status != research.Failed {
			parts = append(parts, l.T("stop.gaps", "Gaps", strings.Join(open, " · ")))
		}
	}
	return strings.Join(parts, " ")
}

// gaps are the sub-questions without a supported claim.
func gaps(l *research.Ledger) []string {
	supported := map[string]bool{}
	for _, c := range l.Report.Claims {
		if c.Verdict == research.Supported {
			supported[c.Subquestion] = true
		}
	}
	var out []string
	for _, q := range l.Plan.Subquestions {
		if !supported[q.ID] {
			out = append(out, q.Text)
		}
	}
	return out
}
