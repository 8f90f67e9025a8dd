package chat

import (
	"testing"
	"time"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/research"
)

// TestNotesAreInTheCatalogues compares every sentence with its translation into
// English and looks that others exist.
func TestNotesAreInTheCatalogues(t *testing.T) {
	t.Parallel()
	catalogues, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	var all []research.Note
	for _, k := range []Kind{RateLimited, Overloaded, TimedOut, Unreachable, Cut, Garbage, ContextLength, Unauthorized, OutOfCredit, UnknownModel, Rejected, Resting, "other"} {
		e := &Error{Kind: k}
		all = append(all, e.Note("a model"), waitNote("a model", e, 1500*time.Millisecond))
	}
	all = append(all, slotNote("a provider", 1), paceNote("a provider", 6, time.Second))
	for _, n := range all {
		if got := catalogues.Localizer("en").Map("note."+n.Code, n.Args); got != n.Text {
			t.Errorf("%s: the catalogue says %q, the note %q", n.Code, got, n.Text)
		}
		if got := catalogues.Localizer("ko").Map("note."+n.Code, n.Args); got == n.Text || got == "note."+n.Code {
			t.Errorf("%s is not translated: %q", n.Code, got)
		}
	}
}
