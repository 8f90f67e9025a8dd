package store

import (
	"context"
	"encoding/json"
	"fmt"

	"gorm.io/gorm/clause"
)

type settingRow struct {
	Key   string `gorm:"primaryKey"`
	Value string
}

func (settingRow) TableName() string { return "settings" }

// GetSetting reads a stored value into out; found is false when there is none.
func (s *Store) GetSetting(ctx context.Context, key string, out any) (found bool, err error) {
	var row settingRow
	err = s.db.WithContext(ctx).Where("key = ?", key).Take(&row).Error
	if isMissing(err) {
		return false, nil
	}
	if err != nil {
		return false, safe(fmt.Errorf("read setting: %w", err))
	}
	if err := json.Unmarshal([]byte(row.Value), out); err != nil {
		return false, fmt.Errorf("setting %s: %w", key, err)
	}
	return true, nil
}

// SetSetting stores a value as JSON.
func (s *Store) SetSetting(ctx context.Context, key string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("setting %s: %w", key, err)
	}
	return s.write(ctx, func(t *txn) error {
		return t.Clauses(clause.OnConflict{UpdateAll: true}).Create(&settingRow{key, string(b)}).Error
	})
}
