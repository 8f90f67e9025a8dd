package main

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/handlers"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

// connections is what the pages see and change of servers and models.
type connections struct {
	modelSource
	prices *energy.Prices
	log    *slog.Logger
	client func(research.Provider, research.LanguageModel) modelClient
	// reload puts changes into effect; it is called after each of them.
	reload func(context.Context) error
	// answered is told of a model that was just seen to answer.
	answered func(research.Provider, research.LanguageModel)

	mu       sync.Mutex
	proposal []chat.Found            // found at the configured Ollama and not in use
	found    map[string][]chat.Found // what servers had when they were last asked
}

var _ handlers.Models = (*connections)(nil)

const (
	listTime = 10 * time.Second // for a server's list of models
	testTime = 45 * time.Second // for the tiny call, loading of the model included
	findTime = time.Second      // for somebody to be there where an Ollama is looked for
)

// dismissedKey is the setting that says that proposals are not wanted.
const dismissedKey = "models.proposal_dismissed"

// Hosted models have large windows; what is not said is assumed for them.
const (
	hostedWindow = 32_768
	hostedOutput = 4_096
	ollamaWindow = 4_096 // what Ollama loads models with where nothing else is set
)

func newConnections(s modelSource, prices *energy.Prices, log *slog.Logger, reload func(context.Context) error) *connections {
	return &connections{modelSource: s, prices: prices, log: log, client: newClient, reload: reload, answered: func(research.Provider, research.LanguageModel) {}, found: map[string][]chat.Found{}}
}

// Models is the state of everything connected, without keys.
func (c *connections) Models(ctx context.Context) (web.ModelsInput, error) {
	set, err := c.load(ctx)
	if err != nil {
		return web.ModelsInput{}, err
	}
	in := web.ModelsInput{CanFind: c.cfg.OllamaURL != "", Mixed: set.Mixed, MixedFixed: map[research.Tier]bool{}}
	for _, t := range c.cfg.Embedded {
		in.MixedFixed[research.Tier(t)] = true
	}
	for _, p := range presets() {
		in.Presets = append(in.Presets, web.PresetInput{Word: p.Word, Title: p.Title, BaseURL: p.BaseURL, Kind: p.Kind, Local: p.Local, KeyEnv: p.KeyEnv})
	}
	in.Presets = append(in.Presets, web.PresetInput{Word: "other", Kind: research.OpenAICompatible})
	for _, p := range set.Providers {
		in.Servers = append(in.Servers, web.ServerInput{Provider: withoutKey(p), KeyState: keyState(p), Editable: p.From == fromSettings})
	}
	for _, m := range set.Models {
		p, _ := set.provider(m.Provider)
		one := web.LanguageModelInput{LanguageModel: m, EnergyState: web.EnergyUnknown, Editable: m.From == fromSettings}
		one.Coefficients, one.EnergyState = coefficientsOf(m, p, set.Calibrated[m.Name])
		if price, ok := c.prices.Of(m, p); ok {
			one.Costs = &price
		}
		in.Models = append(in.Models, one)
	}
	in.Proposal, err = c.proposed(ctx, set)
	return in, err
}

func withoutKey(p research.Provider) research.Provider {
	p.Key = ""
	return p
}

func keyState(p research.Provider) string {
	switch {
	case p.Key != "":
		return web.KeySet
	case p.KeyEnv != "":
		return web.KeyMissing
	}
	return web.KeyNone
}

// coefficientsOf are those in effect and how they are known.
func coefficientsOf(m research.LanguageModel, p research.Provider, calibrated bool) (*research.Coefficients, string) {
	switch {
	case calibrated:
		return m.Energy, web.EnergyCalibrated
	case m.Energy != nil:
		return m.Energy, web.EnergyGiven
	}
	if modelled, ok := energy.Modelled(m, p); ok {
		return &modelled, web.EnergyModelled
	}
	return nil, web.EnergyUnknown
}

