package store

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func sampleProvider() research.Provider {
	return research.Provider{
		Name: "local", Kind: research.OpenAICompatible, BaseURL: "http://127.0.0.1:8091/v1", Key: "sk-secret",
		Concurrency: 2, PerMinute: 30, Local: true, Region: "de", PUE: 1.2,
	}
}

func sampleModel(name string, tier research.Tier, place int) research.LanguageModel {
	return research.LanguageModel{
		Name: name, Provider: "local", ID: strings.TrimPrefix(name, "local/"), Tier: tier, Place: place,
		Roles: []research.Role{research.Reader}, Context: 4096, Output: 512, Parameters: 0.135,
		Price: &research.Price{Input: 0.1, Cached: 0.05, Output: 0.4, Currency: "USD", AsOf: "2026-11-01"},
	}
}

func TestProviderKeys(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx, p := t.Context(), sampleProvider()
		must(t, b.s.SaveProvider(ctx, p))
		key := func() string {
			t.Helper()
			k, err := b.again(t).ProviderKey(ctx, "local")
			must(t, err)
			return k
		}
		if got := key(); got != "sk-secret" {
			t.Errorf("key %q", got)
		}
		list, err := b.s.Providers(ctx)
		must(t, err)
		shown := p
		shown.Key = ""
		same(t, list, []StoredProvider{{Provider: shown, HasKey: true}})
		if list[0].Key != "" {
			t.Error("the list holds the key")
		}

		p.Key, p.PerMinute = "", 60
		must(t, b.s.SaveProvider(ctx, p))
		if got := key(); got != "sk-secret" {
			t.Errorf("saving without a key left %q", got)
		}
		p.Key = "sk-next"
		must(t, b.s.SaveProvider(ctx, p))
		if got := key(); got != "sk-next" {
			t.Errorf("the new key is %q", got)
		}
		p.Key, p.BaseURL = "", "https://example.org/v1"
		must(t, b.s.SaveProvider(ctx, p))
		if got := key(); got != "" {
			t.Errorf("the key of another address was kept: %q", got)
		}

		p.Key = "sk-more"
		must(t, b.s.SaveProvider(ctx, p))
		must(t, b.s.DropProviderKey(ctx, "local"))
		list, err = b.s.Providers(ctx)
		must(t, err)
		if key() != "" || list[0].HasKey {
			t.Error("the key was not dropped")
		}
		_, err = b.s.ProviderKey(ctx, "nobody")
		wantCode(t, err, research.ENotFound)
		wantCode(t, b.s.DropProviderKey(ctx, "nobody"), research.ENotFound)
	})
}

// A key stands in its own column and in no other place of the database.
func TestKeysStandApart(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		must(t, b.s.SaveProvider(t.Context(), sampleProvider()))
		var row providerRow
		must(t, b.s.db.Take(&row).Error)
		if strings.Contains(row.Body, "sk-secret") || row.Key != "sk-secret" {
			t.Errorf("stored %+v", row)
		}
		list, err := b.s.Providers(t.Context())
		must(t, err)
		text, err := json.Marshal(list)
		must(t, err)
		if strings.Contains(string(text), "sk-") {
			t.Errorf("listed %s", text)
		}
	})
}

func TestLanguageModels(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		must(t, b.s.SaveProvider(ctx, sampleProvider()))
		second, first, other := sampleModel("local/b", research.Small, 2), sampleModel("local/c", research.Small, 1), sampleModel("local/a", research.Large, 0)
		must(t, b.s.SaveLanguageModel(ctx, second, first, other))
		must(t, b.s.SaveLanguageModel(ctx))
		list, err := b.again(t).LanguageModels(ctx)
		must(t, err)
		same(t, list, []research.LanguageModel{other, first, second})

		first.Tier, first.Price = research.Medium, nil
		must(t, b.s.SaveLanguageModel(ctx, first))
		list, err = b.s.LanguageModels(ctx)
		must(t, err)
		same(t, list, []research.LanguageModel{other, first, second})

		must(t, b.s.RemoveLanguageModel(ctx, "local/a"))
		wantCode(t, b.s.RemoveLanguageModel(ctx, "local/a"), research.ENotFound)
		list, err = b.s.LanguageModels(ctx)
		must(t, err)
		same(t, list, []research.LanguageModel{first, second})
	})
}

