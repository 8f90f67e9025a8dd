package handlers

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
	"github.com/progrouter/progrouter/web/reckon"
)

const (
	routedAgain   = time.Hour   // after which everything is read anew, for what others deleted
	routedOverlap = time.Minute // steps of other processes may be stored later than newer ones
	targetsHold   = time.Minute
	manySteps     = 1000
	resultsKept   = 16
)

// routed keeps the newest decisions of the stream, since reading thousands of them
// takes a while: after the first time only new ones are read. What is made of them
// is kept until something changes.
type routed struct {
	source Decided
	now    func() time.Time

	loaded  atomic.Bool // all was read once: known without waiting for the lock
	mu      sync.Mutex
	steps   []research.RoutedStep // oldest first
	read    time.Time             // when all was read; zero: not yet
	version int                   // changes with steps
	periods map[window]reckoned[reckon.Period]
	oneStep map[window]reckoned[[]reckon.Target]
}

// window is a period; it changes with the day.
type window struct {
	from     int64
	learning reckon.Learning
}

// reckoned is what was made of the steps, and when.
type reckoned[T any] struct {
	version int
	at      time.Time
	made    T
}

func newRouted(source Decided, now func() time.Time) *routed {
	return &routed{source: source, now: now, periods: map[window]reckoned[reckon.Period]{}, oneStep: map[window]reckoned[[]reckon.Target]{}}
}

// ready says whether the decisions have been read, so that the next answer is
// quick.
func (r *routed) ready() bool {
	return r.source == nil || r.loaded.Load()
}

// period judges the steps that finished at from or later.
func (r *routed) period(ctx context.Context, from time.Time, l reckon.Learning) (reckon.Period, error) {
	return reckonWith(ctx, r, r.periods, window{from.Unix(), l}, 0, func() reckon.Period { return reckon.OfPeriod(r.since(from), l) })
}

// targets asks other rules about the steps that finished at from or later. With
// many steps it takes longer and a few more change little: then an answer holds for
// a minute.
func (r *routed) targets(ctx context.Context, from time.Time) ([]reckon.Target, error) {
	return reckonWith(ctx, r, r.oneStep, window{from: from.Unix()}, targetsHold, func() []reckon.Target {
		var params router.Params
		if r.source != nil {
			params, _ = r.source.Routing()
		}
		return reckon.OneStep(r.since(from), params)
	})
}

// byRun lists what routing saved in each run.
func (r *routed) byRun(ctx context.Context, from time.Time) ([]reckon.RunSavings, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refresh(ctx); err != nil {
		return nil, err
	}
	return reckon.ByRun(r.since(from)), nil
}

func reckonWith[T any](ctx context.Context, r *routed, kept map[window]reckoned[T], w window, hold time.Duration, work func() T) (T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.refresh(ctx); err != nil {
		var none T
		return none, err
	}
	k, ok := kept[w]
	if age := r.now().Sub(k.at); ok && (k.version == r.version || len(r.steps) > manySteps && age >= 0 && age < hold) {
		return k.made, nil
	}
	if len(kept) >= resultsKept { // windows of days gone by
		clear(kept)
	}
	k = reckoned[T]{r.version, r.now(), work()}
	kept[w] = k
	return k.made, nil
}

// since is the part of the steps that finished at from or later. They are in the
// order in which they finished.
func (r *routed) since(from time.Time) []research.RoutedStep {
	i := slices.IndexFunc(r.steps, func(s research.RoutedStep) bool { return !finishedAt(s).Before(from) })
	if i < 0 {
		return nil
	}
	return r.steps[i:]
}

func finishedAt(s research.RoutedStep) time.Time {
	if s.Step.FinishedAt == nil {
		return time.Time{}
	}
	return *s.Step.FinishedAt
}

// refresh reads what is new.
func (r *routed) refresh(ctx context.Context) error {
	if r.source == nil {
		return nil
	}
	now := r.now()
	if r.read.IsZero() || now.Sub(r.read) > routedAgain || len(r.steps) == 0 {
		steps, err := r.source.RoutedSteps(ctx, time.Time{}, reckon.MaxSteps)
		if err != nil {
			return err
		}
		r.steps, r.read = steps, now
		r.loaded.Store(true)
		r.version++
		return nil
	}
	last := finishedAt(r.steps[len(r.steps)-1]).Add(-routedOverlap)
	more, err := r.source.RoutedSteps(ctx, last, reckon.MaxSteps)
	if err != nil {
		return err
	}
	r.add(more)
	return nil
}

// add puts steps where they belong in time; those that are known are left out.
func (r *routed) add(more []research.RoutedStep) {
	type place struct {
		run   string
		index int
	}
	known := map[place]bool{}
	for i := len(r.steps) - 1; i >= 0 && len(more) > 0 && !finishedAt(r.steps[i]).Before(finishedAt(more[0])); i-- {
		known[place{r.steps[i].RunID, r.steps[i].Step.Index}] = true
	}
	added := false
	for _, s := range more {
		if !known[place{s.RunID, s.Step.Index}] {
			r.steps, added = append(r.steps, s), true
		}
	}
	if !added {
		return
	}
	slices.SortStableFunc(r.steps, func(a, b research.RoutedStep) int { return finishedAt(a).Compare(finishedAt(b)) })
	if n := len(r.steps) - reckon.MaxSteps; n > 0 {
		r.steps = slices.Clone(r.steps[n:])
	}
	r.version++
}

// forget drops the steps of a run that was deleted here.
func (r *routed) forget(runID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.steps = slices.DeleteFunc(slices.Clone(r.steps), func(s research.RoutedStep) bool { return s.RunID == runID })
	r.version++
}
