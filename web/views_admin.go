package web

import (
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web/reckon"
)

// DashboardInput is what the dashboard is built from.
type DashboardInput struct {
	Usage research.Usage
	Days  int // window shown: 7, 30, 90, or 0 for everything
	// Savings is what routing saved in the window; nil is loaded by the page itself.
	Savings *reckon.Period
	Meter   Meter
}

// DashboardView is the dashboard. The window is chosen by ?days=.
type DashboardView struct {
	Page
	Windows  []WindowLink
	Empty    bool
	Joules   Amount
	WattHour string
	Dollars  string
	Seconds  string
	Runs     string
	Steps    string
	Unknown  string
	Statuses []LegendItem
	Savings  SavingsView
	Charts   []ChartView
	Tables   []UsageTable
}

// WindowLink selects a period.
type WindowLink struct {
	Link
	Current bool
}

// UsageTable is one grouping of the same steps.
type UsageTable struct {
	ID, Title, Head string
	Rows            []UsageLine
	Total           UsageLine
	Methods         bool // the rows differ in method, so it is shown
}

// UsageLine is a row of a usage table.
type UsageLine struct {
	Label, Class              string
	Runs, Steps               string
	Joules, Range, Method     string
	Share                     float64
	ShareText                 string
	Dollars, Seconds, Unknown string
}

// LibraryInput is what the library page is built from.
type LibraryInput struct {
	Text      string
	Documents []research.LibraryDocument
	Total     int
	Limit     int
	Offset    int
	Error     string
	Results   []UploadResult // of the upload just made
	MaxBytes  int64          // per file; 0 is not shown
	Folder    string         // data folder, for the folder note
}

// UploadResult is what became of one uploaded file. Error is empty when it was
// added, and already in the reader's language.
type UploadResult struct {
	Name     string
	Passages int
	Error    string
}

// LibraryView is the library. Uploads post multipart field "files" to /library;
// removal posts "url" to /library/remove; search gets /library?q=&page=.
type LibraryView struct {
	Page
	Text     string
	Count    string
	Error    string
	Results  []UploadLine
	Rows     []DocumentRow
	Pager    Pager
	Limit    string
	Filtered bool
}

// UploadLine is UploadResult in words.
type UploadLine struct {
	Name, Text string
	OK         bool
}

// DocumentRow is a document of the library.
type DocumentRow struct {
	URL, Title, Collection, Kind   string
	Passages, Size, Added, AddedAt string
	Removable                      bool
}

// SettingsInput is what the settings page is built from. Details are notes, whose
// codes have the prefix "detail."; names and values stay as they are.
type SettingsInput struct {
	Version, Data, Database, Address string
	Models                           []ModelInput
	Providers                        []ProviderInput
	Meters                           []MeterInput
	Meter                            Meter
	RunsAtOnce                       int
	AllowanceJoules                  float64
	Allowed                          []string // PROGROUTER_ALLOW_HOSTS
	Password                         bool
	Environment                      []EnvInput
	Connected                        ModelsInput  // servers and language models
	Action                           ModelsAction // what an action on them left to show
}

// languageModel says whether one is connected.
func (in SettingsInput) languageModel() bool {
	for _, m := range in.Models {
		if !m.Embedded {
			return true
		}
	}
	return false
}

// ModelInput is a configured model.
type ModelInput struct {
	Name      string
	Tier      research.Tier
	Embedded  bool
	Languages string // "en" or "" for any
}

// ProviderInput is a search provider. State is "ok", "off" or "down".
type ProviderInput struct {
	Name, State string
	Detail      research.Note
}

// MeterInput is an energy meter: rapl, nvml or cpu. State is "ok" or "off".
type MeterInput struct {
	Name, State string
	Detail      research.Note
}

// EnvInput is a configuration value and where it came from. Key is its name in
// the catalogue ("setting.<Key>"), Help the same in English.
type EnvInput struct {
	Key, Name, Value, Help string
	Secret                 bool   // Value is not shown, only whether there is one
	Source                 string // default, file, environment, flag
}

// EnvLine is EnvInput in words.
type EnvLine struct {
	Name, Value, Help, Source string
	Word                      bool // Value is a word of ours, not a value
	Default                   bool // nobody set it
}

// SettingsView is the settings page.
type SettingsView struct {
	Page
	Server    []Fact
	Connected ModelsView
	Providers []StateLine
	Meters    []StateLine
	MeterNote string
	Depths    []DepthLine
	Router    []Fact
	Env       []EnvLine
}

// ModelLine is a model and its tier.
type ModelLine struct {
	Name, Kind, Languages string
	Tier                  TierMark
}

// StateLine is something that is connected or not.
type StateLine struct {
	Name, State, Class, Detail string
}

// DepthLine is what a depth means.
type DepthLine struct {
	Name                                           string
	Subquestions, Sources, Evidence, Rounds, Steps string
	Joules, Dollars, Seconds                       string
}
