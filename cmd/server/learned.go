package main

import (
	"context"
	"time"

	"github.com/progrouter/progrouter/handlers"
	"github.com/progrouter/progrouter/research"
)

var _ handlers.Learned = (*app)(nil)

// Learning is what the product's own stream has learned and how well it predicts.
func (a *app) Learning(ctx context.Context, since time.Time) (research.Learning, error) {
	l, err := a.learningState(ctx)
	if err != nil {
		return l, err
	}
	l.Quality, err = a.store.PredictionQuality(ctx, routerKey, since)
	return l, err
}

// LearningNow is Learning with the total of all days alone.
func (a *app) LearningNow(ctx context.Context) (research.Learning, error) {
	l, err := a.learningState(ctx)
	if err != nil {
		return l, err
	}
	l.Quality.Total, err = a.store.PredictionTotals(ctx, routerKey, time.Time{})
	return l, err
}

func (a *app) learningState(ctx context.Context) (research.Learning, error) {
	state, err := a.store.RouterState(ctx, routerKey)
	return research.Learning{State: state, Epsilon: a.params().Epsilon(state.Decisions)}, err
}
