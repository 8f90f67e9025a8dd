package research

import "time"

// ProviderKind is the protocol a server of language models speaks.
type ProviderKind string

// The protocols.
const (
	OpenAICompatible ProviderKind = "openai"    // OpenAI's chat completions, spoken by most servers
	Anthropic        ProviderKind = "anthropic" // Anthropic's messages
	Ollama           ProviderKind = "ollama"    // OpenAI's protocol plus Ollama's own calls
)

// ProviderKinds lists them.
func ProviderKinds() []ProviderKind { return []ProviderKind{OpenAICompatible, Anthropic, Ollama} }

// Provider is a server of language models.
type Provider struct {
	Name    string       `json:"name"` // unique; first half of its models' names
	Kind    ProviderKind `json:"kind"`
	BaseURL string       `json:"base_url"` // empty: the kind's public address
	// Key is a secret and never leaves the process except to the server. KeyEnv
	// names an environment variable to read it from instead.
	Key         string `json:"-"`
	KeyEnv      string `json:"key_env,omitempty"`
	Concurrency int    `json:"concurrency,omitempty"` // calls at once; 0: 1 for local servers, 4 else
	PerMinute   int    `json:"per_minute,omitempty"`  // calls a minute; 0: no limit of ours
	// Local means that the server runs on this machine, so that its energy can be
	// measured.
	Local  bool    `json:"local,omitempty"`
	Region string  `json:"region,omitempty"` // where its power comes from; sets carbon and, with PUE 0, nothing else
	PUE    float64 `json:"pue,omitempty"`    // power usage effectiveness; 0: by provider, 1 for local ones
	// From says where the entry comes from: settings, file, environment, found.
	From string `json:"from,omitempty"`
}

// Ways to ask a server for JSON.
const (
	SchemaFull   = "json_schema" // the server constrains the answer by a JSON schema
	SchemaObject = "json_object" // the server promises JSON of any form
	SchemaNone   = "none"        // the prompt asks for JSON, nothing more
)

// LanguageModel is a model that may take steps.
type LanguageModel struct {
	Name     string `json:"name"`     // unique, PROVIDER/ID unless set
	Provider string `json:"provider"` // a Provider's name
	ID       string `json:"id"`       // the server's name for it
	Tier     Tier   `json:"tier"`     // empty: known, and not in use
	Place    int    `json:"place"`    // order within the tier; a lower place goes first among equals and as fallback
	Roles    []Role `json:"roles,omitempty"`
	Context  int    `json:"context,omitempty"`    // window in tokens, 0: 4096
	Output   int    `json:"max_output,omitempty"` // most tokens per answer, 0: 1024
	Schema   string `json:"schema,omitempty"`     // how it is asked for JSON; empty: json_schema, and what the server takes
	// Parameters and Active are billions, all of them and those used per token;
	// 0 is unknown. They size the modelled energy and the proposed tier.
	Parameters float64       `json:"parameters,omitempty"`
	Active     float64       `json:"active_parameters,omitempty"`
	Price      *Price        `json:"price,omitempty"`  // overrules the price table
	Energy     *Coefficients `json:"energy,omitempty"` // calibrated or given; overrules the modelled ones
	From       string        `json:"from,omitempty"`
}

// Price is what a million tokens cost. Reasoning tokens count as output.
type Price struct {
	Input    float64 `json:"input"`
	Cached   float64 `json:"cached"` // cached input
	Output   float64 `json:"output"`
	Currency string  `json:"currency"` // USD
	AsOf     string  `json:"as_of"`    // date, YYYY-MM-DD
	Source   string  `json:"source,omitempty"`
}

// Coefficients are the per-call energy of a model, in joules (the paper's
// eq. 14: E = I_load·E_load + E_prefill + e_decode·N_gen). Prefill is linear in
// the tokens read.
type Coefficients struct {
	Load    float64 `json:"load"`    // to load the model when it was cold
	Call    float64 `json:"call"`    // for a call as such
	Prefill float64 `json:"prefill"` // per input token that was not cached
	Decode  float64 `json:"decode"`  // per output token
	// Host is the part of Decode that a modelled host draws over the time of
	// a token (Seconds.Decode); a shorter measured time bounds it. 0 if measured.
	Host    float64   `json:"host,omitempty"`
	Low     float64   `json:"low"`     // factor of the lower bound, ≤ 1
	High    float64   `json:"high"`    // factor of the upper bound, ≥ 1
	Method  string    `json:"method"`  // how it came about: MethodCPU, MethodNVML, MethodModel …
	Note    string    `json:"note"`    // what was assumed or fitted, one sentence
	At      time.Time `json:"at"`      // when it was measured; zero for modelled ones
	Samples int       `json:"samples"` // calls it was fitted to
	Median  float64   `json:"median"`  // relative error on calls kept aside, median
	P90     float64   `json:"p90"`     // … 90th percentile
	Seconds SpeedFit  `json:"seconds"` // how long calls take
	Beyond  bool      `json:"beyond"`  // outside what the model of it is valid for
	Idle    float64   `json:"idle"`    // watts the device draws idle, shown apart
	Device  string    `json:"device"`  // what was measured
}

// SpeedFit is the wall time of a call in seconds, fitted like its energy.
type SpeedFit struct {
	Load    float64 `json:"load"`
	Call    float64 `json:"call"`
	Prefill float64 `json:"prefill"` // per input token
	Decode  float64 `json:"decode"`  // per output token
}

// ModelCall is one call of a language model inside a step.
type ModelCall struct {
	Model    string  `json:"model"`    // as configured
	Answered string  `json:"answered"` // the name the server gave
	Prompt   string  `json:"prompt"`   // name and version of the prompt
	Finish   string  `json:"finish"`   // stop, length, refusal, cancelled, error …
	Tokens   Tokens  `json:"tokens"`
	Dollars  *Micro  `json:"dollars"`
	Energy   Energy  `json:"energy"`
	Tries    int     `json:"tries"`            // attempts, the answered one included
	Waited   float64 `json:"waited"`           // seconds of waiting between attempts and for a slot
	Repair   bool    `json:"repair,omitempty"` // a second turn that asked for a well-formed answer
	Cold     bool    `json:"cold,omitempty"`   // the model was loaded for it
	// KgPerKWh is the carbon intensity of the server's power, where its region is
	// set; 0 is not known.
	KgPerKWh float64 `json:"kg_co2e_per_kwh,omitempty"`
	Replayed bool    `json:"replayed,omitempty"` // taken from a cache of answers, at its recorded cost
	// Reasoning is what the model thought aloud. It is stored and priced, never
	// part of a report.
	Reasoning string `json:"reasoning,omitempty"`
	Text      string `json:"text,omitempty"` // the answer as it came
}

// Live is what a step in flight is doing, for whoever watches. It is not stored.
type Live struct {
	Step int
	// Text is the answer so far, or what arrived since when Append is set.
	Text   string
	Append bool
	// Wait says why nothing happens ("The server asks to wait …"); empty clears it.
	Wait  *Note
	Until time.Time // when the wait ends
}
