package store

import (
	"context"
	"fmt"

	"github.com/progrouter/progrouter/research"
)

type eventRow struct {
	ID    int64
	RunID string
	Kind  research.EventKind
	At    int64
	Step  int
}

func (eventRow) TableName() string { return "events" }

func (r eventRow) domain() research.Event {
	return research.Event{ID: r.ID, RunID: r.RunID, Kind: r.Kind, At: at(r.At), Step: r.Step}
}

// event notes what changed; it is written at the end of the transaction.
func (t *txn) event(run string, kind research.EventKind, step int) {
	t.events = append(t.events, eventRow{RunID: run, Kind: kind, At: micros(t.s.now()), Step: step})
}

// flushEvents writes the events last and, on Postgres, one transaction at a
// time until it commits: readers follow by id, so an id must never become
// visible after a higher one.
func (t *txn) flushEvents() error {
	if len(t.events) == 0 {
		return nil
	}
	if err := t.advisory("pg_advisory_xact_lock", lockEvents); err != nil {
		return err
	}
	if err := t.Create(&t.events).Error; err != nil {
		return fmt.Errorf("store events: %w", err)
	}
	return nil
}

// Events returns what happened after an event id, oldest first; an empty run
// means all runs.
func (s *Store) Events(ctx context.Context, runID string, after int64, limit int) ([]research.Event, error) {
	q := s.db.WithContext(ctx).Where("id > ?", after).Order("id").Limit(limit)
	if runID != "" {
		q = q.Where("run_id = ?", runID)
	}
	var rows []eventRow
	if err := q.Find(&rows).Error; err != nil {
		return nil, safe(fmt.Errorf("read events: %w", err))
	}
	return mapped(rows, eventRow.domain), nil
}

// LastEventID is the newest event's id, 0 when there is none; an empty run
// means all runs.
func (s *Store) LastEventID(ctx context.Context, runID string) (int64, error) {
	q := s.db.WithContext(ctx).Model(&eventRow{}).Select("COALESCE(MAX(id), 0)")
	if runID != "" {
		q = q.Where("run_id = ?", runID)
	}
	var id int64
	if err := q.Scan(&id).Error; err != nil {
		return 0, safe(fmt.Errorf("read events: %w", err))
	}
	return id, nil
}

// Subscribe returns a channel that is poked after something about the run
// changed (an empty id: about any run), and a function that ends it. A poke
// carries nothing and several may melt into one: read Events from your cursor
// after each. Changes made by other processes arrive within a second. The
// channel is closed when the store closes.
func (s *Store) Subscribe(runID string) (<-chan struct{}, func()) { return s.hub.subscribe(runID) }
