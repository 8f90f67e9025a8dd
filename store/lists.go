package store

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"github.com/progrouter/progrouter/research"
)

const defaultListLimit = 50

// ListRuns returns a page of runs, the newest first, and how many there are in
// all. Totals come from the run rows, which every step keeps exact.
func (s *Store) ListRuns(ctx context.Context, f research.RunFilter) ([]research.RunSummary, int, error) {
	var rows []runRow
	var total int64
	positions := map[string]int{}
	err := s.read(ctx, func(tx *gorm.DB) error {
		if err := filtered(tx, f).Model(&runRow{}).Count(&total).Error; err != nil {
			return err
		}
		limit := f.Limit
		if limit <= 0 {
			limit = defaultListLimit
		}
		err := filtered(tx, f).Order("created_at DESC, id DESC").Limit(limit).Offset(max(0, f.Offset)).Find(&rows).Error
		if err != nil {
			return err
		}
		positions, err = queuePositions(tx, rows)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list runs: %w", err)
	}
	out := make([]research.RunSummary, len(rows))
	for i, r := range rows {
		out[i] = r.summary()
		out[i].QueuePosition = positions[r.ID]
	}
	return out, int(total), nil
}

func filtered(tx *gorm.DB, f research.RunFilter) *gorm.DB {
	q := tx.Session(&gorm.Session{})
	if f.Text != "" {
		q = q.Where(`question_fold LIKE ? ESCAPE '\'`, contains(f.Text))
	}
	if f.Status != "" {
		q = q.Where("status = ?", f.Status)
	}
	if f.Policy != "" {
		q = q.Where("policy = ?", f.Policy)
	}
	return q
}

// contains is a LIKE pattern that takes the text literally.
func contains(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.ToLower(text)) + "%"
}

// queuePositions numbers the waiting runs when the page shows any.
func queuePositions(tx *gorm.DB, rows []runRow) (map[string]int, error) {
	waiting := false
	for _, r := range rows {
		waiting = waiting || r.Status == research.Queued
	}
	out := map[string]int{}
	if !waiting {
		return out, nil
	}
	var ids []string
	err := tx.Model(&runRow{}).Where("status = ? AND job_id IS NOT NULL", research.Queued).Order("job_id").Pluck("id", &ids).Error
	for i, id := range ids {
		out[id] = i + 1
	}
	return out, err
}

// QueuePosition is a run's place among the waiting ones, 1 for the next; 0 when
// it does not wait.
func (s *Store) QueuePosition(ctx context.Context, id string) (int, error) {
	var n int64
	err := s.db.WithContext(ctx).Raw(`SELECT count(*) FROM runs AS r JOIN runs AS me
		ON me.id = ? AND me.status = 'queued' AND r.status = 'queued' AND r.job_id <= me.job_id`, id).Scan(&n).Error
	if err != nil {
		return 0, safe(fmt.Errorf("queue position: %w", err))
	}
	return int(n), nil
}
