package store

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/progrouter/progrouter/research"
)

// RunCounts counts the stored runs by status.
func (s *Store) RunCounts(ctx context.Context) (map[research.Status]int, error) {
	out := map[research.Status]int{}
	err := s.read(ctx, func(tx *gorm.DB) error { return countStatuses(tx, time.Time{}, time.Time{}, out) })
	if err != nil {
		return nil, safe(fmt.Errorf("count runs: %w", err))
	}
	return out, nil
}

// Finished reads which steps and runs have finished after an event, whichever
// process worked on them, from at most limit events. Runs that were deleted
// meanwhile are left out.
func (s *Store) Finished(ctx context.Context, after int64, limit int) (research.Finished, error) {
	out := research.Finished{Last: after}
	err := s.read(ctx, func(tx *gorm.DB) error {
		var ids []int64
		kinds := []research.EventKind{research.EventStepped, research.EventFinished}
		if err := tx.Model(&eventRow{}).Where("id > ? AND kind IN ?", after, kinds).Order("id").Limit(limit).Pluck("id", &ids).Error; err != nil {
			return err
		}
		if len(ids) == 0 {
			return nil
		}
		out.Last, out.More = ids[len(ids)-1], len(ids) == limit
		var steps []stepRow
		err := tx.Model(&stepRow{}).Joins("JOIN events ON events.run_id = steps.run_id AND events.step = steps.idx").
			Where("events.id > ? AND events.id <= ? AND events.kind = ?", after, out.Last, research.EventStepped).
			Select("steps.run_id, steps.idx, role, tier, model, outcome, seconds, dollars, joules, joules_low, joules_high, method, tokens, actions").
			Order("events.id").Find(&steps).Error
		if err != nil {
			return err
		}
		out.Steps = mapped(steps, stepRow.step)
		return tx.Model(&runRow{}).Joins("JOIN events ON events.run_id = runs.id").
			Where("events.id > ? AND events.id <= ? AND events.kind = ?", after, out.Last, research.EventFinished).
			Order("events.id").Pluck("runs.status", &out.Runs).Error
	})
	if err != nil {
		return research.Finished{}, safe(fmt.Errorf("read what has finished: %w", err))
	}
	return out, nil
}
