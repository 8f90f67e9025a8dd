package web

import (
	"time"

	"github.com/progrouter/progrouter/research"
)

// AskForm is the ask form as typed. The field names of the HTML form, posted to
// /runs and sent to /estimate, are the lower-case words beside each field.
type AskForm struct {
	Question string // question
	Library  bool   // library ("on")
	Web      bool   // web ("on")
	URLs     string // urls, one per line
	Follow   string // follow: 0, 1 or 2
	Depth    string // depth
	Language string // language; "" is the question's own
	Policy   string // policy
	Joules   string // joules; "" is open
	Dollars  string // dollars
	Seconds  string // seconds
}

// AskInput is what the ask page is built from.
type AskInput struct {
	Form      AskForm
	Errors    map[string]string // by form field name, already in the reader's language; "" is the whole form
	Providers []string          // web search providers that answer: wikipedia, searxng
	WebDown   bool              // a provider is set up and does not answer
	Documents int               // in the library
	// LanguageModel is true when a language model is connected.
	LanguageModel bool
	Proposal      *ProposalInput // models that were found and may be taken by one click
	Estimate      EstimateInput
	LastRuns      []research.RunSummary
}

// EstimateInput is what a run of these settings is expected to cost.
type EstimateInput struct {
	Depth    research.Depth
	Policy   research.Policy
	Expected research.Cost
	High     research.Cost   // a run that needs more than usual; zero value hides it
	Budget   research.Budget // effective: given, else the depth's default
	Method   string          // research.Method…
	PastRuns int             // how many finished runs it is learned from; 0 is a rule of thumb
	Meter    Meter
	Error    string // shown instead, when the settings are not valid yet
}

// EstimateView is the refreshed fragment #estimate.
type EstimateView struct {
	Page
	Joules, Dollars, Seconds     Amount
	BudgetJoules, BudgetDollars  string
	BudgetSeconds, Basis, Method string
	Over                         []string // budgets the estimate does not fit, in words
	Error                        string
}

// AskView is the ask page.
type AskView struct {
	Page
	Form          AskForm
	Errors        map[string]string
	Depths        []Option
	Policies      []Option
	Languages     []Option
	Follow        []Option
	DefaultBudget map[string]Defaults // by depth value
	Placeholders  Defaults            // of the selected depth
	Libraries     string              // "112 documents"
	LibraryEmpty  bool
	WebNote       string // which providers, or why none
	WebAvailable  bool
	ModelNote     string // empty when a language model is connected
	Proposal      *ProposalView
	Estimate      EstimateView
	LastRuns      []RunRow
}

// Defaults is what an open budget becomes, as plain numbers for placeholders.
type Defaults struct{ Joules, Dollars, Seconds string }

// RunRow is a run in a list.
type RunRow struct {
	ID, Href, Question      string
	Status                  StatusMark
	When, WhenExact         string
	WhenAt                  time.Time
	Depth, Policy           string
	Joules, Dollars         Amount
	Seconds                 string
	Steps, Claims, Sources  string
	Progress                string // "82 %"
	ProgressValue           float64
	Queue                   string // "2nd in the queue", else empty
	CompareHref, DeleteHref string
}

// StatusMark is a status as pages show it. Class is the status word.
type StatusMark struct {
	Class, Label string
	Live         bool
}

// RunsInput is what the runs list is built from.
type RunsInput struct {
	Filter research.RunFilter // Limit and Offset say which page this is
	Total  int
	Runs   []research.RunSummary
}

// RunsView is the runs list. The filter form gets /runs with q, status, policy
// and page (from 1); two checked rows go to /compare?a=&b=.
type RunsView struct {
	Page
	Text     string
	Statuses []Option
	Policies []Option
	Runs     []RunRow
	Pager    Pager
	Filtered bool
	Live     bool // some run is not final
}
