package handlers

import (
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

func serverForm(v url.Values) web.ServerForm {
	get := func(name string) string { return strings.TrimSpace(v.Get(name)) }
	return web.ServerForm{
		New: v.Get("new") == "on", Preset: get("preset"), Name: get("name"), Kind: get("kind"), BaseURL: get("base_url"),
		Concurrency: get("concurrency"), PerMinute: get("per_minute"), Local: v.Get("local") == "on", Region: get("region"), PUE: get("pue"),
	}
}

func modelForm(v url.Values) web.ModelForm {
	get := func(name string) string { return strings.TrimSpace(v.Get(name)) }
	return web.ModelForm{
		Name: get("name"), Tier: get("tier"), Place: get("place"), Roles: v["role"], Context: get("context"), Output: get("max_output"),
		Parameters: get("parameters"), Active: get("active_parameters"), Schema: get("schema"),
		PriceInput: get("price_input"), PriceCached: get("price_cached"), PriceOutput: get("price_output"), PriceAsOf: get("price_as_of"),
	}
}

// reader collects the faults of numbers, so that all are said at once.
type reader struct{ faults research.RequestErrors }

func (r *reader) fault(field, key, format, value string) {
	value = clip(value, 60)
	r.faults = append(r.faults, research.Errorf(research.EInvalid, key, format, value).At(field).With(map[string]any{"Value": value}))
}

func (r *reader) whole(field, s string) int {
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		r.fault(field, "model.whole", "“%s” is not a whole number. Write it like 4096, without separators of thousands.", s)
	}
	return n
}

func (r *reader) number(field, s string) float64 {
	if s == "" {
		return 0
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || f < 0 {
		r.fault(field, "model.number", "“%s” is not a number. Write it like 12 or 1.5, without separators of thousands.", s)
	}
	return f
}

// err is nil when there were no faults.
func (r *reader) err() error {
	if len(r.faults) == 0 {
		return nil
	}
	return r.faults
}

func parseServer(f web.ServerForm) (research.Provider, error) {
	var r reader
	p := research.Provider{
		Name: f.Name, Kind: research.ProviderKind(f.Kind), BaseURL: strings.TrimRight(f.BaseURL, "/"), Local: f.Local, Region: f.Region,
		Concurrency: r.whole("concurrency", f.Concurrency), PerMinute: r.whole("per_minute", f.PerMinute), PUE: r.number("pue", f.PUE),
	}
	return p, r.err()
}

// parseModel reads the form of a model. All roles ticked is no restriction.
func parseModel(f web.ModelForm, now time.Time) (research.LanguageModel, error) {
	var r reader
	m := research.LanguageModel{
		Name: f.Name, Tier: research.Tier(f.Tier), Place: r.whole("place", f.Place), Context: r.whole("context", f.Context),
		Output: r.whole("max_output", f.Output), Parameters: r.number("parameters", f.Parameters),
		Active: r.number("active_parameters", f.Active), Schema: f.Schema,
	}
	switch {
	case len(f.Roles) == 0 && f.Tier != "":
		r.faults = append(r.faults, research.Errorf(research.EInvalid, "model.no_role", "No role is ticked. Tick at least one, or set the tier to “not in use”.").At("roles"))
	case len(f.Roles) < len(research.Roles()):
		for _, role := range f.Roles {
			m.Roles = append(m.Roles, research.Role(role))
		}
	}
	m.Price = r.price(f, now)
	return m, r.err()
}

func (r *reader) price(f web.ModelForm, now time.Time) *research.Price {
	if f.PriceInput == "" && f.PriceOutput == "" && f.PriceCached == "" {
		return nil
	}
	if f.PriceInput == "" || f.PriceOutput == "" {
		r.faults = append(r.faults, research.Errorf(research.EInvalid, "model.price_both", "A price needs both what is read and what is written. Leave all of it empty where it is unknown.").At("price"))
		return nil
	}
	p := &research.Price{Input: r.number("price_input", f.PriceInput), Output: r.number("price_output", f.PriceOutput), Currency: "USD", AsOf: f.PriceAsOf}
	p.Cached = p.Input
	if f.PriceCached != "" {
		p.Cached = r.number("price_cached", f.PriceCached)
	}
	if p.AsOf == "" {
		p.AsOf = now.UTC().Format(time.DateOnly)
	} else if _, err := time.Parse(time.DateOnly, p.AsOf); err != nil {
		r.faults = append(r.faults, research.Errorf(research.EInvalid, "model.price_date", "The date should look like 2026-11-30.").At("price_as_of"))
	}
	return p
}
