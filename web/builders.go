package web

import (
	"net/url"
	"time"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/research"
)

// NewPage starts a view model. path is the current path with its query.
func NewPage(l *i18n.Localizer, theme Theme, path string, nav Nav, now time.Time) Page {
	return Page{L: l, Theme: theme, Path: path, Nav: nav, Now: now}
}

// AskFormFromValues reads the ask form as typed.
func AskFormFromValues(v url.Values) AskForm { return AskForm{} }

// AskFormFromRun fills the form with a run's settings, for "ask again".
func AskFormFromRun(r research.Run) AskForm { return AskForm{} }

// DefaultAskForm is the form of a first visit: documents is the number of
// library documents, web whether a provider answers.
func DefaultAskForm(documents int, web bool) AskForm { return AskForm{} }

// NewAskView builds the ask page.
func NewAskView(p Page, in AskInput) AskView { return AskView{Page: p} }

// NewEstimateView builds the cost estimate fragment.
func NewEstimateView(p Page, in EstimateInput) EstimateView { return EstimateView{Page: p} }

// NewRunsView builds the runs list.
func NewRunsView(p Page, in RunsInput) RunsView { return RunsView{Page: p} }

// NewRunView builds the run page, the timeline page and the report.
func NewRunView(p Page, l *research.Ledger, in RunInput) RunView { return RunView{Page: p} }

// Fragments lists the live parts of the run page.
func Fragments(v RunView) []Fragment { return nil }

// NewSnapshotView builds the page of a stored source; false when there is none.
func NewSnapshotView(p Page, l *research.Ledger, sourceID string) (SnapshotView, bool) {
	return SnapshotView{Page: p}, false
}

// NewCompareView builds the comparison of two runs.
func NewCompareView(p Page, in CompareInput) CompareView { return CompareView{Page: p} }

// NewDashboardView builds the dashboard.
func NewDashboardView(p Page, in DashboardInput) DashboardView { return DashboardView{Page: p} }

// NewLibraryView builds the library page.
func NewLibraryView(p Page, in LibraryInput) LibraryView { return LibraryView{Page: p} }

// NewSettingsView builds the settings page.
func NewSettingsView(p Page, in SettingsInput) SettingsView { return SettingsView{Page: p} }

// NewLoginView builds the sign-in page.
func NewLoginView(p Page, next, problem string) LoginView { return LoginView{Page: p} }

// NewErrorView builds the page for an error answered with an HTTP status.
func NewErrorView(p Page, status int, err error) ErrorView { return ErrorView{Page: p} }

// ErrorText is an error in the reader's language, safe to show.
func ErrorText(l *i18n.Localizer, err error) string { return research.SafeMessage(err) }
