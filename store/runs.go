package store

import (
	"context"
	"fmt"

	"gorm.io/gorm/clause"

	"github.com/progrouter/progrouter/research"
)

// DefaultRouterKey is the policy stream that users' runs belong to.
const DefaultRouterKey = "default"

// CreateRun stores the run and queues it in one transaction. budget is the
// effective one: what was given, else the depth's default.
func (s *Store) CreateRun(ctx context.Context, r research.Request, budget research.Budget) (string, error) {
	return s.createRun(ctx, r, budget, DefaultRouterKey, true)
}

// CreateRunWithoutJob stores a run that no worker takes up: its maker works on
// it. routerKey names the policy stream whose memory it uses.
func (s *Store) CreateRunWithoutJob(ctx context.Context, r research.Request, budget research.Budget, routerKey string) (string, error) {
	return s.createRun(ctx, r, budget, routerKey, false)
}

func (s *Store) createRun(ctx context.Context, r research.Request, b research.Budget, key string, enqueue bool) (string, error) {
	id, err := newID(s.now())
	if err != nil {
		return "", err
	}
	row := newRunRow(id, r, b, s.now())
	row.RouterKey = key
	return id, s.write(ctx, func(t *txn) error {
		if err := t.Create(&row).Error; err != nil {
			return fmt.Errorf("create run: %w", err)
		}
		if err := t.Create(&productRow{RunID: id}).Error; err != nil {
			return fmt.Errorf("create run: %w", err)
		}
		if err := t.addDiscarded(id, beforeSteps, r.Skipped); err != nil {
			return err
		}
		if enqueue {
			if err := t.enqueue(&row); err != nil {
				return err
			}
		}
		t.event(id, research.EventQueued, -1)
		return nil
	})
}

// Run reads a run without its artefacts.
func (s *Store) Run(ctx context.Context, id string) (research.Run, error) {
	var row runRow
	if err := s.db.WithContext(ctx).Where("id = ?", id).Take(&row).Error; err != nil {
		return research.Run{}, runError(id, err)
	}
	return row.run(), nil
}

func runError(id string, err error) error {
	if isMissing(err) {
		return notFound("run", id)
	}
	return safe(fmt.Errorf("read run: %w", err))
}

// lockRun reads the run and keeps others from writing it until the end of the
// transaction. On SQLite the transaction itself does that.
func (t *txn) lockRun(id string) (runRow, error) {
	var row runRow
	err := t.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id).Take(&row).Error
	if err != nil {
		return row, runError(id, err)
	}
	return row, nil
}

// saveRun writes every column of a run that was read in this transaction.
func (t *txn) saveRun(row *runRow) error {
	if err := t.Select("*").Omit("id").Where("id = ?", row.ID).Updates(row).Error; err != nil {
		return fmt.Errorf("save run: %w", err)
	}
	return nil
}

// DeleteRun removes a run with everything that belongs to it. A running one
// must be cancelled first.
func (s *Store) DeleteRun(ctx context.Context, id string) error {
	err := s.write(ctx, func(t *txn) error {
		row, err := t.lockRun(id)
		if err != nil {
			return err
		}
		if row.Status == research.Running {
			return conflict("store.delete_running", "The run is being worked on. Cancel it first, then delete it.")
		}
		return t.deleteRun(id)
	})
	if err == nil {
		s.hub.wake([]eventRow{{RunID: id}}) // open pages find it gone
	}
	return err
}

func (t *txn) deleteRun(id string) error {
	var shas []string
	if err := t.Model(&sourceRow{}).Where("run_id = ?", id).Distinct().Pluck("sha256", &shas).Error; err != nil {
		return fmt.Errorf("delete run: %w", err)
	}
	if err := t.deleteJobs(id); err != nil {
		return err
	}
	// The other tables follow by their foreign keys.
	if err := t.Where("id = ?", id).Delete(&runRow{}).Error; err != nil {
		return fmt.Errorf("delete run: %w", err)
	}
	return t.dropUnused(shas)
}

// dropUnused removes the snapshots among these that nothing points to any more.
func (t *txn) dropUnused(shas []string) error {
	if len(shas) == 0 {
		return nil
	}
	// Nobody may point to a snapshot between the check and the removal.
	if err := t.advisory("pg_advisory_xact_lock", lockSnapshots); err != nil {
		return err
	}
	err := t.Where("sha256 IN ?", shas).
		Where("NOT EXISTS (SELECT 1 FROM sources WHERE sources.sha256 = snapshots.sha256)").
		Where("NOT EXISTS (SELECT 1 FROM documents WHERE documents.sha256 = snapshots.sha256)").
		Delete(&snapshotRow{}).Error
	if err != nil {
		return fmt.Errorf("remove snapshots: %w", err)
	}
	return nil
}

// deleteJobs removes every queue entry of a run, finished ones too, since they
// name it.
func (t *txn) deleteJobs(id string) error {
	arg := "json_extract(args, '$.run_id')"
	if t.s.postgres() {
		arg = "args->>'run_id'"
	}
	err := t.Exec("DELETE FROM river_job WHERE kind = ? AND "+arg+" = ?", jobKind, id).Error
	if err != nil {
		return fmt.Errorf("delete jobs: %w", err)
	}
	return nil
}