func TestCalibrations(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		c := research.Coefficients{Call: 1, Prefill: 0.1, Decode: 1, Low: 0.5, High: 2, Method: research.MethodCPU, At: sampleTime, Samples: 12}
		must(t, b.s.SaveCoefficients(ctx, "local/a", research.Coefficients{Decode: 9}))
		must(t, b.s.SaveCoefficients(ctx, "local/a", c))
		got, err := b.again(t).Coefficients(ctx)
		must(t, err)
		same(t, got, map[string]research.Coefficients{"local/a": c})
	})
}

// What was measured of a server says nothing of another one at another address.
func TestCalibrationsGoWithTheAddress(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx, p := t.Context(), sampleProvider()
		must(t, b.s.SaveProvider(ctx, p))
		must(t, b.s.SaveLanguageModel(ctx, sampleModel("local/a", research.Small, 0)))
		for _, m := range []string{"local/a", "other/a"} {
			must(t, b.s.SaveCoefficients(ctx, m, research.Coefficients{Decode: 1}))
		}
		left := func(want int) {
			t.Helper()
			if found, err := b.s.Coefficients(ctx); err != nil || len(found) != want {
				t.Errorf("calibrations %v, want %d (%v)", found, want, err)
			}
		}
		p.Key, p.PerMinute = "", 60
		must(t, b.s.SaveProvider(ctx, p))
		left(2)
		p.BaseURL, p.Key = "http://127.0.0.1:8092/v1", "sk-next"
		must(t, b.s.SaveProvider(ctx, p))
		left(1)
	})
}

func TestRemoveProviderTakesItsModels(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		other := sampleProvider()
		other.Name = "other"
		must(t, b.s.SaveProvider(ctx, sampleProvider()))
		must(t, b.s.SaveProvider(ctx, other))
		kept := sampleModel("other/a", research.Large, 0)
		kept.Provider = "other"
		must(t, b.s.SaveLanguageModel(ctx, sampleModel("local/a", research.Small, 0), kept))
		for _, m := range []string{"local/a", "other/a"} {
			must(t, b.s.SaveCoefficients(ctx, m, research.Coefficients{Decode: 1}))
		}
		must(t, b.s.RemoveProvider(ctx, "local"))
		wantCode(t, b.s.RemoveProvider(ctx, "local"), research.ENotFound)
		list, err := b.s.LanguageModels(ctx)
		must(t, err)
		same(t, list, []research.LanguageModel{kept})
		found, err := b.s.Coefficients(ctx)
		must(t, err)
		if len(found) != 1 {
			t.Errorf("calibrations left: %v", found)
		}
	})
}

// Every change raises the revision, and only a change does.
func TestModelsRevision(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		last := int64(0)
		for i, change := range []func() error{
			func() error { return b.s.SaveProvider(ctx, sampleProvider()) },
			func() error { return b.s.SaveLanguageModel(ctx, sampleModel("local/a", research.Small, 0)) },
			func() error { return b.s.SaveCoefficients(ctx, "local/a", research.Coefficients{Decode: 1}) },
			func() error { return b.s.DropProviderKey(ctx, "local") },
			func() error { return b.s.RemoveLanguageModel(ctx, "local/a") },
			func() error { return b.s.RemoveProvider(ctx, "local") },
		} {
			must(t, change())
			n, err := b.again(t).ModelsRevision(ctx)
			must(t, err)
			if n != last+1 {
				t.Errorf("change %d: revision %d after %d", i, n, last)
			}
			last = n
		}
		wantCode(t, b.s.RemoveProvider(ctx, "local"), research.ENotFound)
		if n, err := b.s.ModelsRevision(ctx); err != nil || n != last {
			t.Errorf("a refused change raised the revision to %d (%v)", n, err)
		}
	})
}
