package web

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/progrouter/progrouter/research"
)

// listingMax is up to how many models of a server are shown as a table; a
// catalogue of hundreds is searched by name instead.
const listingMax = 40

// newModelsView builds the section of models of the settings page.
func newModelsView(p Page, in SettingsInput) ModelsView {
	c, act := in.Connected, in.Action
	v := ModelsView{Page: p, Problem: act.Problem, CanFind: c.CanFind, Proposal: NewProposalView(p, c.Proposal, "/settings#models")}
	for _, t := range append(research.Tiers(), "") {
		for _, m := range c.Models {
			if m.Tier == t {
				v.Models = append(v.Models, p.modelRow(len(v.Models), m, act))
			}
		}
		for _, m := range in.Models {
			if m.Embedded && m.Tier == t {
				v.Models = append(v.Models, p.embeddedRow(len(v.Models), m, c))
			}
		}
	}
	if !slices.ContainsFunc(c.Models, func(m LanguageModelInput) bool { return m.Tier != "" }) {
		v.Note = p.T("settings.no_model")
	}
	for i, s := range c.Servers {
		v.Servers = append(v.Servers, p.serverRow(i, s, c, act))
	}
	for _, x := range c.Presets {
		v.Presets = append(v.Presets, PresetLink{
			Link: Link{p.preset(x), "/settings?connect=" + url.QueryEscape(x.Word) + "#connect"}, Current: x.Word == act.Connect,
		})
	}
	v.Connect = p.connectForm(c, act)
	return v
}

func (p Page) preset(x PresetInput) string {
	if x.Title != "" {
		return x.Title
	}
	return p.L.Or("connect.preset."+x.Word, x.Word)
}

func (p Page) embeddedRow(i int, m ModelInput, c ModelsInput) ModelRow {
	languages := p.T("settings.any_language")
	if m.Languages != "" {
		languages = p.language(m.Languages)
	}
	r := ModelRow{ID: "model-" + strconv.Itoa(i), Name: m.Name, Tier: p.tier(m.Tier), Embedded: true,
		Facts: []string{p.T("settings.model_embedded"), languages}}
	if !slices.ContainsFunc(c.Models, func(m LanguageModelInput) bool { return m.Tier != "" }) {
		return r
	}
	r.Mix = &MixView{Tier: string(m.Tier)}
	switch {
	case c.MixedFixed[m.Tier]:
		r.Facts = append(r.Facts, p.T("connect.mixed"))
	case c.Mixed[m.Tier]:
		r.Facts = append(r.Facts, p.T("connect.mixed"))
		r.Mix.Label = p.T("connect.unmix")
	default:
		r.Facts = append(r.Facts, p.T("connect.standby"))
		r.Mix.On, r.Mix.Label = "on", p.T("connect.mix")
	}
	return r
}

func (p Page) modelRow(i int, m LanguageModelInput, act ModelsAction) ModelRow {
	r := ModelRow{
		ID: "model-" + strconv.Itoa(i), Name: m.Name, Tier: p.tier(m.Tier), Facts: p.modelFacts(m.LanguageModel),
		Price: p.price(m.Costs),
	}
	r.Energy, r.EnergyAs = p.coefficients(m)
	if m.Tier == "" {
		r.Tier.Label = p.T("connect.unused")
	}
	if m.Editable {
		form := modelForm(m.LanguageModel)
		if act.Model != nil && act.Model.Name == m.Name {
			form, r.Open = *act.Model, true
		}
		r.Form = p.modelFormView(form)
	} else {
		r.From = p.origin(m.From)
	}
	if act.Test != nil && act.Test.Model == m.Name {
		r.Test = p.test(*act.Test)
	}
	return r
}

// origin says where an entry that cannot be changed here is changed.
func (p Page) origin(from string) string {
	if from == "" {
		return ""
	}
	return p.T("connect.from", "Where", p.L.Or("settings.source."+from, from))
}

func (p Page) modelFacts(m research.LanguageModel) []string {
	var out []string
	if m.Parameters > 0 {
		out = append(out, p.T("connect.billions", "N", p.L.Short(m.Parameters)))
	}
	if m.Context > 0 {
		out = append(out, p.T("connect.window", "N", p.L.Int(m.Context)))
	}
	if len(m.Roles) > 0 && len(m.Roles) < len(research.Roles()) {
		names := make([]string, len(m.Roles))
		for i, r := range m.Roles {
			names[i] = p.role(r)
		}
		out = append(out, p.T("connect.only", "Roles", strings.Join(names, ", ")))
	}
	return out
}

