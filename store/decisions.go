package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/progrouter/progrouter/research"
)

// decidedRow is what RoutedSteps reads of a step.
type decidedRow struct {
	RunID        string
	Idx          int
	Role         research.Role
	Tier         research.Tier
	Model        string
	Outcome      research.Outcome
	FinishedAt   *int64
	Seconds      float64
	Dollars      *int64
	Joules       *int64
	JoulesLow    *int64
	JoulesHigh   *int64
	Method       string
	RouterJoules *int64
	Decision     string
}

const decidedColumns = `steps.run_id, steps.idx, steps.role, steps.tier, steps.model, steps.outcome, steps.finished_at, steps.seconds,
	steps.dollars, steps.joules, steps.joules_low, steps.joules_high, steps.method, steps.router_joules, steps.decision`

// RoutedSteps lists the steps of a policy stream that finished at since or later,
// with their decisions: the newest, at most limit of them, oldest first. The zero
// time means all. It reads single steps, not runs, in one query.
func (s *Store) RoutedSteps(ctx context.Context, key string, since time.Time, limit int) ([]research.RoutedStep, error) {
	var rows []decidedRow
	// No step in flight has finished; 0 is before every moment.
	q := s.db.WithContext(ctx).Model(&stepRow{}).Joins("JOIN runs ON runs.id = steps.run_id").
		Where("runs.router_key = ? AND steps.finished_at >= ? AND steps.outcome <> ''", key, firstMicro(since)).
		Order("steps.finished_at DESC").Limit(limit).Select(decidedColumns)
	if err := q.Find(&rows).Error; err != nil {
		return nil, safe(fmt.Errorf("read decisions: %w", err))
	}
	slices.Reverse(rows)
	out := make([]research.RoutedStep, len(rows))
	for i, r := range rows {
		step, err := r.step()
		if err != nil {
			return nil, safe(fmt.Errorf("read decision of step %d of run %s: %w", r.Idx, r.RunID, err))
		}
		out[i] = research.RoutedStep{RunID: r.RunID, Step: step}
	}
	return out, nil
}

func firstMicro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return micros(t)
}

func (r decidedRow) step() (research.Step, error) {
	s := research.Step{
		Index: r.Idx, Role: r.Role, Tier: r.Tier, Model: r.Model, Outcome: r.Outcome, FinishedAt: atp(r.FinishedAt),
		Seconds: r.Seconds, Dollars: micro(r.Dollars),
		Energy:       research.Energy{Joules: micro(r.Joules), Low: micro(r.JoulesLow), High: micro(r.JoulesHigh), Method: r.Method},
		RouterJoules: micro(r.RouterJoules),
	}
	err := json.Unmarshal([]byte(r.Decision), &s.Decision)
	s.Decision.Features = nil
	return s, err
}