// SaveServer stores a provider of the pages.
func (c *connections) SaveServer(ctx context.Context, p research.Provider, o handlers.SaveOptions) error {
	if p.BaseURL == "" {
		p.BaseURL = publicURL(p.Kind)
	}
	if err := checkProvider(p); err != nil {
		return err
	}
	set, err := c.load(ctx)
	if err != nil {
		return err
	}
	old, exists := set.provider(p.Name)
	switch {
	case exists && o.New:
		return research.Errorf(research.EInvalid, "model.taken", "There is a server named “%s” already. Take another name, or change that one.", p.Name).At("name").With(map[string]any{"Name": p.Name})
	case exists && old.From != fromSettings:
		return fixed(p.Name)
	case !exists && !o.New:
		return research.Errorf(research.ENotFound, "store.provider_not_found", "There is no server %q. It may have been removed.", p.Name).With(map[string]any{"ID": p.Name})
	}
	p.From = ""
	p.Local = p.Local || o.New && onThisMachine(p.BaseURL) // a tunnel's is unticked afterwards
	if err := c.store.SaveProvider(ctx, p); err != nil {
		return err
	}
	if o.ForgetKey && p.Key == "" {
		if err := c.store.DropProviderKey(ctx, p.Name); err != nil {
			return err
		}
	}
	return c.reload(ctx)
}

func fixed(name string) error {
	return research.Errorf(research.EConflict, "model.fixed", "“%s” is set in the configuration and can only be changed there.", name).With(map[string]any{"Name": name})
}

// RemoveServer removes a provider of the pages with its models.
func (c *connections) RemoveServer(ctx context.Context, name string) error {
	if i := slices.IndexFunc(c.cfg.connected.providers, func(p research.Provider) bool { return p.Name == name }); i >= 0 {
		return fixed(name)
	}
	if err := c.store.RemoveProvider(ctx, name); err != nil {
		return err
	}
	return c.reload(ctx)
}

// Available asks a server for its models.
func (c *connections) Available(ctx context.Context, server string) ([]web.AvailableModel, error) {
	set, err := c.load(ctx)
	if err != nil {
		return nil, err
	}
	p, ok := set.provider(server)
	if !ok {
		return nil, research.Errorf(research.ENotFound, "store.provider_not_found", "There is no server %q. It may have been removed.", server).With(map[string]any{"ID": server})
	}
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	found, err := c.client(p, research.LanguageModel{}).Models(ctx)
	if err != nil {
		return nil, callError(err, p)
	}
	c.mu.Lock()
	c.found[server] = found
	c.mu.Unlock()
	return available(found, server, set), nil
}

// available joins what a server has with what of it is in use. Tiers are
// proposed as long as nothing of the server is in use.
func available(found []chat.Found, server string, set modelSet) []web.AvailableModel {
	used, any := map[string]research.Tier{}, false
	for _, m := range set.Models {
		if m.Provider == server {
			used[m.ID] = m.Tier
			any = true
		}
	}
	proposed := map[string]research.Tier{}
	if !any && slices.ContainsFunc(found, func(f chat.Found) bool { return f.Parameters > 0 }) {
		proposed = ProposeTiers(found)
	}
	out := make([]web.AvailableModel, len(found))
	for i, f := range found {
		tier, known := used[f.ID]
		if !known {
			tier = proposed[f.ID]
		}
		out[i] = web.AvailableModel{
			ID: f.ID, Tier: tier, Used: known, Parameters: f.Parameters, Quantised: f.Quantised, Bytes: f.Bytes, Context: f.Context, Chats: f.Chats,
		}
	}
	return out
}

// AddModels puts models of a server into tiers.
func (c *connections) AddModels(ctx context.Context, server string, assigned []handlers.Assignment) error {
	set, err := c.load(ctx)
	if err != nil {
		return err
	}
	p, ok := set.provider(server)
	if !ok {
		return research.Errorf(research.ENotFound, "store.provider_not_found", "There is no server %q. It may have been removed.", server).With(map[string]any{"ID": server})
	}
	c.mu.Lock()
	found := c.found[server]
	c.mu.Unlock()
	changed, err := assign(set, p, found, assigned)
	if err != nil {
		return err
	}
	if err := c.store.SaveLanguageModel(ctx, changed...); err != nil {
		return err
	}
	return c.reload(ctx)
}

