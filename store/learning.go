package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/progrouter/progrouter/research"
)

// SamplesKept is how many samples a policy stream keeps, the newest.
const SamplesKept = 20_000

type sampleRow struct {
	Key        string
	Seq        int64
	RunID      *string
	Step       int
	At         int64
	Features   string
	Gain       float64
	Predicted  research.Prediction `gorm:"serializer:json"`
	Explored   bool
	Propensity float64
}

func (sampleRow) TableName() string { return "gain_samples" }

// askedRow is a sample with the words that stayed with its run.
type askedRow struct {
	Sample   sampleRow `gorm:"embedded"`
	Question string
}

func (a askedRow) domain() research.GainSample {
	r := a.Sample
	s := research.GainSample{
		Seq: r.Seq, Step: r.Step, At: at(r.At), Features: json.RawMessage(r.Features), Question: a.Question,
		Gain: r.Gain, Predicted: r.Predicted, Explored: r.Explored, Propensity: r.Propensity,
	}
	if r.RunID != nil {
		s.RunID = *r.RunID
	}
	return s
}

// learn appends what a finished step teaches to its stream's samples and adds it
// to the quality of predictions. Counting the sample keeps others from appending
// to the stream until this transaction ends, so seq follows the order of commits
// whoever writes, and no sample is lost or overwritten.
func (t *txn) learn(row *runRow, s research.Step) error {
	g, ok := research.Learnable(s)
	if !ok || !json.Valid(g.Features) {
		return nil
	}
	key := row.RouterKey
	r := sampleRow{
		Key: key, RunID: &row.ID, Step: g.Step, At: micros(g.At), Features: string(g.Features),
		Gain: g.Gain, Predicted: g.Predicted, Explored: g.Explored, Propensity: g.Propensity,
	}
	err := t.Raw(`INSERT INTO router_states (key, queue, decisions, runs, samples) VALUES (?, 0, 0, 0, 1)
		ON CONFLICT (key) DO UPDATE SET samples = router_states.samples + 1 RETURNING samples`, key).Scan(&r.Seq).Error
	if err != nil {
		return fmt.Errorf("count sample: %w", err)
	}
	if err := t.Create(&r).Error; err != nil {
		return fmt.Errorf("store sample: %w", err)
	}
	if err := t.Where("key = ? AND seq <= ?", key, r.Seq-SamplesKept).Delete(&sampleRow{}).Error; err != nil {
		return fmt.Errorf("drop old samples: %w", err)
	}
	return t.judge(key, s, g)
}

// GainSamples reads the newest samples of a policy stream, at most limit of them,
// oldest first. The last one's Seq is how many there ever were.
func (s *Store) GainSamples(ctx context.Context, key string, limit int) ([]research.GainSample, error) {
	var rows []askedRow
	err := s.db.WithContext(ctx).Model(&sampleRow{}).Joins("LEFT JOIN runs ON runs.id = gain_samples.run_id").
		Where("gain_samples.key = ?", key).Order("gain_samples.seq DESC").Limit(limit).
		Select("gain_samples.*, COALESCE(runs.question, '') AS question").Find(&rows).Error
	if err != nil {
		return nil, safe(fmt.Errorf("read samples: %w", err))
	}
	slices.Reverse(rows)
	return mapped(rows, askedRow.domain), nil
}

type predictorRow struct {
	Key       string `gorm:"primaryKey"`
	Version   int64
	Through   int64
	Samples   int
	Format    int
	Blob      []byte
	TrainedAt int64
	CPU       int64 `gorm:"column:cpu"` // microseconds
}

func (predictorRow) TableName() string { return "predictors" }

// Predictor reads the stored predictor of a policy stream; ENotFound when there
// is none.
func (s *Store) Predictor(ctx context.Context, key string) (research.TrainedPredictor, error) {
	var r predictorRow
	err := s.db.WithContext(ctx).Where("key = ?", key).Take(&r).Error
	if isMissing(err) {
		return research.TrainedPredictor{}, notFound("predictor", key)
	}
	if err != nil {
		return research.TrainedPredictor{}, safe(fmt.Errorf("read predictor: %w", err))
	}
	return research.TrainedPredictor{
		Key: r.Key, Version: r.Version, Through: r.Through, Samples: r.Samples, Format: r.Format, Blob: r.Blob,
		TrainedAt: at(r.TrainedAt), CPU: time.Duration(r.CPU) * time.Microsecond,
	}, nil
}

// SavePredictor stores a predictor unless the stored one has learned from as much
// or more: of several processes that train, the better informed wins. broken is
// the version of a stored one that cannot be read and may be replaced by one that
// knows no more, 0 for none. The joules of the training are counted either way, in
// the same transaction.
func (s *Store) SavePredictor(ctx context.Context, p research.TrainedPredictor, joules research.Micro, broken int64) (saved bool, err error) {
	err = s.write(ctx, func(t *txn) error {
		if err := t.addTraining(p.Key, joules); err != nil {
			return err
		}
		res := t.Exec(`INSERT INTO predictors (key, version, through, samples, format, blob, trained_at, cpu) VALUES (?, 1, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET version = predictors.version + 1, through = excluded.through, samples = excluded.samples,
			format = excluded.format, blob = excluded.blob, trained_at = excluded.trained_at, cpu = excluded.cpu
			WHERE excluded.through > predictors.through OR predictors.version = ?`,
			p.Key, p.Through, p.Samples, p.Format, p.Blob, micros(p.TrainedAt), p.CPU.Microseconds(), broken)
		saved = res.RowsAffected > 0
		return res.Error
	})
	if err != nil {
		return false, fmt.Errorf("save predictor: %w", err)
	}
	return saved, nil
}

// AddTraining counts the joules of a training that led to nothing.
func (s *Store) AddTraining(ctx context.Context, key string, joules research.Micro) error {
	return s.write(ctx, func(t *txn) error { return t.addTraining(key, joules) })
}

func (t *txn) addTraining(key string, joules research.Micro) error {
	err := t.Exec(`INSERT INTO router_states (key, queue, decisions, runs, training_joules) VALUES (?, 0, 0, 0, ?)
		ON CONFLICT (key) DO UPDATE SET training_joules = router_states.training_joules + excluded.training_joules`,
		key, int64(max(0, joules))).Error
	if err != nil {
		return fmt.Errorf("count training: %w", err)
	}
	return nil
}
