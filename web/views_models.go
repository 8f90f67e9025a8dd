package web

import (
	"github.com/progrouter/progrouter/research"
)

// States of a server's key.
const (
	KeyNone    = "none"    // it needs none, or none was given
	KeySet     = "set"     // stored, or in the environment
	KeyMissing = "missing" // an environment variable is named that is not set
)

// States of a model's energy coefficients.
const (
	EnergyCalibrated = "calibrated"
	EnergyGiven      = "given"
	EnergyModelled   = "modelled"
	EnergyUnknown    = "unknown"
)

// ModelsInput is what is connected. No key is in it.
type ModelsInput struct {
	Presets  []PresetInput
	Servers  []ServerInput
	Models   []LanguageModelInput // by tier and place
	Proposal *ProposalInput       // what was found and is not in use
	CanFind  bool                 // an Ollama may be looked for
	// Mixed are the tiers of the embedded engine that take part beside language
	// models; those of the configuration cannot be changed here.
	Mixed, MixedFixed map[research.Tier]bool
}

// PresetInput is a kind of server that people are likely to have.
type PresetInput struct {
	Word, Title, BaseURL string // Title empty: worded by the catalogue
	Kind                 research.ProviderKind
	Local                bool
	KeyEnv               string // where a key usually stands, empty: it needs none
}

// ServerInput is a provider and what may be done with it.
type ServerInput struct {
	research.Provider        // without its key
	KeyState          string // KeyNone, KeySet or KeyMissing
	Editable          bool   // made on this page
}

// LanguageModelInput is a model, what it costs and how its energy is known.
type LanguageModelInput struct {
	research.LanguageModel
	Costs        *research.Price        // in effect; nil is unknown
	Coefficients *research.Coefficients // in effect; nil is unknown
	EnergyState  string
	Editable     bool
}

// ProposalInput is an assignment that nobody has accepted yet.
type ProposalInput struct {
	Server string // its name, "ollama"
	URL    string
	Models []AvailableModel
}

// AvailableModel is a model that a server has. Tier is the proposed one, or the
// one it is in already (Used).
type AvailableModel struct {
	ID         string
	Tier       research.Tier
	Used       bool
	Parameters float64 // billions; 0 is unknown
	Quantised  string
	Bytes      int64
	Context    int
	Chats      bool
}

// TestInput is what a tiny call brought. Error is in the reader's language, and
// empty when the model answered.
type TestInput struct {
	Model    string
	Error    string
	Answered string // the name the server gave
	Text     string
	Seconds  float64
	Tokens   research.Tokens
	Energy   research.Energy
	Dollars  *research.Micro
}

// ListingInput is what a server has, asked for just now.
type ListingInput struct {
	Server string
	Models []AvailableModel
	Error  string
}

// ModelsAction is what an action on the models left to show.
type ModelsAction struct {
	Connect string      // word of the preset whose form is open
	Server  *ServerForm // as typed, with its faults
	Model   *ModelForm
	Listing *ListingInput
	Test    *TestInput
	Problem string
}

// ServerForm is the form of a server as typed, posted to /settings/servers. The
// key is never filled in.
type ServerForm struct {
	New         bool              // new
	Preset      string            // preset
	Name        string            // name
	Kind        string            // kind
	BaseURL     string            // base_url
	Concurrency string            // concurrency
	PerMinute   string            // per_minute
	Local       bool              // local ("on")
	Region      string            // region
	PUE         string            // pue
	Errors      map[string]string // by field; "" is the whole form
}

// ModelForm is the form of a model as typed, posted to /settings/models/save.
type ModelForm struct {
	Name        string   // name
	Tier        string   // tier; "" is not in use
	Place       string   // place
	Roles       []string // role, once for each; none is all of them
	Context     string   // context
	Output      string   // max_output
	Parameters  string   // parameters
	Active      string   // active_parameters
	Schema      string   // schema
	PriceInput  string   // price_input
	PriceCached string   // price_cached
	PriceOutput string   // price_output
	PriceAsOf   string   // price_as_of
	Errors      map[string]string
}

// ModelsView is the section of models of the settings page.
type ModelsView struct {
	Page
	Problem  string
	Proposal *ProposalView
	Models   []ModelRow // embedded ones included, by tier
	Servers  []ServerRow
	Presets  []PresetLink
	Connect  *ServerFormView // the form of a new server, when one was chosen
	CanFind  bool
	Note     string
}

// PresetLink opens the form of a kind of server.
type PresetLink struct {
	Link
	Note    string
	Current bool
}

// ProposalView is ProposalInput in words.
type ProposalView struct {
	Page
	Text   string
	Models []ModelLine
	Next   string // where the buttons lead back to
}

// ModelRow is a model with its form.
type ModelRow struct {
	ID       string // of the element
	Name     string
	Tier     TierMark
	Facts    []string
	Price    Amount
	Energy   Amount
	EnergyAs string // how it is known
	Embedded bool
	Mix      *MixView // whether it takes part beside language models; nil: none is in use
	From     string   // where it is configured, when not here
	Form     *ModelFormView
	Open     bool
	Test     *TestView
}

// MixView is the choice whether a tier of the embedded engine takes part beside
// language models.
type MixView struct {
	Tier  string // its value
	On    string // what the button sends: on, or empty
	Label string // of the button, empty: set in the configuration
}

// TestView is TestInput in words.
type TestView struct {
	Error string
	Text  string
	Facts []Fact
}

// ModelFormView is a model's form with its choices.
type ModelFormView struct {
	ModelForm
	Tiers, RoleBoxes, Schemas []Option
}

// ServerRow is a server with its form and, when asked for, its models.
type ServerRow struct {
	ID, Name, Kind, URL string
	Key                 string
	KeyClass            string
	From                string
	Facts               []string
	Form                *ServerFormView
	Open                bool
	Listing             *ListingView
	ListHref            string
}

// ServerFormView is a server's form with its choices.
type ServerFormView struct {
	Page
	ServerForm
	ID      string
	Title   string
	Kinds   []Option // empty: the kind is settled
	HasKey  bool     // one is stored
	KeyHint string
	More    bool // the rarely used fields are open
}

// ListingView is what a server has.
type ListingView struct {
	Server string
	Error  string
	Cure   string
	Models []ListingRow
	IDs    []string // all of them where there are too many for a table
	Count  string
	Tiers  []Option
}

// ListingRow is a model of a server with the choice of its tier.
type ListingRow struct {
	ID    string
	Facts string
	Tiers []Option
	Used  bool
}