func (p Page) price(c *research.Price) Amount {
	if c == nil {
		return Amount{Text: p.T("connect.price_unknown")}
	}
	a := Amount{Known: true, Text: p.T("connect.price", "Input", p.L.Dollars(c.Input), "Output", p.L.Dollars(c.Output))}
	if c.Input == 0 && c.Output == 0 {
		a.Text = p.T("connect.price_free")
	}
	if at, err := time.Parse(time.DateOnly, c.AsOf); err == nil {
		a.Range = p.T("connect.price_as_of", "Date", p.L.Date(at))
	}
	return a
}

// coefficients is what a written token takes, and how that is known.
func (p Page) coefficients(m LanguageModelInput) (Amount, string) {
	c := m.Coefficients
	if c == nil || m.EnergyState == EnergyUnknown {
		return Amount{Text: p.T("connect.energy_unknown")}, ""
	}
	a := Amount{Known: true, Text: p.T("connect.energy", "Joules", p.L.Joules(c.Decode))}
	if c.Low > 0 && c.High > c.Low {
		a.Range = p.L.JoulesRange(c.Decode*c.Low, c.Decode*c.High)
	}
	switch m.EnergyState {
	case EnergyCalibrated:
		return a, p.T("connect.energy_calibrated", "Date", p.L.Date(p.time(c.At)), "Method", p.L.Or("connect.method."+strings.ReplaceAll(c.Method, ":", "_"), c.Method))
	case EnergyGiven:
		return a, p.T("connect.energy_given")
	}
	if c.Beyond {
		return a, p.T("connect.energy_beyond")
	}
	return a, p.T("connect.energy_modelled")
}

func (p Page) test(t TestInput) *TestView {
	v := &TestView{Error: t.Error, Text: t.Text}
	if t.Error != "" {
		return v
	}
	tokens := p.T("connect.tokens", "Input", p.L.Int(t.Tokens.Input), "Output", p.L.Int(t.Tokens.Output))
	if t.Tokens.Counted == "local" {
		tokens += " " + p.T("connect.counted_here")
	}
	energy := p.energy(t.Energy, Meter{})
	joules := energy.Text
	if energy.Range != "" {
		joules += " (" + energy.Range + ")"
	}
	v.Facts = []Fact{
		{p.T("unit.time"), p.L.Seconds(t.Seconds)}, {p.T("connect.tokens_label"), tokens},
		{p.T("unit.joules"), joules}, {p.T("unit.dollars"), p.dollars(t.Dollars)},
		{p.T("connect.answered_as"), t.Answered},
	}
	if t.Answered == "" {
		v.Facts[4].Value = p.T("connect.no_name")
	}
	return v
}

func modelForm(m research.LanguageModel) ModelForm {
	f := ModelForm{
		Name: m.Name, Tier: string(m.Tier), Place: strconv.Itoa(m.Place), Context: whole(m.Context), Output: whole(m.Output),
		Parameters: decimal(m.Parameters), Active: decimal(m.Active), Schema: m.Schema,
	}
	for _, r := range m.Roles {
		f.Roles = append(f.Roles, string(r))
	}
	if m.Price != nil {
		f.PriceInput, f.PriceCached, f.PriceOutput = plainFloat(m.Price.Input), plainFloat(m.Price.Cached), plainFloat(m.Price.Output)
		f.PriceAsOf = m.Price.AsOf
	}
	return f
}

