package store

import (
	"context"
	"encoding/json"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/progrouter/progrouter/research"
)

type providerRow struct {
	Name string `gorm:"primaryKey"`
	Key  string
	Body string
}

func (providerRow) TableName() string { return "providers" }

type modelRow struct {
	Name     string `gorm:"primaryKey"`
	Provider string
	Tier     string
	Place    int
	Body     string
}

func (modelRow) TableName() string { return "models" }

type calibrationRow struct {
	Model string `gorm:"primaryKey"`
	At    int64
	Body  string
}

func (calibrationRow) TableName() string { return "calibrations" }

// revisionKey is the setting that counts the changes to what this file stores.
const revisionKey = "models.revision"

// StoredProvider is a provider without its key.
type StoredProvider struct {
	research.Provider      // Key is empty
	HasKey            bool // one is stored
}

// Providers lists the stored providers by name, without their keys.
func (s *Store) Providers(ctx context.Context) ([]StoredProvider, error) {
	var rows []providerRow
	if err := s.db.WithContext(ctx).Order("name").Find(&rows).Error; err != nil {
		return nil, safe(fmt.Errorf("list providers: %w", err))
	}
	out := make([]StoredProvider, len(rows))
	for i, r := range rows {
		if err := decode(r.Body, &out[i].Provider, "provider", r.Name); err != nil {
			return nil, err
		}
		out[i].HasKey = r.Key != ""
	}
	return out, nil
}

// ProviderKey is the secret of a stored provider, empty when it has none. It is
// for the calls to the provider alone.
func (s *Store) ProviderKey(ctx context.Context, name string) (string, error) {
	var row providerRow
	err := s.db.WithContext(ctx).Where("name = ?", name).Take(&row).Error
	if isMissing(err) {
		return "", notFound("provider", name)
	}
	if err != nil {
		return "", safe(fmt.Errorf("read provider: %w", err))
	}
	return row.Key, nil
}

// SaveProvider stores a provider under its name. An empty key keeps the one that
// is stored, as long as the address stays the same: a key must not be sent to
// another server than the one it was given for. What was measured at another
// address is forgotten.
func (s *Store) SaveProvider(ctx context.Context, p research.Provider) error {
	key := p.Key
	p.Key = ""
	body, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("provider %s: %w", p.Name, err)
	}
	return s.change(ctx, func(t *txn) error {
		var old providerRow
		err := t.Where("name = ?", p.Name).Take(&old).Error
		if err != nil && !isMissing(err) {
			return fmt.Errorf("read provider: %w", err)
		}
		if err == nil {
			var was research.Provider
			if err := decode(old.Body, &was, "provider", p.Name); err != nil {
				return err
			}
			same := was.BaseURL == p.BaseURL && was.Kind == p.Kind
			if same && key == "" {
				key = old.Key
			}
			if !same {
				if err := t.forgetCalibrations(p.Name); err != nil {
					return err
				}
			}
		}
		return t.Clauses(clause.OnConflict{UpdateAll: true}).Create(&providerRow{p.Name, key, string(body)}).Error
	})
}

// DropProviderKey forgets the stored key of a provider.
func (s *Store) DropProviderKey(ctx context.Context, name string) error {
	return s.change(ctx, func(t *txn) error {
		return gone(t.Model(&providerRow{}).Where("name = ?", name).Update("key", ""), "provider", name)
	})
}

// RemoveProvider removes a provider with its key, its models and their
// calibrations.
func (s *Store) RemoveProvider(ctx context.Context, name string) error {
	return s.change(ctx, func(t *txn) error {
		if err := gone(t.Where("name = ?", name).Delete(&providerRow{}), "provider", name); err != nil {
			return err
		}
		if err := t.forgetCalibrations(name); err != nil {
			return err
		}
		return t.Where("provider = ?", name).Delete(&modelRow{}).Error
	})
}

