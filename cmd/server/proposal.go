package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"

	"github.com/progrouter/progrouter/handlers"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

// foundServer is the name that a found Ollama gets.
const foundServer = "ollama"

// lookOnce looks for an Ollama where nothing is connected yet. It is for the
// start, which does not wait for it; that there is none is no trouble.
func (c *connections) lookOnce(ctx context.Context) {
	if c.cfg.OllamaURL == "" {
		return
	}
	var dismissed bool
	if _, err := c.store.GetSetting(ctx, dismissedKey, &dismissed); err != nil || dismissed {
		return
	}
	set, err := c.load(ctx)
	if err != nil || len(set.Models) > 0 {
		return
	}
	if err := c.look(ctx); err != nil {
		c.log.DebugContext(ctx, "no Ollama found", "url", c.cfg.OllamaURL, "err", err)
	}
}

// look asks the configured Ollama for its models. Whether anybody is there is
// known within a second; a list of many models may take longer.
func (c *connections) look(ctx context.Context) error {
	if err := reach(ctx, c.cfg.OllamaURL); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	found, err := c.client(c.foundProvider(), research.LanguageModel{}).Models(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.proposal = found
	return nil
}

// reach opens a connection and closes it.
func reach(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	d := net.Dialer{Timeout: findTime}
	conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return err
	}
	return conn.Close()
}

func (c *connections) foundProvider() research.Provider {
	return research.Provider{Name: foundServer, Kind: research.Ollama, BaseURL: c.cfg.OllamaURL, Local: onThisMachine(c.cfg.OllamaURL)}
}

// FindModels looks for an Ollama because somebody asked.
func (c *connections) FindModels(ctx context.Context) error {
	if c.cfg.OllamaURL == "" {
		return research.Errorf(research.EConflict, "model.no_discovery", "Looking for Ollama is switched off by PROGROUTER_OLLAMA_URL.")
	}
	err := c.look(ctx)
	if err == nil {
		var in *web.ProposalInput
		set, loadErr := c.load(ctx)
		if loadErr != nil {
			return loadErr
		}
		if in = c.proposalFor(set); in != nil {
			return c.store.SetSetting(ctx, dismissedKey, false)
		}
		if slices.ContainsFunc(set.Providers, func(p research.Provider) bool { return p.BaseURL == c.cfg.OllamaURL }) {
			return nil // all of it is connected already
		}
	}
	return research.Errorf(research.EUnavailable, "model.not_found", "No Ollama with models answers at %s. Start it and fetch a model (ollama pull llama3.2), or connect another server.", c.cfg.OllamaURL).
		With(map[string]any{"URL": c.cfg.OllamaURL}).Wrap(err)
}

// proposed is the proposal as the pages show it, nil when there is none or it
// was put aside.
func (c *connections) proposed(ctx context.Context, set modelSet) (*web.ProposalInput, error) {
	in := c.proposalFor(set)
	if in == nil {
		return nil, nil
	}
	var dismissed bool
	if _, err := c.store.GetSetting(ctx, dismissedKey, &dismissed); err != nil {
		return nil, err
	}
	if dismissed {
		return nil, nil
	}
	return in, nil
}

// proposalFor is what was found and is not in use. A server at that address
// that is connected already is proposed nothing: its list is one click away.
func (c *connections) proposalFor(set modelSet) *web.ProposalInput {
	c.mu.Lock()
	found := slices.Clone(c.proposal)
	c.mu.Unlock()
	own := func(p research.Provider) bool { return p.Name == foundServer || p.BaseURL == c.cfg.OllamaURL }
	if len(found) == 0 || slices.ContainsFunc(set.Providers, own) {
		return nil
	}
	in := &web.ProposalInput{Server: foundServer, URL: c.cfg.OllamaURL}
	for _, m := range available(found, foundServer, set) {
		if m.Tier != "" {
			in.Models = append(in.Models, m)
		}
	}
	if len(in.Models) == 0 {
		for id, tier := range ProposeTiers(found) {
			in.Models = append(in.Models, web.AvailableModel{ID: id, Tier: tier, Chats: true})
		}
	}
	if len(in.Models) == 0 {
		return nil
	}
	slices.SortStableFunc(in.Models, func(a, b web.AvailableModel) int { return tierPlace(a.Tier) - tierPlace(b.Tier) })
	return in
}

// AcceptProposal connects what was found, as proposed.
func (c *connections) AcceptProposal(ctx context.Context) error {
	set, err := c.load(ctx)
	if err != nil {
		return err
	}
	in := c.proposalFor(set)
	if in == nil {
		return research.Errorf(research.EConflict, "model.no_proposal", "There is no proposal any more. Look for Ollama again.")
	}
	c.mu.Lock()
	found := slices.Clone(c.proposal)
	c.mu.Unlock()
	var assigned []handlers.Assignment
	for _, m := range in.Models {
		assigned = append(assigned, handlers.Assignment{ID: m.ID, Tier: m.Tier})
	}
	models, err := assign(set, c.foundProvider(), found, assigned)
	if err != nil {
		return err
	}
	if err := c.store.SaveProvider(ctx, c.foundProvider()); err != nil {
		return err
	}
	if err := c.store.SaveLanguageModel(ctx, models...); err != nil {
		return err
	}
	c.forget(found)
	return c.reload(ctx)
}

// forget drops the proposal and keeps what was found for the server's list.
func (c *connections) forget(found []chat.Found) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.proposal, c.found[foundServer] = nil, found
}

// DismissProposal puts the proposal aside until somebody looks again.
func (c *connections) DismissProposal(ctx context.Context) error {
	c.forget(nil)
	return c.store.SetSetting(ctx, dismissedKey, true)
}

// Mix lets a tier of the embedded engine take part beside language models, or
// stand by for them.
func (c *connections) Mix(ctx context.Context, t research.Tier, on bool) error {
	var stored []string
	if _, err := c.store.GetSetting(ctx, mixedKey, &stored); err != nil {
		return fmt.Errorf("read which tiers take part: %w", err)
	}
	stored = slices.DeleteFunc(stored, func(s string) bool { return s == string(t) })
	if on {
		stored = append(stored, string(t))
	}
	if err := c.store.SetSetting(ctx, mixedKey, stored); err != nil {
		return fmt.Errorf("keep which tiers take part: %w", err)
	}
	return c.reload(ctx)
}
