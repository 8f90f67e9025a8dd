package store

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/progrouter/progrouter/research"
)

type qualityRow struct {
	Key             string
	Day             string
	Role            research.Role
	Model           string
	Bin             int
	N               int64
	Predicted       float64
	Realised        float64
	AbsError        float64
	SquareError     float64
	PriorN          int64
	PriorError      float64
	PathsN          int64
	StructuredError float64
	SemanticError   float64
	MeanError       float64
	GateError       float64
}

func (qualityRow) TableName() string { return "prediction_quality" }

func (r qualityRow) sums() research.QualitySums {
	return research.QualitySums{
		N: r.N, Predicted: r.Predicted, Realised: r.Realised, AbsError: r.AbsError, SquareError: r.SquareError,
		PriorN: r.PriorN, PriorError: r.PriorError, PathsN: r.PathsN, StructuredError: r.StructuredError,
		SemanticError: r.SemanticError, MeanError: r.MeanError, GateError: r.GateError,
	}
}

// addQuality adds the sums of a step to those of its day, role, model and range
// of predicted gain.
const addQuality = `INSERT INTO prediction_quality (key, day, role, model, bin, n, predicted, realised, abs_error, square_error,
	prior_n, prior_error, paths_n, structured_error, semantic_error, mean_error, gate_error)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (key, day, role, model, bin) DO UPDATE SET
	n = prediction_quality.n + excluded.n,
	predicted = prediction_quality.predicted + excluded.predicted,
	realised = prediction_quality.realised + excluded.realised,
	abs_error = prediction_quality.abs_error + excluded.abs_error,
	square_error = prediction_quality.square_error + excluded.square_error,
	prior_n = prediction_quality.prior_n + excluded.prior_n,
	prior_error = prediction_quality.prior_error + excluded.prior_error,
	paths_n = prediction_quality.paths_n + excluded.paths_n,
	structured_error = prediction_quality.structured_error + excluded.structured_error,
	semantic_error = prediction_quality.semantic_error + excluded.semantic_error,
	mean_error = prediction_quality.mean_error + excluded.mean_error,
	gate_error = prediction_quality.gate_error + excluded.gate_error`

// judge adds a finished step to the quality of predictions.
func (t *txn) judge(key string, s research.Step, g research.GainSample) error {
	q := research.QualityOf(g.Predicted, g.Gain)
	if q.N == 0 {
		return nil
	}
	err := t.Exec(addQuality, key, g.At.UTC().Format(time.DateOnly), s.Role, s.Model, research.BinOf(g.Predicted.Gain),
		q.N, q.Predicted, q.Realised, q.AbsError, q.SquareError, q.PriorN, q.PriorError,
		q.PathsN, q.StructuredError, q.SemanticError, q.MeanError, q.GateError).Error
	if err != nil {
		return fmt.Errorf("store quality of predictions: %w", err)
	}
	return nil
}

const qualitySums = `CAST(COALESCE(SUM(n), 0) AS BIGINT) AS n, COALESCE(SUM(predicted), 0) AS predicted,
	COALESCE(SUM(realised), 0) AS realised, COALESCE(SUM(abs_error), 0) AS abs_error,
	COALESCE(SUM(square_error), 0) AS square_error, CAST(COALESCE(SUM(prior_n), 0) AS BIGINT) AS prior_n,
	COALESCE(SUM(prior_error), 0) AS prior_error, CAST(COALESCE(SUM(paths_n), 0) AS BIGINT) AS paths_n,
	COALESCE(SUM(structured_error), 0) AS structured_error, COALESCE(SUM(semantic_error), 0) AS semantic_error,
	COALESCE(SUM(mean_error), 0) AS mean_error, COALESCE(SUM(gate_error), 0) AS gate_error`

// PredictionTotals is the total of PredictionQuality alone, for those who ask
// often.
func (s *Store) PredictionTotals(ctx context.Context, key string, since time.Time) (research.QualitySums, error) {
	q, err := totals(s.db.WithContext(ctx), key, firstDay(since))
	if err != nil {
		return q, safe(fmt.Errorf("read quality of predictions: %w", err))
	}
	return q, nil
}

func totals(tx *gorm.DB, key, day string) (research.QualitySums, error) {
	var r qualityRow
	err := tx.Where("key = ? AND day >= ?", key, day).Select(qualitySums).Take(&r).Error
	return r.sums(), err
}

// firstDay is before every day for the zero time.
func firstDay(since time.Time) string {
	if since.IsZero() {
		return ""
	}
	return since.UTC().Format(time.DateOnly)
}

// PredictionQuality sums how well gains were predicted in a policy stream, over
// the steps that finished on the day (UTC) of since or later; the zero time means
// all of them. Deleted runs and samples that are no longer kept are in it.
func (s *Store) PredictionQuality(ctx context.Context, key string, since time.Time) (research.PredictionQuality, error) {
	var q research.PredictionQuality
	day := firstDay(since)
	err := s.read(ctx, func(tx *gorm.DB) (err error) {
		if q.Total, err = totals(tx, key, day); err != nil {
			return err
		}
		for column, into := range map[string]*[]research.QualityRow{"day": &q.ByDay, "role": &q.ByRole, "model": &q.ByModel, "bin": &q.ByBin} {
			var rows []qualityRow
			err := tx.Where("key = ? AND day >= ?", key, day).Select(column + ", " + qualitySums).Group(column).Order(column).Find(&rows).Error
			if err != nil {
				return err
			}
			*into = mapped(rows, func(r qualityRow) research.QualityRow {
				return research.QualityRow{Day: r.Day, Role: r.Role, Model: r.Model, Bin: r.Bin, QualitySums: r.sums()}
			})
		}
		return nil
	})
	if err != nil {
		return q, safe(fmt.Errorf("read quality of predictions: %w", err))
	}
	return q, nil
}