// forgetCalibrations removes those of the models of a provider.
func (t *txn) forgetCalibrations(provider string) error {
	own := t.Model(&modelRow{}).Select("name").Where("provider = ?", provider)
	if err := t.Where("model IN (?)", own).Delete(&calibrationRow{}).Error; err != nil {
		return fmt.Errorf("remove calibrations: %w", err)
	}
	return nil
}

// LanguageModels lists the stored models by tier, place and name.
func (s *Store) LanguageModels(ctx context.Context) ([]research.LanguageModel, error) {
	var rows []modelRow
	if err := s.db.WithContext(ctx).Order("tier, place, name").Find(&rows).Error; err != nil {
		return nil, safe(fmt.Errorf("list models: %w", err))
	}
	out := make([]research.LanguageModel, len(rows))
	for i, r := range rows {
		if err := decode(r.Body, &out[i], "model", r.Name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// SaveLanguageModel stores models under their names, all or none.
func (s *Store) SaveLanguageModel(ctx context.Context, models ...research.LanguageModel) error {
	rows := make([]modelRow, len(models))
	for i, m := range models {
		body, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("model %s: %w", m.Name, err)
		}
		rows[i] = modelRow{m.Name, m.Provider, string(m.Tier), m.Place, string(body)}
	}
	if len(rows) == 0 {
		return nil
	}
	return s.change(ctx, func(t *txn) error {
		return t.Clauses(clause.OnConflict{UpdateAll: true}).Create(&rows).Error
	})
}

// RemoveLanguageModel removes a model and its calibration.
func (s *Store) RemoveLanguageModel(ctx context.Context, name string) error {
	return s.change(ctx, func(t *txn) error {
		if err := gone(t.Where("name = ?", name).Delete(&modelRow{}), "model", name); err != nil {
			return err
		}
		return t.Where("model = ?", name).Delete(&calibrationRow{}).Error
	})
}

// SaveCoefficients stores what a calibration found for a model, which may be one
// of the configuration.
func (s *Store) SaveCoefficients(ctx context.Context, model string, c research.Coefficients) error {
	body, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("calibration of %s: %w", model, err)
	}
	return s.change(ctx, func(t *txn) error {
		return t.Clauses(clause.OnConflict{UpdateAll: true}).Create(&calibrationRow{model, micros(c.At), string(body)}).Error
	})
}

// Coefficients are the stored calibrations by model.
func (s *Store) Coefficients(ctx context.Context) (map[string]research.Coefficients, error) {
	var rows []calibrationRow
	if err := s.db.WithContext(ctx).Find(&rows).Error; err != nil {
		return nil, safe(fmt.Errorf("list calibrations: %w", err))
	}
	out := make(map[string]research.Coefficients, len(rows))
	for _, r := range rows {
		var c research.Coefficients
		if err := decode(r.Body, &c, "calibration", r.Model); err != nil {
			return nil, err
		}
		out[r.Model] = c
	}
	return out, nil
}

// ModelsRevision grows with every change to providers, models and calibrations,
// so that other processes on the same database can tell that they must reload.
func (s *Store) ModelsRevision(ctx context.Context) (int64, error) {
	var n int64
	_, err := s.GetSetting(ctx, revisionKey, &n)
	return n, err
}

// change is a write that counts as a new revision.
func (s *Store) change(ctx context.Context, fn func(t *txn) error) error {
	return s.write(ctx, func(t *txn) error {
		if err := fn(t); err != nil {
			return err
		}
		return t.Exec(`INSERT INTO settings (key, value) VALUES (?, '1')
			ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(settings.value AS BIGINT) + 1 AS TEXT)`, revisionKey).Error
	})
}

// gone turns a change that met no row into a not-found error.
func gone(tx *gorm.DB, what, name string) error {
	if tx.Error == nil && tx.RowsAffected == 0 {
		return notFound(what, name)
	}
	return tx.Error
}

func decode(body string, into any, what, name string) error {
	if err := json.Unmarshal([]byte(body), into); err != nil {
		return fmt.Errorf("stored %s %s: %w", what, name, err)
	}
	return nil
}
