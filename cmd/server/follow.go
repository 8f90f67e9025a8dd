package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/progrouter/progrouter/research"
)

// workOn takes the run to its end, here or in the process that has the data
// folder, and says what happens meanwhile. When that process goes away, the work
// is taken over.
func (a *app) workOn(ctx context.Context, id string, stderr io.Writer) (*research.Ledger, error) {
	var stop func()
	defer func() {
		if stop != nil {
			stop()
		}
	}()
	said := false
	take := func() error {
		if stop != nil {
			return nil
		}
		s, err := a.startQueue(ctx, true)
		switch {
		case err == nil:
			stop = s
		case research.CodeOf(err) != research.EConflict:
			return err
		case !said:
			said = true
			fmt.Fprintln(stderr, "A running server has this data folder and does the work.")
		}
		return nil
	}
	l, err := a.follow(ctx, id, stderr, take)
	if stop != nil { // the work was ours, and so is learning from it
		learning, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
		defer cancel()
		if lerr := a.learner.learn(learning, routerKey); lerr != nil {
			warn(ctx, a.log, "learning failed", lerr)
		}
	}
	return l, err
}

// follow waits for the end of a run and prints its steps as they finish; take is
// called once and then about every second. A first interrupt cancels the run. Only
// what is new is read, and only when the store says that there is something.
func (a *app) follow(ctx context.Context, id string, stderr io.Writer, take func() error) (*research.Ledger, error) {
	wake, cancel := a.store.Subscribe(id)
	defer cancel()
	quiet := context.WithoutCancel(ctx)
	interrupted := ctx.Done()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	if err := take(); err != nil {
		return nil, err
	}
	for shown := 0; ; {
		run, steps, err := a.store.Since(quiet, id, shown)
		if err != nil {
			return nil, fmt.Errorf("read run: %w", err)
		}
		shown += report(stderr, steps)
		if run.Status.Final() {
			fmt.Fprintf(stderr, "%s: %s\n", run.Status, run.StopReason)
			return a.store.Ledger(quiet, id)
		}
		if err := a.await(quiet, id, stderr, wake, tick.C, &interrupted, take); err != nil {
			return nil, err
		}
	}
}

// await returns when something about the run may have changed.
func (a *app) await(ctx context.Context, id string, stderr io.Writer, wake <-chan struct{}, tick <-chan time.Time, interrupted *<-chan struct{}, take func() error) error {
	for {
		select {
		case _, open := <-wake:
			if !open {
				return errors.New("the store was closed while a run was followed")
			}
			return nil
		case <-tick:
			if err := take(); err != nil {
				return err
			}
		case <-*interrupted:
			*interrupted = nil
			fmt.Fprintln(stderr, "cancelling …")
			if err := a.store.RequestCancel(ctx, id); err != nil && research.CodeOf(err) != research.EConflict {
				return fmt.Errorf("cancel run: %w", err)
			}
			return nil
		}
	}
}

// report prints finished steps and returns how many there were.
func report(w io.Writer, steps []research.Step) int {
	for _, s := range steps {
		joules := "unknown"
		if s.Energy.Joules != nil {
			joules = fmt.Sprintf("%.2f J", s.Energy.Joules.Units())
		}
		fmt.Fprintf(w, "%2d  %-8s %-16s %-11s %10s %7.2f s  g %.2f  %s\n", s.Index+1, s.Role, s.Model, s.Outcome, joules, s.Seconds, s.ProgressAfter, s.Note)
	}
	return len(steps)
}
