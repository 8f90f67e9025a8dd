package embedded

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
)

// Codes of the notes that steps of this engine leave, on themselves and on what
// they did. They are stable words that pages translate by.
const (
	notePlannedWhole    = "planned_whole"
	notePlannedParts    = "planned_parts"
	noteSearched        = "searched"
	noteSearchedNothing = "searched_nothing"
	noteNoWordingLeft   = "no_wording_left"
	noteRead            = "read"
	noteReadNothing     = "read_nothing"
	noteDiscarded       = "discarded"
	noteDrafted         = "drafted"
	noteDraftEmpty      = "draft_empty"
	noteModelClaims     = "model_claims"
	noteReviewed        = "reviewed"
	noteCutBudget       = "cut_budget"
	noteCutTime         = "cut_time"
	noteCancelled       = "step_cancelled"
	noteRankHeadings    = "rank_headings"
	noteSearchFirst     = "search_first"
	noteRankPassages    = "rank_passages"
	noteEmbedSentences  = "embed_sentences"
)

// NoteCodes lists every note code of this package, for catalogues.
func NoteCodes() []string {
	return []string{
		notePlannedWhole, notePlannedParts, noteSearched, noteSearchedNothing, noteNoWordingLeft, noteRead, noteReadNothing,
		noteDiscarded, noteDrafted, noteDraftEmpty, noteModelClaims, noteReviewed, noteCutBudget, noteCutTime, noteCancelled,
		noteRankHeadings, noteSearchFirst, noteRankPassages, noteEmbedSentences, research.NoteNoSearchWord,
	}
}

type args = map[string]any

// noted says what the step did, in place of what it said before.
func (s *step) noted(notes ...research.Note) {
	s.out.Notes, s.out.Note = notes, research.NoteText(notes)
}

// act records something done inside the step, for the timeline.
func (s *step) act(kind, detail string, start time.Time, err error) {
	s.record(research.Action{Kind: kind, Detail: detail}, start, err)
}

// actNote is act for a detail in our own words.
func (s *step) actNote(kind string, n research.Note, start time.Time, err error) {
	s.record(research.Action{Kind: kind, Detail: n.Text, Note: &n}, start, err)
}

func (s *step) record(a research.Action, start time.Time, err error) {
	a.Start, a.Seconds = start, s.now().Sub(start).Seconds()
	var known *research.Error
	switch {
	case err == nil:
	case errors.Is(err, energy.ErrExhausted), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		a.Error, a.ErrorKey = "Stopped before it was done.", "stopped"
	case errors.As(err, &known) && known.Code != research.EInternal:
		a.Error, a.ErrorKey = known.Message, known.Key
	default:
		a.Error, a.ErrorKey = research.SafeMessage(err), "internal"
	}
	s.out.Actions = append(s.out.Actions, a)
}

func planNote(n int) research.Note {
	if n == 1 {
		return research.Note{Code: notePlannedWhole, Text: "The question is answered as one."}
	}
	return research.Note{Code: notePlannedParts, Args: args{"Parts": n - 1},
		Text: fmt.Sprintf("The question is worked on as a whole and in %s.", count(n-1, "part", "parts"))}
}

func searchNotes(searched, refused, hits int) []research.Note {
	n := research.Note{Code: noteSearched, Args: args{"Searches": searched, "Documents": hits},
		Text: fmt.Sprintf("%s, %s found.", count(searched, "search", "searches"), count(hits, "document", "documents"))}
	if hits == 0 && searched > 0 {
		n = research.Note{Code: noteSearchedNothing, Args: args{"Searches": searched},
			Text: fmt.Sprintf("%s found no new document.", capitalise(count(searched, "search", "searches")))}
	}
	if refused == 0 {
		return []research.Note{n}
	}
	return []research.Note{n, {Code: noteNoWordingLeft, Args: args{"Count": refused},
		Text: fmt.Sprintf("%s had no wording left that was not tried before.", count(refused, "sub-question", "sub-questions"))}}
}

func readNotes(read, quotes, discarded int) []research.Note {
	n := research.Note{Code: noteRead, Args: args{"Documents": read, "Quotes": quotes},
		Text: fmt.Sprintf("%s read, %s kept.", count(read, "document", "documents"), count(quotes, "quote", "quotes"))}
	if quotes == 0 {
		n = research.Note{Code: noteReadNothing, Args: args{"Documents": read},
			Text: fmt.Sprintf("%s read; no passage answers the question.", count(read, "document", "documents"))}
	}
	if discarded == 0 {
		return []research.Note{n}
	}
	return []research.Note{n, {Code: noteDiscarded, Args: args{"Count": discarded},
		Text: fmt.Sprintf("%s discarded.", count(discarded, "document", "documents"))}}
}

// writeNotes tells of the draft, and what became of a guide's claims.
func writeNotes(r *research.Report, l *research.Ledger, t *tally) []research.Note {
	out := []research.Note{writeNote(r, l)}
	if t != nil {
		out = append(out, research.Note{Code: noteModelClaims, Args: args{"Kept": t.kept, "Quoted": t.quoted, "Left": t.left},
			Text: fmt.Sprintf("Claims of the model: %d kept, %d replaced by their quotes, %d left out.", t.kept, t.quoted, t.left)})
	}
	return out
}

func writeNote(r *research.Report, l *research.Ledger) research.Note {
	if len(r.Claims) == 0 {
		return research.Note{Code: noteDraftEmpty, Text: "There is no evidence to write from."}
	}
	sources := map[string]bool{}
	for _, c := range r.Claims {
		for _, id := range c.EvidenceIDs {
			if e, ok := l.EvidenceByID(id); ok {
				sources[e.SourceID] = true
			}
		}
	}
	return research.Note{Code: noteDrafted, Args: args{"Draft": r.Draft, "Claims": len(r.Claims), "Sources": len(sources)},
		Text: fmt.Sprintf("Draft %d: %s from %s.", r.Draft, count(len(r.Claims), "claim", "claims"), count(len(sources), "source", "sources"))}
}

func reviewNote(r *research.Report, removed int) research.Note {
	n := map[research.Verdict]int{}
	for _, c := range r.Claims {
		n[c.Verdict]++
	}
	text := fmt.Sprintf("%s supported", count(n[research.Supported], "claim", "claims"))
	if n[research.Weak] > 0 {
		text += fmt.Sprintf(", %d weak", n[research.Weak])
	}
	if n[research.Contradicted] > 0 {
		text += fmt.Sprintf(", %d contradicted", n[research.Contradicted])
	}
	if removed > 0 {
		text += fmt.Sprintf(", %d removed", removed)
	}
	return research.Note{Code: noteReviewed, Text: text + ".", Args: args{
		"Supported": n[research.Supported], "Weak": n[research.Weak], "Contradicted": n[research.Contradicted], "Removed": removed,
	}}
}

// cut adds that a step ended early, and why.
func cut(r *research.Result, code, why string) {
	r.Notes = append(r.Notes, research.Note{Code: code, Text: "Stopped early: " + why + "."})
	r.Note = research.NoteText(r.Notes)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
