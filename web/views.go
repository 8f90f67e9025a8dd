// Package web owns the pages: templ components, the view models they take and
// the pure functions that build those from the domain types. It must not know
// HTTP routing, storage or how anything is computed; every text goes through
// the catalogues and every amount through the reader's locale.
package web

import (
	"time"

	"github.com/progrouter/progrouter/i18n"
)

// Nav names an entry of the main navigation.
type Nav string

// The entries of the main navigation.
const (
	NavNone      Nav = ""
	NavAsk       Nav = "ask"
	NavRuns      Nav = "runs"
	NavDashboard Nav = "dashboard"
	NavLibrary   Nav = "library"
	NavSettings  Nav = "settings"
)

// Theme is what the reader chose; empty follows the system.
type Theme string

// The themes.
const (
	ThemeSystem Theme = ""
	ThemeLight  Theme = "light"
	ThemeDark   Theme = "dark"
)

// ParseTheme reads a cookie or form value; anything unknown follows the system.
func ParseTheme(s string) Theme {
	switch t := Theme(s); t {
	case ThemeLight, ThemeDark:
		return t
	}
	return ThemeSystem
}

// Flash is one message on top of a page. Kind is "ok", "warn" or "error".
type Flash struct{ Kind, Text string }

// Page is what every page needs. Embed it first in a view model.
//
// Forms that every page carries: POST /preferences with lang, theme and next
// (sets cookies, then 303 to next); POST /logout.
type Page struct {
	L     *i18n.Localizer
	Theme Theme
	Path  string // current path with query, where the switches return to
	Nav   Nav
	Title string // of the document; builders fill it
	Now   time.Time
	Zone  *time.Location // nil is UTC
	Flash *Flash
	// SignedIn shows the sign-out button (a password is set).
	SignedIn bool
	// Bare hides the navigation (login page).
	Bare bool
}

// Meter is what modelled joules assume, for honest labels. Watts per busy core.
type Meter struct {
	Watts, Low, High float64
	KgPerKWh         float64 // carbon intensity of the power used here; 0 shows no carbon
}

// Option is one choice of a select or radio group. Note explains it.
type Option struct {
	Value, Label, Note string
	Selected           bool
}

// Amount is a figure with the unit in its text. Known false means the text says
// "unknown"; Range and Method are empty when there is nothing to say.
type Amount struct {
	Text   string
	Range  string // "low–high"
	Method string // "modelled from CPU time at 10 W (5–20)"
	Known  bool
}

// TierMark is a tier as pages show it: name, and Class for colour and shape.
type TierMark struct {
	Class string // small, medium, large, or "none"
	Label string
}

// Pager links to the neighbours of a list page. Empty links are not shown.
type Pager struct {
	Text       string // "21–40 of 312"
	Prev, Next string
}

// Link is a labelled address.
type Link struct{ Text, Href string }

// LoginView is the sign-in page; the form posts password and next to /login.
type LoginView struct {
	Page
	Error string
	Next  string
}

// ErrorView is a page for an error: what happened and what to do.
type ErrorView struct {
	Page
	Status  int
	Heading string
	Message string
	Cure    string
	Back    Link
}
