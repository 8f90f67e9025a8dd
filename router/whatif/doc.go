// Package whatif owns what stored decisions can say about other ones: how much
// progress another policy's choice would have brought in one step, what a run
// would have cost on other tiers, and what routing saved. Everything it hands back
// is an estimate and says so. It is pure computation on domain types and must not
// know storage, HTTP or pages.
package whatif

import (
	"fmt"

	"github.com/progrouter/progrouter/research"
)

// Codes of the notes, for translation.
const (
	NoteOneStep   = "whatif_one_step"   // what an estimate of one step does not say
	NoteTooFew    = "whatif_too_few"    // too few decisions count
	NoteTooUneven = "whatif_too_uneven" // … since few of them carry all the weight
	NoteFewRuns   = "whatif_few_runs"
	NoteRepriced  = "whatif_repriced" // what re-pricing assumes
	NoteSaved     = "savings_saved"
	NoteLost      = "savings_lost"
	NoteEven      = "savings_even"
	NoteOpen      = "savings_open" // the range spans both
	NoteNothing   = "savings_nothing"
)

// NoteCodes lists every code, for catalogues.
func NoteCodes() []string {
	return []string{
		NoteOneStep, NoteTooFew, NoteTooUneven, NoteFewRuns, NoteRepriced,
		NoteSaved, NoteLost, NoteEven, NoteOpen, NoteNothing,
	}
}

func note(code string, args map[string]any, format string, values ...any) research.Note {
	return research.Note{Code: code, Args: args, Text: fmt.Sprintf(format, values...)}
}
