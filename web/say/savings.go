package say

import (
	"strings"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/router/whatif"
)

// Savings says what routing saved against one tier alone, or that it saved
// nothing, and how many steps are not compared. The same is stored in English as
// the note of the savings; here amounts have the unit that keeps them readable.
func Savings(l *i18n.Localizer, s whatif.Savings) string {
	name := strings.TrimPrefix(s.Note.Code, "savings_")
	text := l.T("savings."+name, "Tier", l.Or("tier."+string(s.Against), string(s.Against)),
		"Spent", l.Joules(s.Spent.Units()), "Alternative", l.Joules(s.Alternative.Units()), "Router", l.Joules(s.Router.Units()),
		"Saved", l.Joules(s.Saved.Units()), "More", l.Joules(-s.Saved.Units()), "Share", Share(l, s), "Range", SavingsRange(l, s))
	if s.Unknown > 0 && s.Note.Code != whatif.NoteNothing {
		text += " " + l.N("savings.unknown", s.Unknown)
	}
	return text
}

// Share is the saved part of the alternative; an unknown one says so.
func Share(l *i18n.Localizer, s whatif.Savings) string {
	if s.Share == nil {
		return l.T("unknown")
	}
	if *s.Share < 0 {
		return "−" + l.Share(-*s.Share)
	}
	return l.Share(*s.Share)
}

// SavingsRange is between which amounts the savings lie, where energy is modelled.
func SavingsRange(l *i18n.Localizer, s whatif.Savings) string {
	return l.T("savings.range", "Low", l.Joules(s.Low.Units()), "High", l.Joules(s.High.Units()))
}
