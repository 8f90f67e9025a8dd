package handlers

import (
	"context"
	"log/slog"
	"time"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
	"github.com/progrouter/progrouter/web"
)

// Runs is what pages and API need of stored runs. Unknown ids are ENotFound
// errors; actions that the state does not allow are EConflict.
type Runs interface {
	CreateRun(ctx context.Context, r research.Request, b research.Budget) (string, error)
	Ledger(ctx context.Context, id string) (*research.Ledger, error)
	Run(ctx context.Context, id string) (research.Run, error)
	ListRuns(ctx context.Context, f research.RunFilter) ([]research.RunSummary, int, error)
	QueuePosition(ctx context.Context, id string) (int, error)
	DeleteRun(ctx context.Context, id string) error
	RequestCancel(ctx context.Context, id string) error
	RequestPause(ctx context.Context, id string) error
	Resume(ctx context.Context, id string) error
	RaiseBudget(ctx context.Context, id string, b research.Budget) error
}

// Events is the stream of changes of runs. LastEventID is the newest event's id,
// 0 when there is none. Subscribe returns a channel that is poked after something
// about the run changed (several changes may melt into one; closed when the store
// closes) and a function that ends the subscription.
type Events interface {
	LastEventID(ctx context.Context, runID string) (int64, error)
	Subscribe(runID string) (<-chan struct{}, func())
}

// Live is what steps in flight are doing right now, as far as this process works
// on them. The zero value is nothing.
type Live interface {
	Live(runID string) research.Live
	SubscribeLive(runID string) (<-chan struct{}, func())
}

// Usage sums steps for the dashboard over from ≤ start < to; zero times do not
// limit.
type Usage interface {
	Usage(ctx context.Context, from, to time.Time) (research.Usage, error)
}

// Library is the stored documents.
type Library interface {
	Documents(ctx context.Context, text string, limit, offset int) ([]research.LibraryDocument, int, error)
	RemoveDocument(ctx context.Context, url string) error
}

// Uploader reads, indexes and stores an uploaded file. Files that cannot be used
// are EInvalid errors whose message says why.
type Uploader interface {
	Add(ctx context.Context, name, mediaType string, data []byte) (research.LibraryDocument, error)
}

// Estimate is what a run is expected to cost.
type Estimate struct {
	Budget              research.Budget // with what the models need where a limit was left open
	Low, Expected, High research.Cost
	Method              string // research.Method…
	PastRuns            int    // how many finished runs it is learned from
}

// Estimator prices a run before it starts. A budget below one step is an EInvalid
// error at the budget's field.
type Estimator interface {
	EstimateRun(ctx context.Context, r research.Request, b research.Budget) (Estimate, error)
}

// Setup describes what is connected and configured.
type Setup interface {
	Settings(ctx context.Context) web.SettingsInput
}

// Pinger reports whether the database answers.
type Pinger interface {
	Ping(ctx context.Context) error
}

// Learned is what the router has learned from runs so far and how well it
// predicts. The quality of predictions is summed over the days (UTC) from since
// on; the zero time means all of them. LearningNow has its total of all days
// alone, which is little work.
type Learned interface {
	Learning(ctx context.Context, since time.Time) (research.Learning, error)
	LearningNow(ctx context.Context) (research.Learning, error)
}

// Decided is what was decided in the runs of the product's own stream.
type Decided interface {
	// RoutedSteps lists steps that finished at since or later, the newest, at most
	// limit of them, oldest first; the zero time means all.
	RoutedSteps(ctx context.Context, since time.Time, limit int) ([]research.RoutedStep, error)
	// Routing is what decisions are made with now.
	Routing() (router.Params, research.Micro)
}

// Deps is everything the server works with. All of it is needed but Progress,
// Live, Learned and Decided.
type Deps struct {
	Runs      Runs
	Events    Events
	Usage     Usage
	Library   Library
	Uploads   Uploader
	Estimates Estimator
	Setup     Setup
	Models    Models
	Health    Pinger
	Metered   Metered
	Learned   Learned // nil: nothing is said of it
	Decided   Decided // nil: nothing was decided yet
	// Progress scores where a run stands now; nil shows what its last decision saw.
	Progress func(*research.Ledger) research.ProgressView
	Live     Live // nil shows steps only when they are done
	Texts    *i18n.Bundle
	Log      *slog.Logger
}
