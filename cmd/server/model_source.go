package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/store"
)

// modelSource is what configuration and store connect, merged: entries of the
// configuration win by their name and cannot be changed on the pages.
type modelSource struct {
	cfg   Config
	store *store.Store
}

// modelSet is everything that is connected at one moment.
type modelSet struct {
	// Providers hold their keys: for the engine alone.
	Providers []research.Provider
	// Models are sorted by tier, place and name. Models without a tier are known
	// and not in use. Energy is set where it was given or calibrated.
	Models []research.LanguageModel
	// Calibrated are the names of the models whose Energy was calibrated.
	Calibrated map[string]bool
	// Mixed are the tiers of the embedded engine that take part beside language
	// models.
	Mixed    map[research.Tier]bool
	Revision int64 // of the store; another one means that this is out of date
}

// provider finds one by name.
func (s modelSet) provider(name string) (research.Provider, bool) {
	i := slices.IndexFunc(s.Providers, func(p research.Provider) bool { return p.Name == name })
	if i < 0 {
		return research.Provider{}, false
	}
	return s.Providers[i], true
}

func (s modelSet) model(name string) (research.LanguageModel, bool) {
	i := slices.IndexFunc(s.Models, func(m research.LanguageModel) bool { return m.Name == name })
	if i < 0 {
		return research.LanguageModel{}, false
	}
	return s.Models[i], true
}

// inUse are the models that have a tier.
func (s modelSet) inUse() []research.LanguageModel {
	var out []research.LanguageModel
	for _, m := range s.Models {
		if m.Tier != "" {
			out = append(out, m)
		}
	}
	return out
}

// load reads everything. Stored models whose provider is gone are left out.
func (s modelSource) load(ctx context.Context) (modelSet, error) {
	var out modelSet
	var err error
	if out.Revision, err = s.store.ModelsRevision(ctx); err != nil {
		return out, err
	}
	providers, models := s.cfg.modelConfig()
	out.Providers, out.Models = providers, models
	if err := s.addStored(ctx, &out); err != nil {
		return out, err
	}
	if out.Mixed, err = s.mixed(ctx); err != nil {
		return out, err
	}
	calibrations, err := s.store.Coefficients(ctx)
	if err != nil {
		return out, err
	}
	out.Calibrated = map[string]bool{}
	for i, m := range out.Models {
		if c, ok := calibrations[m.Name]; ok && m.Energy == nil {
			out.Models[i].Energy, out.Calibrated[m.Name] = &c, true
		}
	}
	slices.SortStableFunc(out.Models, func(a, b research.LanguageModel) int {
		return cmp.Or(cmp.Compare(tierPlace(a.Tier), tierPlace(b.Tier)), cmp.Compare(a.Place, b.Place), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}

// mixedKey is the setting that names the tiers of the embedded engine that take
// part beside language models.
const mixedKey = "models.embedded"

// mixed are the tiers that take part by configuration or by the pages.
func (s modelSource) mixed(ctx context.Context) (map[research.Tier]bool, error) {
	var stored []string
	if _, err := s.store.GetSetting(ctx, mixedKey, &stored); err != nil {
		return nil, fmt.Errorf("read which tiers take part: %w", err)
	}
	out := map[research.Tier]bool{}
	for _, t := range append(stored, s.cfg.Embedded...) {
		out[research.Tier(t)] = true
	}
	return out, nil
}

func (s modelSource) addStored(ctx context.Context, out *modelSet) error {
	stored, err := s.store.Providers(ctx)
	if err != nil {
		return err
	}
	for _, p := range stored {
		if _, taken := out.provider(p.Name); taken {
			continue
		}
		p.From = fromSettings
		if p.HasKey {
			if p.Key, err = s.store.ProviderKey(ctx, p.Name); err != nil {
				return fmt.Errorf("key of %s: %w", p.Name, err)
			}
		}
		out.Providers = append(out.Providers, p.Provider)
	}
	models, err := s.store.LanguageModels(ctx)
	if err != nil {
		return err
	}
	for _, m := range models {
		_, taken := out.model(m.Name)
		if _, known := out.provider(m.Provider); known && !taken {
			m.From = fromSettings
			out.Models = append(out.Models, m)
		}
	}
	return nil
}

// tierPlace orders tiers by size, models that are not in use last.
func tierPlace(t research.Tier) int {
	if i := slices.Index(research.Tiers(), t); i >= 0 {
		return i
	}
	return len(research.Tiers())
}
