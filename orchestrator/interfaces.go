// Package orchestrator owns the course of a run: it reads the ledger, chooses
// the next role, asks for a decision, dispatches the agent, meters it, applies
// the budgets and writes the ledger. It must not know HTTP, SQL or templates,
// and reaches router, agents and store through the interfaces below.
package orchestrator

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/progrouter/progrouter/research"
)

// Store is the persisted ledger. Every method is one transaction.
type Store interface {
	Ledger(ctx context.Context, id string) (*research.Ledger, error)
	Run(ctx context.Context, id string) (research.Run, error)
	StartRun(ctx context.Context, id string) error
	BeginStep(ctx context.Context, id string, s research.Step) error
	FinishStep(ctx context.Context, id string, s research.Step, r research.Result, active float64) error
	SetPaused(ctx context.Context, id string, active float64) error
	FinishRun(ctx context.Context, id string, end Ending, active float64) error
}

// Agents are the models that can take a step.
type Agents interface {
	// Estimates names every configured model for the task's role with what it
	// would cost and whether it can do it at all.
	Estimates(ctx context.Context, t research.Task) []research.Estimate
	Do(ctx context.Context, t research.Task) (research.Result, error)
}

// Router chooses a model before a step.
type Router interface {
	Decide(ctx context.Context, q Question) research.Decision
}

// Question is what the router is asked.
type Question struct {
	Ledger    *research.Ledger
	Role      research.Role
	Focus     []string
	Progress  research.ProgressView
	Estimates []research.Estimate
	Reserve   research.Cost // to be kept for finishing the report
	Spent     research.Cost
	Remaining research.Cost // of the effective budget, before the reserve
	Rand      *rand.Rand
}

// Scorer reads how far a run has come.
type Scorer func(*research.Ledger, research.Limits) research.ProgressView

// Clock is the time; tests hand in a fake one.
type Clock interface {
	Now() time.Time
}

// SystemClock is the real time.
type SystemClock struct{}

// Now is time.Now.
func (SystemClock) Now() time.Time { return time.Now() }
