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
// Complete means that the main question and every other sub-question is answered,
// be it by sources that disagree, or was searched to the end and is reported as
// not found.
func Conclude(l *research.Ledger, stop Stop, detail string) Ending {
	answers := 0
	for _, c := range l.Report.Claims {
		if c.Answers() {
			answers++
		}
	}
	switch {
	case stop == StopTier && answers == 0:
		return Ending{research.Failed, detail, EndTier}
	case stop == StopTier:
		return Ending{research.Partial, detail, EndTier}
	case answers == 0 && stop == StopErrors:
		return Ending{research.Failed, failedReason(l, detail), EndErrors}
	case answers == 0 && stop == StopBudget && len(l.Report.Claims) > 0:
		return Ending{research.Partial, "The budget was used up before any claim could be confirmed. Raise the budget and go on.", EndBudgetUnproven}
	case answers == 0 && stop == StopBudget:
		return Ending{research.Partial, "The budget was used up before an answer was found. Raise the budget and go on.", EndBudgetEmpty}
	case answers == 0:
		return noEvidence(l)
	}
	return concludeAnswered(l, stop, detail)
}

func concludeAnswered(l *research.Ledger, stop Stop, detail string) Ending {
	gaps, disputed := texts(l.Unanswered()), texts(l.Disputed())
	end := func(status research.Status, code, s string) Ending {
		if len(gaps) > 0 {
			s += " Not answered by the sources: " + strings.Join(gaps, " · ")
		}
		if len(disputed) > 0 {
			s += " The sources disagree on: " + strings.Join(disputed, " · ")
		}
		return Ending{status, s, code}
	}
	switch stop {
	case StopBudget:
		return end(research.Partial, EndBudget, "The budget was used up; the report holds what was found until then.")
	case StopSteps:
		return end(research.Partial, EndSteps, "The run reached the depth's step limit.")
	case StopErrors:
		return end(research.Partial, EndErrors, "The last steps failed: "+detail)
	}
	switch {
	case mainOpen(l):
		return end(research.Partial, EndMainOpen, "The sources support parts of the answer, not the question itself.")
	case len(gaps) > 0:
		return end(research.Complete, EndCompleteGaps, "Every part that the sources answer is covered.")
	case len(disputed) > 0:
		return end(research.Complete, EndDisagree, "Every sub-question is answered, but not every source says the same.")
	}
	return end(research.Complete, EndComplete, "Every sub-question has a supported claim.")
}

func mainOpen(l *research.Ledger) bool {
	for _, q := range l.Unanswered() {
		if q.Main {
			return true
		}
	}
	return false
}

func texts(qs []research.Subquestion) []string {
	var out []string
	for _, q := range qs {
		out = append(out, q.Text)
	}
	return out
}

func noEvidence(l *research.Ledger) Ending {
	if len(l.Queries)+len(l.Sources)+len(l.Report.Claims) == 0 {
		return Ending{research.NoEvidence, "Nothing could be searched: there were no documents to look in.", EndNothingToSearch}
	}
	if wordless(l) {
		return Ending{research.NoEvidence,
			"The question has no word that could be searched for, only words such as \"what\" and \"it\". Name what it is about.", EndNoSearchWord}
	}
	s := fmt.Sprintf("%d searches and %d documents read brought no passage that answers the question.", len(l.Queries), len(l.Sources))
	if n := len(l.Discarded); n > 0 {
		s += fmt.Sprintf(" %d documents were discarded, the last because: %s", n, l.Discarded[n-1].Reason)
	}
	return Ending{research.NoEvidence, s, EndNoEvidence}
}

// wordless says whether a search found no word in the question to look for.
func wordless(l *research.Ledger) bool {
	for _, s := range l.Steps {
		for _, n := range s.Notes {
			if n.Code == research.NoteNoSearchWord {
				return true
			}
		}
	}
	return false
}

func failedReason(l *research.Ledger, detail string) string {
	if detail == "" {
		for i := len(l.Steps) - 1; i >= 0 && detail == ""; i-- {
			detail = l.Steps[i].Note
		}
	}
	return "The run failed: " + detail
}
