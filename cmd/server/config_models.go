package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/progrouter/progrouter/research"
)

// Sections of the configuration file that are no scalars.
const (
	sectionProviders = "providers"
	sectionModels    = "models"
)

// Where an entry comes from.
const (
	fromFile     = "file"
	fromSettings = "settings"
)

const defaultOllama = "http://127.0.0.1:11434"

// modelSections are the providers and models of the file and the environment.
type modelSections struct {
	providers []research.Provider
	models    []research.LanguageModel
}

// modelConfig is what the configuration connects: keys are read from the
// environment variables that the entries name. The entries are valid.
func (c Config) modelConfig() ([]research.Provider, []research.LanguageModel) {
	providers, models := slices.Clone(c.connected.providers), slices.Clone(c.connected.models)
	for i, p := range providers {
		if p.KeyEnv != "" {
			providers[i].Key = os.Getenv(p.KeyEnv)
		}
	}
	return providers, models
}

// modelEntry is a model as the file writes it. What may be left out is a pointer
// where nothing and zero differ.
type modelEntry struct {
	Name       string          `json:"name"`
	Provider   string          `json:"provider"`
	ID         string          `json:"id"`
	Tier       research.Tier   `json:"tier"`
	Place      *int            `json:"place"`
	Roles      []research.Role `json:"roles"`
	Context    int             `json:"context"`
	Output     int             `json:"max_output"`
	Schema     string          `json:"schema"`
	Parameters float64         `json:"parameters"`
	Active     float64         `json:"active_parameters"`
	Price      *priceEntry     `json:"price"`
	Energy     *energyEntry    `json:"energy"`
}

type priceEntry struct {
	Input    *float64 `json:"input"`
	Cached   *float64 `json:"cached"`
	Output   *float64 `json:"output"`
	Currency string   `json:"currency"`
	AsOf     string   `json:"as_of"`
	Source   string   `json:"source"`
}

