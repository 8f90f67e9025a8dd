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
	case "complete_gaps", "complete_disagree", "main_open", "budget", "steps", "errors":
		if r.Status == research.Failed {
			break
		}
		if open := led.Unanswered(); len(open) > 0 {
			parts = append(parts, l.T("stop.gaps", "Gaps", texts(open)))
		}
		if disputed := led.Disputed(); len(disputed) > 0 {
			parts = append(parts, l.T("stop.disagree", "Parts", texts(disputed)))
		}
	}
	return strings.Join(parts, " ")
}

func texts(qs []research.Subquestion) string {
	out := make([]string, len(qs))
	for i, q := range qs {
		out[i] = q.Text
	}
	return strings.Join(out, " · ")
}
