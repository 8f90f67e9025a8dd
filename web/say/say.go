// Package say puts what a run recorded about itself into the reader's language:
// why a tier was chosen, what a step did, why a run ended, what was discarded,
// what went wrong. Pages and exports share it. It is a set of pure functions and
// must not know pages, markup, HTTP or storage.
//
// Sentences are stored in English together with codes and the values in them.
// Readers of English get the stored sentence, everybody else the catalogue's,
// and the stored one where the catalogue does not know the code.
package say

import (
	"fmt"
	"strings"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/research"
)

// stored is the language of stored sentences.
const stored = "en"

// known tells whether a text is to be made anew from the catalogue.
func known(l *i18n.Localizer, text, key string) bool {
	return l.Has(key) && (text == "" || l.Lang() != stored)
}

// Note is one sentence.
func Note(l *i18n.Localizer, n research.Note) string {
	if key := "note." + n.Code; n.Code != "" && known(l, n.Text, key) {
		return l.Map(key, Args(l, n.Args))
	}
	return n.Text
}

// Notes joins sentences.
func Notes(l *i18n.Localizer, notes []research.Note) string {
	out := make([]string, 0, len(notes))
	for _, n := range telling(notes) {
		if s := Note(l, n); s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, " ")
}

// Did is what a step did, "" when it says nothing.
func Did(l *i18n.Localizer, s research.Step) string {
	if len(s.Notes) > 0 && (l.Lang() != stored || len(telling(s.Notes)) < len(s.Notes)) {
		return Notes(l, s.Notes)
	}
	return s.Note
}

// telling leaves out that nothing was searched where the next sentence says why.
func telling(notes []research.Note) []research.Note {
	if len(notes) < 2 || notes[0].Code != "searched" {
		return notes
	}
	if fmt.Sprint(notes[0].Args["Searches"]) == "0" {
		return notes[1:]
	}
	return notes
}

// Detail is what an action inside a step was about.
func Detail(l *i18n.Localizer, a research.Action) string {
	if a.Note != nil {
		return Note(l, *a.Note)
	}
	return a.Detail
}

// Trouble is what went wrong in an action, "" when nothing did.
func Trouble(l *i18n.Localizer, a research.Action) string {
	if key := "error." + a.ErrorKey; a.Error != "" && a.ErrorKey != "" && known(l, a.Error, key) {
		return l.T(key)
	}
	return a.Error
}

// QueryTrouble is why a search brought nothing, "" when it went well.
func QueryTrouble(l *i18n.Localizer, q research.Query) string {
	if q.Error == "" {
		return ""
	}
	return Note(l, research.Note{Text: q.Error, Code: q.ErrorCode, Args: map[string]any{"Provider": q.Provider}})
}

// Discarded is why a document was not used.
func Discarded(l *i18n.Localizer, d research.Discarded) string {
	if key := "discarded." + d.Code; known(l, d.Reason, key) {
		return l.T(key)
	}
	return d.Reason
}

// Provider is the name of a place that was searched.
func Provider(l *i18n.Localizer, name string) string {
	return l.Or("provider."+strings.ToLower(name), name)
}

// Args writes the values of a text as the reader does: whole numbers grouped,
// and what is a word of ours (a field, a tier, a status …) in words.
func Args(l *i18n.Localizer, args map[string]any) map[string]any {
	out := make(map[string]any, len(args))
	for name, value := range args {
		switch v := value.(type) {
		case int:
			out[name] = l.Int(v)
		case int64:
			out[name] = l.Number(float64(v), 0)
		case float64:
			out[name] = l.Short(v)
		case research.Status:
			out[name] = l.Or("status."+string(v), string(v))
		case string:
			out[name] = word(l, name, v)
		default:
			out[name] = value
		}
	}
	return out
}

// word is a value that may be a word of ours, told by the name it goes by.
func word(l *i18n.Localizer, name, v string) string {
	switch name {
	case "Field":
		return l.Or("field."+v, v)
	case "Tier":
		return l.Or("tier."+v, v)
	case "Provider":
		return Provider(l, v)
	case "Language":
		return l.Or("language."+v, v)
	}
	return v
}