// assign makes the entries of an assignment: new ones come last in their tier,
// and those of the configuration stay as they are. Of a model that is named twice
// the last word counts.
func assign(set modelSet, p research.Provider, found []chat.Found, assigned []handlers.Assignment) ([]research.LanguageModel, error) {
	var out []research.LanguageModel
	next := map[research.Tier]int{}
	for _, m := range set.Models {
		next[m.Tier] = max(next[m.Tier], m.Place+1)
	}
	for _, a := range assigned {
		m, exists := set.model(p.Name + "/" + a.ID)
		switch {
		case exists && (m.From != fromSettings || m.Tier == a.Tier):
			continue
		case !exists && a.Tier == "":
			continue
		case !exists:
			m = newModel(p, a.ID, found)
		}
		m.Tier, m.Place, m.From = a.Tier, next[a.Tier], ""
		m.Energy = nil // a calibration is kept apart
		next[a.Tier]++
		if err := checkModel(m); err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(out, func(o research.LanguageModel) bool { return o.Name == m.Name }); i >= 0 {
			out[i] = m
			continue
		}
		out = append(out, m)
	}
	return out, nil
}

// newModel fills in what the server said of a model.
func newModel(p research.Provider, id string, found []chat.Found) research.LanguageModel {
	m := research.LanguageModel{Name: p.Name + "/" + id, Provider: p.Name, ID: id}
	if i := slices.IndexFunc(found, func(f chat.Found) bool { return f.ID == id }); i >= 0 {
		m.Parameters, m.Context = round(found[i].Parameters), found[i].Context
	}
	if p.Kind == research.Ollama && atRest(found, id) {
		// What it says of a model at rest is what the model was trained for; it
		// loads with less unless told otherwise, and then cuts prompts silently.
		m.Context = min(m.Context, ollamaWindow)
	}
	if m.Context != 0 && (m.Context < windowMin || m.Context > windowMax) {
		m.Context = 0
	}
	if m.Context == 0 && usualKey(p.BaseURL) != "" {
		m.Context, m.Output = hostedWindow, hostedOutput
	}
	return m
}

// atRest says that a server has a model and has not loaded it.
func atRest(found []chat.Found, id string) bool {
	return slices.ContainsFunc(found, func(f chat.Found) bool { return f.ID == id && f.Loaded != nil && !*f.Loaded })
}

// round keeps three digits of a size in billions.
func round(v float64) float64 {
	const thousandth = 1000
	return float64(int64(v*thousandth+0.5)) / thousandth
}

// SaveModel changes a model of the pages.
func (c *connections) SaveModel(ctx context.Context, m research.LanguageModel) error {
	set, err := c.load(ctx)
	if err != nil {
		return err
	}
	old, ok := set.model(m.Name)
	switch {
	case !ok:
		return research.Errorf(research.ENotFound, "store.model_not_found", "There is no model %q. It may have been removed.", m.Name).With(map[string]any{"ID": m.Name})
	case old.From != fromSettings:
		return fixed(m.Name)
	}
	m.Provider, m.ID, m.From = old.Provider, old.ID, ""
	if err := checkModel(m); err != nil {
		return err
	}
	if err := c.store.SaveLanguageModel(ctx, m); err != nil {
		return err
	}
	return c.reload(ctx)
}

// RemoveModel removes a model of the pages.
func (c *connections) RemoveModel(ctx context.Context, name string) error {
	if slices.ContainsFunc(c.cfg.connected.models, func(m research.LanguageModel) bool { return m.Name == name }) {
		return fixed(name)
	}
	if err := c.store.RemoveLanguageModel(ctx, name); err != nil {
		return err
	}
	return c.reload(ctx)
}