func whole(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func decimal(v float64) string {
	if v == 0 {
		return ""
	}
	return plainFloat(v)
}

func plainFloat(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func (p Page) modelFormView(f ModelForm) *ModelFormView {
	v := &ModelFormView{ModelForm: f, Tiers: p.tierOptions(research.Tier(f.Tier))}
	for _, r := range research.Roles() {
		all := len(f.Roles) == 0
		v.RoleBoxes = append(v.RoleBoxes, Option{string(r), p.role(r), "", all || slices.Contains(f.Roles, string(r))})
	}
	for _, s := range []string{"", research.SchemaFull, research.SchemaObject, research.SchemaNone} {
		name := s
		if s == "" {
			name = "auto"
		}
		v.Schemas = append(v.Schemas, Option{s, p.T("connect.schema." + name), "", s == f.Schema})
	}
	return v
}

// tierOptions are the tiers with the choice of none.
func (p Page) tierOptions(chosen research.Tier) []Option {
	out := []Option{{"", p.T("connect.unused"), "", chosen == ""}}
	for _, t := range research.Tiers() {
		out = append(out, Option{string(t), p.tier(t).Label, "", t == chosen})
	}
	return out
}

func (p Page) serverRow(i int, s ServerInput, c ModelsInput, act ModelsAction) ServerRow {
	r := ServerRow{
		ID: "server-" + strconv.Itoa(i), Name: s.Name, URL: s.BaseURL, Kind: p.T("connect.kind." + string(s.Kind)),
		Key: p.T("connect.key."+s.KeyState, "Variable", s.KeyEnv), KeyClass: s.KeyState,
		ListHref: "/settings?available=" + url.QueryEscape(s.Name) + "#server-" + strconv.Itoa(i),
	}
	if s.Local {
		r.Facts = append(r.Facts, p.T("connect.local"))
	}
	if s.KeyState == KeyNone && s.Local {
		r.Key = "" // a server of one's own seldom wants one
	}
	if s.Editable {
		form := serverForm(s.Provider)
		if act.Server != nil && !act.Server.New && act.Server.Name == s.Name {
			form, r.Open = *act.Server, true
		}
		r.Form = p.serverFormView(form, c, r.ID)
		r.Form.HasKey = s.KeyState == KeySet
	} else {
		r.From = p.origin(s.From)
	}
	if act.Listing != nil && act.Listing.Server == s.Name {
		r.Listing = p.listing(*act.Listing)
	}
	return r
}

func serverForm(s research.Provider) ServerForm {
	return ServerForm{
		Name: s.Name, Kind: string(s.Kind), BaseURL: s.BaseURL, Concurrency: whole(s.Concurrency), PerMinute: whole(s.PerMinute),
		Local: s.Local, Region: s.Region, PUE: decimal(s.PUE),
	}
}

func (p Page) serverFormView(f ServerForm, c ModelsInput, id string) *ServerFormView {
	v := &ServerFormView{Page: p, ServerForm: f, ID: id, KeyHint: p.T("connect.key_hint")}
	if f.New {
		v.Title = p.T("connect.title")
		if i := slices.IndexFunc(c.Presets, func(x PresetInput) bool { return x.Word == f.Preset }); i >= 0 {
			v.Title = p.T("connect.to", "Name", p.preset(c.Presets[i]))
			if c.Presets[i].KeyEnv == "" {
				v.KeyHint = p.T("connect.key_seldom")
			}
		}
	}
	if f.Preset == "other" || !f.New {
		for _, k := range research.ProviderKinds() {
			v.Kinds = append(v.Kinds, Option{string(k), p.T("connect.kind." + string(k)), "", string(k) == f.Kind})
		}
	}
	for _, field := range []string{"concurrency", "per_minute", "region", "pue"} {
		v.More = v.More || f.Errors[field] != ""
	}
	return v
}

// connectForm is the form of a new server: as typed, or of the chosen preset.
func (p Page) connectForm(c ModelsInput, act ModelsAction) *ServerFormView {
	if act.Server != nil && act.Server.New {
		return p.serverFormView(*act.Server, c, "connect")
	}
	i := slices.IndexFunc(c.Presets, func(x PresetInput) bool { return x.Word == act.Connect })
	if i < 0 {
		return nil
	}
	x := c.Presets[i]
	base := x.Word
	if base == "other" {
		base = "my-server"
	}
	name := base
	for n := 2; slices.ContainsFunc(c.Servers, func(s ServerInput) bool { return s.Name == name }); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return p.serverFormView(ServerForm{New: true, Preset: x.Word, Name: name, Kind: string(x.Kind), BaseURL: x.BaseURL, Local: x.Local}, c, "connect")
}

func (p Page) listing(in ListingInput) *ListingView {
	v := &ListingView{Server: in.Server, Error: in.Error, Tiers: p.tierOptions("")[1:], Count: p.L.N("connect.count", len(in.Models))}
	for _, m := range in.Models {
		if len(in.Models) > listingMax {
			v.IDs = append(v.IDs, m.ID)
		} else if m.Chats {
			v.Models = append(v.Models, ListingRow{m.ID, p.availableFacts(m), p.tierOptions(m.Tier), m.Used})
		}
	}
	return v
}

func (p Page) availableFacts(m AvailableModel) string {
	var out []string
	if m.Parameters > 0 {
		out = append(out, p.T("connect.billions", "N", p.L.Short(m.Parameters)))
	}
	if m.Quantised != "" {
		out = append(out, m.Quantised)
	}
	if m.Bytes > 0 {
		out = append(out, p.size(m.Bytes))
	}
	if m.Context > 0 {
		out = append(out, p.T("connect.window", "N", p.L.Int(m.Context)))
	}
	return strings.Join(out, " · ")
}

// NewProposalView words a proposal; nil stays nil. next is where its buttons lead.
func NewProposalView(p Page, in *ProposalInput, next string) *ProposalView {
	if in == nil || len(in.Models) == 0 {
		return nil
	}
	v := &ProposalView{Page: p, Text: p.T("connect.found", "Name", p.L.Or("connect.preset."+in.Server, "Ollama"), "URL", in.URL), Next: next}
	for _, m := range in.Models {
		v.Models = append(v.Models, ModelLine{Name: m.ID, Tier: p.tier(m.Tier), Kind: p.availableFacts(m)})
	}
	return v
}
