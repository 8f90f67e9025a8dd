package orchestrator

import "github.com/progrouter/progrouter/research"

// Codes of the notes that the coordinator leaves on steps. They are stable words
// that pages translate by.
const (
	NoteStopped       = "stopped"
	NoteCutOff        = "cut_off"
	NoteFailed        = "failed"
	NoteNothingUsable = "nothing_usable"
	NoteCancelled     = "cancelled"
)

// NoteCodes lists every note code of this package, for catalogues.
func NoteCodes() []string {
	return []string{NoteStopped, NoteCutOff, NoteFailed, NoteNothingUsable, NoteCancelled, research.InterruptedNote().Code}
}

// Codes of endings.
const (
	EndComplete        = "complete"
	EndCompleteGaps    = "complete_gaps"
	EndDisagree        = "complete_disagree"
	EndMainOpen        = "main_open"
	EndBudget          = "budget"
	EndBudgetUnproven  = "budget_unconfirmed"
	EndBudgetEmpty     = "budget_empty"
	EndSteps           = "steps"
	EndErrors          = "errors"
	EndTier            = "tier"
	EndNoEvidence      = "no_evidence"
	EndNoSearchWord    = "no_search_word"
	EndNothingToSearch = "nothing_to_search"
	EndCancelled       = "cancelled"
)

// EndingCodes lists every code of an ending, for catalogues.
func EndingCodes() []string {
	return []string{
		EndComplete, EndCompleteGaps, EndDisagree, EndMainOpen, EndBudget, EndBudgetUnproven, EndBudgetEmpty, EndSteps, EndErrors,
		EndTier, EndNoEvidence, EndNoSearchWord, EndNothingToSearch, EndCancelled,
	}
}

// say leaves one note on a step.
func say(s *research.Step, n research.Note) { s.Note, s.Notes = n.Text, []research.Note{n} }
