package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"github.com/progrouter/progrouter/research"
)

// Ledger reads the whole record of a run, as of one moment.
func (s *Store) Ledger(ctx context.Context, id string) (*research.Ledger, error) {
	l := &research.Ledger{}
	err := s.read(ctx, func(tx *gorm.DB) error {
		var run runRow
		if err := tx.Where("id = ?", id).Take(&run).Error; err != nil {
			return runError(id, err)
		}
		var product productRow
		if err := tx.Where("run_id = ?", id).Take(&product).Error; err != nil {
			return fmt.Errorf("read plan and report: %w", err)
		}
		l.Run, l.Plan, l.Report = run.run(), product.Plan, product.Report
		return loadArtefacts(tx, id, l)
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// Since reads where a run stands and the steps that have finished from an index
// on, as of one moment, without what they brought.
func (s *Store) Since(ctx context.Context, id string, index int) (research.Run, []research.Step, error) {
	var run runRow
	var steps []stepRow
	err := s.read(ctx, func(tx *gorm.DB) error {
		if err := tx.Where("id = ?", id).Take(&run).Error; err != nil {
			return runError(id, err)
		}
		return tx.Where("run_id = ? AND idx >= ? AND outcome <> ''", id, index).Order("idx").Find(&steps).Error
	})
	if err != nil {
		return research.Run{}, nil, err
	}
	return run.run(), mapped(steps, stepRow.step), nil
}

func loadArtefacts(tx *gorm.DB, id string, l *research.Ledger) (err error) {
	if l.Steps, err = load(tx, id, "idx", stepRow.step); err != nil {
		return err
	}
	if l.Queries, err = load(tx, id, "id", queryRow.domain); err != nil {
		return err
	}
	if l.Hits, err = load(tx, id, "id", hitRow.domain); err != nil {
		return err
	}
	if l.Discarded, err = load(tx, id, "id", discardedRow.domain); err != nil {
		return err
	}
	if l.Evidence, err = load(tx, id, "seq", evidenceRow.domain); err != nil {
		return err
	}
	var sources []sourceRow
	err = tx.Select("sources.*, snapshots.text").
		Joins("JOIN snapshots ON snapshots.sha256 = sources.sha256").
		Where("run_id = ?", id).Order("seq").Find(&sources).Error
	if err != nil {
		return fmt.Errorf("read sources: %w", err)
	}
	l.Sources = mapped(sources, sourceRow.domain)
	return nil
}

func load[R, T any](tx *gorm.DB, id, order string, domain func(R) T) ([]T, error) {
	var rows []R
	if err := tx.Where("run_id = ?", id).Order(order).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read ledger: %w", err)
	}
	return mapped(rows, domain), nil
}
