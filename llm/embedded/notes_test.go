package embedded

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
)

// Every sentence that a step can say has a code that catalogues know of.
func TestNotesAreCoded(t *testing.T) {
	t.Parallel()
	l := &research.Ledger{Evidence: []research.Evidence{{ID: "e1", SourceID: "s1"}}}
	report := &research.Report{Draft: 2, Claims: []research.Claim{
		{EvidenceIDs: []string{"e1"}, Verdict: research.Supported}, {Verdict: research.Weak}, {Verdict: research.Contradicted},
	}}
	all := []research.Note{planNote(1), planNote(2), planNote(4), writeNote(report, l), writeNote(&research.Report{}, l), reviewNote(report, 2)}
	for _, n := range []int{0, 1, 5} {
		all = append(all, searchNotes(n, n, 3)...)
		all = append(all, searchNotes(n, 0, 0)...)
		all = append(all, readNotes(n, n, n)...)
	}
	r := research.Result{}
	cut(&r, noteCutBudget, "the budget of the step was used up")
	all = append(all, r.Notes...)
	for _, n := range all {
		if n.Text == "" || !slices.Contains(NoteCodes(), n.Code) {
			t.Errorf("%+v", n)
		}
		for name, value := range n.Args {
			switch value.(type) {
			case int, string:
			default:
				t.Errorf("%s: %s is %T, which does not survive storage", n.Code, name, value)
			}
		}
	}
}

func TestNoteIsItsSentences(t *testing.T) {
	t.Parallel()
	s := &step{}
	s.noted(readNotes(3, 5, 1)...)
	if want := "3 documents read, 5 quotes kept. 1 document discarded."; s.out.Note != want || len(s.out.Notes) != 2 {
		t.Errorf("%q of %d", s.out.Note, len(s.out.Notes))
	}
	cut(&s.out, noteCutTime, "the time of the step was up")
	if want := "3 documents read, 5 quotes kept. 1 document discarded. Stopped early: the time of the step was up."; s.out.Note != want {
		t.Errorf("%q", s.out.Note)
	}
	s.noted(planNote(2))
	if s.out.Note != "The question is worked on as a whole and in 1 part." {
		t.Errorf("%q", s.out.Note)
	}
}

func TestActionsNameTheirTrouble(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err       error
		text, key string
	}{
		{nil, "", ""},
		{research.Errorf(research.EUnavailable, "slow", "It is slow."), "It is slow.", "slow"},
		{fmt.Errorf("x: %w", context.Canceled), "Stopped before it was done.", "stopped"},
		{energy.ErrExhausted, "Stopped before it was done.", "stopped"},
		{errors.New("secret"), "Internal error. The details are in the server's log.", "internal"},
	} {
		s := &step{Engine: &Engine{now: time.Now}}
		s.act("fetch", "u", time.Now(), tt.err)
		if a := s.out.Actions[0]; a.Error != tt.text || a.ErrorKey != tt.key {
			t.Errorf("%v: %+v", tt.err, a)
		}
	}
}
