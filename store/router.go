package store

import (
	"context"
	"fmt"

	"github.com/progrouter/progrouter/research"
)

type routerRow struct {
	Key            string `gorm:"primaryKey"`
	Queue          int64
	Decisions      int64
	Runs           int64
	Samples        int64
	TrainingJoules int64
}

func (routerRow) TableName() string { return "router_states" }

type gainRow struct {
	Key     string
	Model   string
	Role    research.Role
	N       int64
	Gain    float64
	Joules  int64
	Seconds float64
	Dollars int64
}

func (gainRow) TableName() string { return "gain_stats" }

func (r gainRow) domain() research.GainStat {
	return research.GainStat{
		Model: r.Model, Role: r.Role, N: r.N, Gain: r.Gain,
		Joules: research.Micro(r.Joules), Seconds: r.Seconds, Dollars: research.Micro(r.Dollars),
	}
}

// stateRow is what is remembered of a stream with what is known of its predictor.
type stateRow struct {
	Router    routerRow `gorm:"embedded"`
	Version   int64
	Through   int64
	TrainedAt *int64
}

func (s stateRow) domain() research.RouterState {
	r := s.Router
	return research.RouterState{
		Key: r.Key, Queue: research.Micro(r.Queue), Decisions: r.Decisions, Runs: r.Runs,
		Samples: r.Samples, TrainingJoules: research.Micro(r.TrainingJoules),
		Version: s.Version, Through: s.Through, TrainedAt: atp(s.TrainedAt),
	}
}

// RouterState reads what the router remembers of a policy stream; a new stream
// is all zero.
func (s *Store) RouterState(ctx context.Context, key string) (research.RouterState, error) {
	row := stateRow{Router: routerRow{Key: key}}
	err := s.db.WithContext(ctx).Model(&routerRow{}).Joins("LEFT JOIN predictors ON predictors.key = router_states.key").
		Where("router_states.key = ?", key).
		Select(`router_states.*, COALESCE(predictors.version, 0) AS version, COALESCE(predictors.through, 0) AS through, predictors.trained_at`).
		Take(&row).Error
	if err != nil && !isMissing(err) {
		return research.RouterState{}, safe(fmt.Errorf("read router state: %w", err))
	}
	return row.domain(), nil
}

// BumpDecisions counts one decision of a policy stream and returns how many
// there are now.
func (s *Store) BumpDecisions(ctx context.Context, key string) (int64, error) {
	var n int64
	err := s.write(ctx, func(t *txn) error {
		return t.Raw(`INSERT INTO router_states (key, queue, decisions, runs) VALUES (?, 0, 1, 0)
			ON CONFLICT (key) DO UPDATE SET decisions = router_states.decisions + 1 RETURNING decisions`, key).Scan(&n).Error
	})
	if err != nil {
		return 0, fmt.Errorf("count decision: %w", err)
	}
	return n, nil
}

// GainStats reads what each model brought and cost per role in a policy stream.
func (s *Store) GainStats(ctx context.Context, key string) ([]research.GainStat, error) {
	var rows []gainRow
	if err := s.db.WithContext(ctx).Where("key = ?", key).Order("model, role").Find(&rows).Error; err != nil {
		return nil, safe(fmt.Errorf("read gains: %w", err))
	}
	return mapped(rows, gainRow.domain), nil
}

// addGain adds a finished step to the record.
func (t *txn) addGain(key string, s research.Step) error {
	err := t.Exec(`INSERT INTO gain_stats (key, model, role, n, gain, joules, seconds, dollars) VALUES (?, ?, ?, 1, ?, ?, ?, ?)
		ON CONFLICT (key, model, role) DO UPDATE SET n = gain_stats.n + 1, gain = gain_stats.gain + excluded.gain,
		joules = gain_stats.joules + excluded.joules, seconds = gain_stats.seconds + excluded.seconds,
		dollars = gain_stats.dollars + excluded.dollars`,
		key, s.Model, s.Role, s.Decision.Realised.Gain, int64(research.OrZero(s.Energy.Joules)),
		s.Seconds, int64(research.OrZero(s.Dollars))).Error
	if err != nil {
		return fmt.Errorf("store gain: %w", err)
	}
	return nil
}
