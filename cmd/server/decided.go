package main

import (
	"context"
	"time"

	"github.com/progrouter/progrouter/handlers"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
)

var _ handlers.Decided = (*app)(nil)

// RoutedSteps lists the newest finished steps of the product's own stream with
// their decisions.
func (a *app) RoutedSteps(ctx context.Context, since time.Time, limit int) ([]research.RoutedStep, error) {
	return a.store.RoutedSteps(ctx, routerKey, since, limit)
}

// Routing is what decisions are made with now: the parameters and the allowance.
func (a *app) Routing() (router.Params, research.Micro) { return a.params(), a.allowance() }
