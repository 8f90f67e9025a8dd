package main

import (
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
)

// Names of providers stand in addresses and before a slash in model names.
var providerName = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}._:\[\]-]{0,63}$`)

// checkProvider is an EInvalid error when an entry of file or page cannot work.
func checkProvider(p research.Provider) error {
	bad := func(field, key, format string, args ...any) *research.Error {
		return research.Errorf(research.EInvalid, "model."+key, format, args...).At(field)
	}
	u, err := url.Parse(p.BaseURL)
	switch {
	case p.Name == "":
		return bad("name", "provider_unnamed", "Give the server a name, such as my-server. Letters, digits, dots and dashes may be used.")
	case !providerName.MatchString(p.Name) || p.Name == "embedded":
		return bad("name", "provider_name", "The name %q cannot be used. Take letters, digits, dots and dashes; “embedded” is the built-in engine.", p.Name).With(map[string]any{"Name": p.Name})
	case !slices.Contains(research.ProviderKinds(), p.Kind):
		return bad("kind", "kind", "The kind %q is not known. It is openai (for every OpenAI-compatible server), anthropic or ollama.", p.Kind).With(map[string]any{"Value": string(p.Kind)})
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
		return bad("base_url", "base_url", "The address %q is not an http or https address. It should look like http://127.0.0.1:11434.", hideUser(p.BaseURL)).With(map[string]any{"URL": hideUser(p.BaseURL)})
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return bad("base_url", "base_url_secret", "The address holds a user name, a query or a fragment. Give the plain address, and the key apart from it.")
	case p.Concurrency < 0 || p.Concurrency > 256:
		return bad("concurrency", "concurrency", "The calls at once must be between 1 and 256, or 0 for the default.")
	case p.PerMinute < 0 || p.PerMinute > 100_000:
		return bad("per_minute", "per_minute", "The calls a minute must be between 1 and 100000, or 0 for no limit.")
	case p.PUE != 0 && !(p.PUE >= 1 && p.PUE <= 5):
		return bad("pue", "pue", "The power usage effectiveness is a number between 1 and 5; 0 takes the usual one.")
	}
	if _, ok := energy.Carbon(p.Region); !ok {
		return bad("region", "region", "The region %q is not known. It is one of %s, or kilograms of CO2 per kWh as a number.", p.Region, strings.Join(energy.Regions(), ", ")).With(map[string]any{"Value": p.Region, "Known": strings.Join(energy.Regions(), ", ")})
	}
	return nil
}

// hideUser keeps a password in an address out of messages.
func hideUser(base string) string {
	if _, after, ok := strings.Cut(base, "@"); ok {
		return "…@" + after
	}
	return base
}

const (
	windowMax = 10_000_000 // tokens
	windowMin = 512
	outputMin = 16
)

// checkModel is an EInvalid error when an entry of file or page cannot work.
func checkModel(m research.LanguageModel) error {
	bad := func(field, key, format string, args ...any) *research.Error {
		return research.Errorf(research.EInvalid, "model."+key, format, args...).At(field)
	}
	switch {
	case m.ID == "" || len(m.ID) > 200 || strings.ContainsFunc(m.ID, unusable):
		return bad("id", "id", "The model has no id that can be used. Take the server's own name for it, for example llama3.2:3b.")
	case m.Provider == "":
		return bad("provider", "no_provider", "The model names no provider. Name the server that runs it.")
	case m.Name == "" || len(m.Name) > 280 || strings.HasPrefix(m.Name, "embedded/") || strings.ContainsFunc(m.Name, unusable):
		return bad("name", "name", "The name %q cannot be used; leave it out to take PROVIDER/ID.", m.Name).With(map[string]any{"Name": m.Name})
	case m.Tier != "" && !slices.Contains(research.Tiers(), m.Tier):
		return bad("tier", "tier", "The tier %q is not known. It is small, medium or large.", m.Tier).With(map[string]any{"Value": string(m.Tier)})
	case m.Place < 0 || m.Place > 1000:
		return bad("place", "place", "The place in the tier is a whole number from 0 to 1000.")
	case m.Context != 0 && (m.Context < windowMin || m.Context > windowMax):
		return bad("context", "context", "The context window must be between %d and %d tokens, or empty for the default.", windowMin, windowMax).With(map[string]any{"Min": windowMin, "Max": windowMax})
	case m.Output != 0 && (m.Output < outputMin || m.Output > windowMax || m.Context != 0 && m.Output >= m.Context):
		return bad("max_output", "max_output", "The longest answer must have at least %d tokens and fewer than the context window.", outputMin).With(map[string]any{"Min": outputMin})
	case !slices.Contains([]string{"", research.SchemaFull, research.SchemaObject, research.SchemaNone}, m.Schema):
		return bad("schema", "schema", "The schema %q is not known. It is json_schema, json_object or none.", m.Schema)
	case !sizeOK(m.Parameters) || !sizeOK(m.Active) || m.Active > m.Parameters && m.Parameters > 0:
		return bad("parameters", "parameters", "The parameters are billions: a number above zero, and the active ones are not more than all. Leave them empty where they are unknown.")
	}
	for _, r := range m.Roles {
		if !slices.Contains(research.Roles(), r) {
			return bad("roles", "role", "The role %q is not known. Roles are planner, searcher, reader, writer and reviewer.", r)
		}
	}
	return checkPriceAndEnergy(m)
}

func checkPriceAndEnergy(m research.LanguageModel) error {
	if p := m.Price; p != nil && !(amountOK(p.Input) && amountOK(p.Cached) && amountOK(p.Output)) {
		return research.Errorf(research.EInvalid, "model.price", "Prices are dollars per million tokens, from 0. Leave them empty where they are unknown.").At("price")
	}
	if p := m.Price; p != nil && p.Currency != "USD" {
		return research.Errorf(research.EInvalid, "model.currency", "The price is in %q; give it in USD.", p.Currency).At("price")
	}
	if c := m.Energy; c != nil && !(amountOK(c.Load) && amountOK(c.Call) && amountOK(c.Prefill) && amountOK(c.Decode) && c.Low > 0 && c.Low <= 1 && c.High >= 1 && c.High < 1e3) {
		return research.Errorf(research.EInvalid, "model.energy", "The energy is in joules, from 0, with low from 0 to 1 and high from 1.").At("energy")
	}
	return nil
}

func unusable(r rune) bool { return r <= ' ' || r == 0x7f }

func sizeOK(v float64) bool { return v >= 0 && v < 1e5 && !math.IsNaN(v) }

func amountOK(v float64) bool { return v >= 0 && v < 1e9 && !math.IsNaN(v) }
