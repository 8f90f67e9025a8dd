package orchestrator

import (
	"fmt"
	"strings"

	"github.com/progrouter/progrouter/research"
)

// Ending is how a run ends: its status from evidence and the reason in words.
type Ending struct {
	Status research.Status
	Reason string
	Code   string // stable word pages translate the reason by
}

// Conclude reads the status from the evidence, not from having reached the end.
// Complete means that the main question and every other sub-question has a
// supported claim or was searched to the end and is reported as not found.
func Conclude(l *research.Ledger, stop Stop, detail string) Ending {
	supported := 0
	for _, c := range l.Report.Claims {
		if c.Verdict == research.Supported {
			supported++
		}
	}
	switch {
	case stop == StopTier:
		return Ending{research.Failed, detail, EndTier}
	case supported == 0 && stop == StopErrors:
		return Ending{research.Failed, failedReason(l, detail), EndErrors}
	case supported == 0 && stop == StopBudget && len(l.Report.Claims) > 0:
		return Ending{research.Partial, "The budget was used up before any claim could be confirmed. Raise the budget and go on.", EndBudgetUnproven}
	case supported == 0 && stop == StopBudget:
		return Ending{research.Partial, "The budget was used up before an answer was found. Raise the budget and go on.", EndBudgetEmpty}
	case supported == 0:
		return noEvidence(l)
	}
	return concludeSupported(l, stop, detail)
}

func concludeSupported(l *research.Ledger, stop Stop, detail string) Ending {
	gaps := gapTexts(l)
	switch stop {
	case StopBudget:
		return Ending{research.Partial, withGaps("The budget was used up; the report holds what was found until then.", gaps), EndBudget}
	case StopSteps:
		return Ending{research.Partial, withGaps("The run reached the depth's step limit.", gaps), EndSteps}
	case StopErrors:
		return Ending{research.Partial, withGaps("The last steps failed: "+detail, gaps), EndErrors}
	}
	if mainOpen(l) {
		return Ending{research.Partial, withGaps("The sources support parts of the answer, not the question itself.", gaps), EndMainOpen}
	}
	if len(gaps) > 0 {
		return Ending{research.Complete, withGaps("Every part that the sources answer is covered.", gaps), EndCompleteGaps}
	}
	return Ending{research.Complete, "Every sub-question has a supported claim.", EndComplete}
}

func mainOpen(l *research.Ledger) bool {
	for _, q := range l.Plan.Subquestions {
		if !q.Main {
			continue
		}
		for _, c := range l.Report.Claims {
			if c.Subquestion == q.ID && c.Verdict == research.Supported {
				return false
			}
		}
		return true
	}
	return false
}

// gapTexts are the sub-questions without a supported claim, given up or not.
func gapTexts(l *research.Ledger) []string {
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

func withGaps(s string, gaps []string) string {
	if len(gaps) == 0 {
		return s
	}
	return fmt.Sprintf("%s Not answered by the sources: %s", s, strings.Join(gaps, " · "))
}

func noEvidence(l *research.Ledger) Ending {
	if len(l.Queries)+len(l.Sources)+len(l.Report.Claims) == 0 {
		return Ending{research.NoEvidence, "Nothing could be searched: there were no documents to look in.", EndNothingToSearch}
	}
	s := fmt.Sprintf("%d searches and %d documents read brought no passage that answers the question.", len(l.Queries), len(l.Sources))
	if n := len(l.Discarded); n > 0 {
		s += fmt.Sprintf(" %d documents were discarded, the last because: %s", n, l.Discarded[n-1].Reason)
	}
	return Ending{research.NoEvidence, s, EndNoEvidence}
}

func failedReason(l *research.Ledger, detail string) string {
	if detail == "" {
		for i := len(l.Steps) - 1; i >= 0 && detail == ""; i-- {
			detail = l.Steps[i].Note
		}
	}
	return "The run failed: " + detail
}