type energyEntry struct {
	Load    float64 `json:"load"`
	Call    float64 `json:"call"`
	Prefill float64 `json:"prefill"`
	Decode  float64 `json:"decode"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Note    string  `json:"note"`
}

type providerEntry struct {
	Kind        research.ProviderKind `json:"kind"`
	BaseURL     string                `json:"base_url"`
	KeyEnv      string                `json:"key_env"`
	Concurrency int                   `json:"concurrency"`
	PerMinute   int                   `json:"per_minute"`
	Local       *bool                 `json:"local"`
	Region      string                `json:"region"`
	PUE         float64               `json:"pue"`
}

// connect reads both sections of the file, either may be nil, and the short forms
// of environment or flag, whose origin is from. Every fault names the entry and
// what to do.
func connect(providers, models any, words []string, from string) (modelSections, error) {
	var out modelSections
	if err := out.readProviders(providers); err != nil {
		return out, err
	}
	if err := out.readModels(models); err != nil {
		return out, err
	}
	for _, w := range words {
		if err := out.readWord(strings.TrimSpace(w), settingName(sectionModels, from), from); err != nil {
			return out, err
		}
	}
	return out, out.validate()
}

// ollamaURL is where to look for an Ollama, empty for nowhere.
func ollamaURL(setting string) string {
	if setting == "none" || setting == "off" {
		return ""
	}
	return strings.TrimRight(setting, "/")
}

func isAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

func badModels(format string, args ...any) error {
	return research.Errorf(research.EInvalid, "config", format, args...)
}

func (s *modelSections) readProviders(raw any) error {
	if raw == nil {
		return nil
	}
	entries, ok := raw.(map[string]any)
	if !ok {
		return badModels("providers must be names with their settings below, for example “ollama: {kind: ollama}”.")
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		var e providerEntry
		if err := strict(entries[name], &e); err != nil {
			if strings.Contains(err.Error(), `"key"`) {
				return badModels("providers.%s: a key does not belong into the file. Put it into an environment variable and name that by key_env.", name)
			}
			return badModels("providers.%s: %v. It takes kind, base_url, key_env, concurrency, per_minute, local, region and pue.", name, err)
		}
		p := research.Provider{
			Name: name, Kind: e.Kind, BaseURL: strings.TrimRight(e.BaseURL, "/"), KeyEnv: e.KeyEnv, Concurrency: e.Concurrency,
			PerMinute: e.PerMinute, Region: e.Region, PUE: e.PUE, From: fromFile,
		}
		s.providers = append(s.providers, withDefaults(p, e.Local))
	}
	return nil
}

// withDefaults fills in address, place and key variable of a provider.
func withDefaults(p research.Provider, local *bool) research.Provider {
	if p.BaseURL == "" {
		p.BaseURL = publicURL(p.Kind)
	}
	if p.KeyEnv == "" {
		p.KeyEnv = usualKey(p.BaseURL)
	}
	p.Local = onThisMachine(p.BaseURL)
	if local != nil {
		p.Local = *local
	}
	return p
}

// onThisMachine reports whether an address is a loopback one.
func onThisMachine(base string) bool {
	u, err := url.Parse(base)
	return err == nil && loopback(u.Hostname())
}

func (s *modelSections) readModels(raw any) error {
	if raw == nil {
		return nil
	}
	entries, ok := raw.([]any)
	if !ok {
		return badModels("models must be a list, for example “- {provider: ollama, id: llama3.2, tier: small}”.")
	}
	for i, entry := range entries {
		if word, ok := entry.(string); ok {
			if err := s.readWord(word, sectionModels, fromFile); err != nil {
				return err
			}
			continue
		}
		var e modelEntry
		if err := strict(entry, &e); err != nil {
			return badModels("models, entry %d: %v. It takes name, provider, id, tier, place, roles, context, max_output, schema, parameters, active_parameters, price and energy.", i+1, err)
		}
		m := research.LanguageModel{
			Name: e.Name, Provider: e.Provider, ID: e.ID, Tier: e.Tier, Place: i, Roles: e.Roles, Context: e.Context, Output: e.Output,
			Schema: e.Schema, Parameters: e.Parameters, Active: e.Active, From: fromFile,
		}
		if e.Place != nil {
			m.Place = *e.Place
		}
		if m.Name == "" && m.Provider != "" && m.ID != "" {
			m.Name = m.Provider + "/" + m.ID
		}
		var err error
		if m.Price, err = e.Price.price(); err != nil {
			return badModels("models, entry %d (%s): %v", i+1, m.Name, err)
		}
		if m.Energy, err = e.Energy.coefficients(); err != nil {
			return badModels("models, entry %d (%s): %v", i+1, m.Name, err)
		}
		s.models = append(s.models, m)
	}
	return nil
}

// price needs input and output; cached tokens cost the same where nothing else
// is said.
func (e *priceEntry) price() (*research.Price, error) {
	if e == nil {
		return nil, nil
	}
	if e.Input == nil || e.Output == nil {
		return nil, errors.New("price needs input and output, in dollars per million tokens; leave it out where it is unknown")
	}
	p := &research.Price{Input: *e.Input, Cached: *e.Input, Output: *e.Output, Currency: "USD", AsOf: e.AsOf, Source: e.Source}
	if e.Cached != nil {
		p.Cached = *e.Cached
	}
	if e.Currency != "" {
		p.Currency = e.Currency
	}
	return p, nil
}

// coefficients are the given ones; without a range they count as exact.
func (e *energyEntry) coefficients() (*research.Coefficients, error) {
	if e == nil {
		return nil, nil
	}
	if e.Decode <= 0 {
		return nil, errors.New("energy needs decode, the joules per written token; leave energy out where it is unknown")
	}
	c := &research.Coefficients{
		Load: e.Load, Call: e.Call, Prefill: e.Prefill, Decode: e.Decode, Low: e.Low, High: e.High,
		Method: research.MethodModel, Note: e.Note,
	}
	if c.Low == 0 {
		c.Low = 1
	}
	if c.High == 0 {
		c.High = 1
	}
	if c.Note == "" {
		c.Note = "Given in the configuration."
	}
	return c, nil
}

// strict decodes one entry and refuses what it does not know. Its errors name
// keys as the file writes them.
func strict(raw, into any) error {
	text, err := json.Marshal(raw)
	if err != nil {
		return errors.New("it cannot be read as settings")
	}
	if string(text) == "null" {
		return errors.New("it is empty")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err = dec.Decode(into)
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("it is a %s where settings are expected", kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("%s must not be a %s", kind.Field, kind.Value)
	}
	return errors.New(strings.Replace(strings.TrimPrefix(err.Error(), "json: "), "unknown field ", "there is no setting ", 1))
}

// readWord reads a model's short form: TIER=KIND:ID or TIER=KIND:ID@ADDRESS.
func (s *modelSections) readWord(word, setting, from string) error {
	shape := func(why string) error {
		return badModels("%s: “%s” %s. Write TIER=KIND:ID or TIER=KIND:ID@ADDRESS, for example small=ollama:llama3.2:3b or medium=openai:my-model@http://127.0.0.1:8081/v1; KIND is one of %s.",
			setting, hideUser(word), why, strings.Join(presetWords(), ", "))
	}
	tier, rest, ok := strings.Cut(word, "=")
	kind, id, ok2 := strings.Cut(rest, ":")
	tier = strings.TrimSpace(tier)
	known, ok3 := presetOf(strings.TrimSpace(kind))
	switch {
	case !ok || !ok2:
		return shape("is not of the form")
	case !slices.Contains(research.Tiers(), research.Tier(tier)):
		return shape(fmt.Sprintf("names the tier %q, which is not small, medium or large", tier))
	case !ok3:
		return shape(fmt.Sprintf("names the kind %q", kind))
	}
	p := research.Provider{Name: known.Word, Kind: known.Kind, BaseURL: known.BaseURL, From: from}
	if at := strings.LastIndex(id, "@http"); at >= 0 {
		p.BaseURL = strings.TrimRight(id[at+1:], "/")
		id = id[:at]
		if u, err := url.Parse(p.BaseURL); err == nil && p.BaseURL != known.BaseURL && u.Host != "" {
			p.Name = u.Host
		}
	}
	if id == "" {
		return shape("names no model")
	}
	if at := strings.LastIndex(id, "@"); at >= 0 && meantAsAddress(id[at+1:]) {
		return shape("has an address without http:// or https://")
	}
	p = withDefaults(p, nil)
	if j := slices.IndexFunc(s.providers, func(o research.Provider) bool { return o.Name == p.Name }); j < 0 {
		s.providers = append(s.providers, p)
	} else if o := s.providers[j]; o.BaseURL != p.BaseURL || o.Kind != p.Kind {
		return badModels("%s: “%s” needs a provider named %q, and there is one with another kind or address. Give that one another name.", setting, hideUser(word), p.Name)
	}
	s.models = append(s.models, research.LanguageModel{
		Name: p.Name + "/" + id, Provider: p.Name, ID: id, Tier: research.Tier(tier), Place: len(s.models), From: from,
	})
	return nil
}

// meantAsAddress reports whether what follows an @ is no part of a model's name,
// such as the date in claude-x@20250101, but a server that would be left out.
func meantAsAddress(s string) bool {
	return s == "" || s == "localhost" || strings.ContainsAny(s, ":/")
}

func (s modelSections) validate() error {
	known := map[string]bool{}
	for _, p := range s.providers {
		if err := checkProvider(p); err != nil {
			return badModels("providers.%s: %s", p.Name, research.SafeMessage(err))
		}
		known[p.Name] = true
	}
	seen := map[string]bool{}
	for i, m := range s.models {
		where := fmt.Sprintf("models, entry %d", i+1)
		if m.From != fromFile {
			where = settingName(sectionModels, m.From)
		}
		if m.Name != "" {
			where += " (" + m.Name + ")"
		}
		if err := checkModel(m); err != nil {
			return badModels("%s: %s", where, research.SafeMessage(err))
		}
		switch {
		case !known[m.Provider]:
			return badModels("%s: there is no provider %q. Add it to the section providers; there are: %s.", where, m.Provider, listed(slices.Sorted(maps.Keys(known))))
		case m.Tier == "":
			return badModels("%s: it has no tier. Add “tier: small”, medium or large.", where)
		case seen[m.Name]:
			return badModels("%s: this name occurs twice. Give one of the two another name, or remove it.", where)
		}
		seen[m.Name] = true
	}
	return nil
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
