package orchestrator

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

func TestWorkTakesARunToItsEnd(t *testing.T) {
	t.Parallel()
	b := setup(t, 1000, 1000)
	if err := b.o.Work(t.Context(), "r1"); err != nil {
		t.Fatal(err)
	}
	l := &b.store.l
	if l.Run.Status != research.Complete {
		t.Fatalf("status %s: %s", l.Run.Status, l.Run.StopReason)
	}
	want := []research.Role{"planner", "searcher", "reader", "reader", "writer", "reviewer"}
	if len(l.Steps) != len(want) {
		t.Fatalf("%d steps, want %d", len(l.Steps), len(want))
	}
	for i, s := range l.Steps {
		if s.Role != want[i] || s.Outcome != research.OutcomeOK || s.Decision.Realised == nil {
			t.Errorf("step %d: %s %s %+v", i, s.Role, s.Outcome, s.Decision.Realised)
		}
		if s.Energy.Joules == nil || *s.Energy.Joules < 1_000_000 {
			t.Errorf("step %d: joules %v, want at least 1 J for 100 ms at 10 W", i, s.Energy.Joules)
		}
	}
	if l.Run.ActiveSeconds != 6 {
		t.Errorf("active %g s, want 6", l.Run.ActiveSeconds)
	}
}

func TestWorkResumesAfterACrashAtEveryWrite(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		for at := 1; ; at++ {
			b := setup(t, 1000, 1000)
			b.store.crashAt, b.store.after = at, after
			err := b.o.Work(t.Context(), "r1")
			if err == nil {
				break // past the last write
			}
			if !errors.Is(err, errCrash) {
				t.Fatal(err)
			}
			finished := finishedSteps(&b.store.l)
			b.store.crashAt = 0
			b.clock.advance(1)
			b.restart()
			if err := b.o.Work(t.Context(), "r1"); err != nil {
				t.Fatalf("crash at write %d (after %v): %v", at, after, err)
			}
			checkResumed(t, b, finished)
		}
	}
}

func checkResumed(t *testing.T, b *bench, finished int) {
	t.Helper()
	l := &b.store.l
	if l.Run.Status != research.Complete {
		t.Fatalf("status %s: %s", l.Run.Status, l.Run.StopReason)
	}
	if n := finishedSteps(l); n > 7 {
		t.Fatalf("%d steps: more than the one in flight was redone", n)
	}
	ok := map[string]int{}
	for _, s := range l.Steps {
		switch s.Outcome {
		case research.OutcomeOK:
			ok[workKey(s)]++
		case research.OutcomeInterrupted:
			if research.OrZero(s.Energy.Joules) != research.OrZero(s.Reserved.Joules) {
				t.Errorf("interrupted step charged %v, reserved %v", s.Energy.Joules, s.Reserved.Joules)
			}
		default:
			t.Errorf("step %d left %q", s.Index, s.Outcome)
		}
	}
	for k, n := range ok {
		if n > 1 {
			t.Errorf("%s was redone", k)
		}
	}
	if len(l.Evidence) != 2 || finished > 7 {
		t.Errorf("evidence %d, want 2", len(l.Evidence))
	}
}

func finishedSteps(l *research.Ledger) int {
	n := 0
	for _, s := range l.Steps {
		if s.Outcome != research.InFlight {
			n++
		}
	}
	return n
}

func TestCancelKeepsWhatWasFoundAndCharges(t *testing.T) {
	t.Parallel()
	b := setup(t, 1000, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	b.agents.hook = func(_ context.Context, task research.Task) error {
		if task.Role == research.Writer {
			b.store.l.Run.CancelRequested = true
			cancel()
		}
		return nil
	}
	if err := b.o.Work(ctx, "r1"); err != nil {
		t.Fatal(err)
	}
	l := &b.store.l
	last := l.Steps[len(l.Steps)-1]
	if l.Run.Status != research.Cancelled || last.Outcome != research.OutcomeCancelled || len(l.Evidence) != 2 {
		t.Fatalf("status %s, last %s, evidence %d", l.Run.Status, last.Outcome, len(l.Evidence))
	}
}

func TestStopFromOutsideIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, 1000, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	b.agents.hook = func(_ context.Context, task research.Task) error {
		if task.Role == research.Writer {
			cancel()
		}
		return nil
	}
	if err := b.o.Work(ctx, "r1"); !errors.Is(err, context.Canceled) {
		t.Fatalf("err = %v, want the context's", err)
	}
	if b.store.l.Run.Status.Final() {
		t.Fatalf("status %s", b.store.l.Run.Status)
	}
	b.agents.hook = nil
	if err := b.o.Work(t.Context(), "r1"); err != nil || b.store.l.Run.Status != research.Complete {
		t.Fatalf("err %v, status %s", err, b.store.l.Run.Status)
	}
}

func TestPauseStopsBetweenSteps(t *testing.T) {
	t.Parallel()
	b := setup(t, 1000, 1000)
	b.agents.hook = func(_ context.Context, task research.Task) error {
		b.store.l.Run.PauseRequested = task.Role == research.Searcher
		return nil
	}
	if err := b.o.Work(t.Context(), "r1"); err != nil || b.store.l.Run.Status != research.Paused {
		t.Fatalf("err %v, status %s", err, b.store.l.Run.Status)
	}
	if n := finishedSteps(&b.store.l); n != 2 {
		t.Fatalf("%d steps, want the two before the pause", n)
	}
	b.agents.hook = nil
	b.store.l.Run.Status, b.store.l.Run.PauseRequested = research.Queued, false
	if err := b.o.Work(t.Context(), "r1"); err != nil || b.store.l.Run.Status != research.Complete {
		t.Fatalf("err %v, status %s", err, b.store.l.Run.Status)
	}
}

func TestBudgetKeepsTheReserveForTheReport(t *testing.T) {
	t.Parallel()
	// 2 J worst per step: planner, searcher, reader, writer, reviewer need 10 J
	// at worst but 1 J each in fact; 8.5 J leave no room for a second reader.
	for joules := 6.0; joules < 12; joules += 0.5 {
		b := setup(t, joules, 1000)
		if err := b.o.Work(t.Context(), "r1"); err != nil {
			t.Fatal(err)
		}
		l := &b.store.l
		if got := l.Totals().Joules; got > research.ToMicro(joules) {
			t.Errorf("%g J: spent %s", joules, got)
		}
		if len(l.Evidence) > 0 && !l.Report.Reviewed {
			t.Errorf("%g J: evidence was found and no report was finished", joules)
		}
		if l.Run.Status == research.Complete && len(l.Evidence) < 2 {
			t.Errorf("%g J: complete with %d pieces of evidence", joules, len(l.Evidence))
		}
	}
}

func TestTimeBudgetCutsOff(t *testing.T) {
	t.Parallel()
	for secs := 5.0; secs < 12; secs++ {
		b := setup(t, 1000, secs)
		b.agents.secs = 2
		if err := b.o.Work(t.Context(), "r1"); err != nil {
			t.Fatal(err)
		}
		if got := b.store.l.Run.ActiveSeconds; got > secs {
			t.Errorf("%g s allowed, %g used", secs, got)
		}
	}
}

func TestAgentsErrorsBecomeOutcomes(t *testing.T) {
	t.Parallel()
	b := setup(t, 1000, 1000)
	b.agents.hook = func(context.Context, research.Task) error { return errors.New("secret detail") }
	if err := b.o.Work(t.Context(), "r1"); err != nil {
		t.Fatal(err)
	}
	l := &b.store.l
	if l.Run.Status != research.Failed || len(l.Steps) != maxFailures {
		t.Fatalf("status %s after %d steps", l.Run.Status, len(l.Steps))
	}
	for _, s := range l.Steps {
		if s.Outcome != research.OutcomeError || s.Note == "" || s.Note == "secret detail" {
			t.Errorf("outcome %s, note %q", s.Outcome, s.Note)
		}
	}
}

func TestFixedPolicyWithoutItsTierFails(t *testing.T) {
	t.Parallel()
	b := setup(t, 1000, 1000)
	b.store.l.Run.Policy = research.FixedLarge
	b.o.Router = noLarge{}
	if err := b.o.Work(t.Context(), "r1"); err != nil || b.store.l.Run.Status != research.Failed {
		t.Fatalf("err %v, status %s", err, b.store.l.Run.Status)
	}
	if b.store.l.Run.StopReason != "no Korean" {
		t.Errorf("reason %q", b.store.l.Run.StopReason)
	}
}

type noLarge struct{}

func (noLarge) Decide(context.Context, Question) research.Decision {
	return research.Decision{Reason: "no Korean", Candidates: []research.Candidate{{Model: "embedded/large", Tier: research.Large, WhyCode: "language"}}}
}

func TestDeadlineEndsAHangingStep(t *testing.T) {
	t.Parallel()
	b := setup(t, 1000, 1000)
	b.agents.worst.Seconds = 0.02
	b.agents.hook = func(ctx context.Context, task research.Task) error {
		if task.Role == research.Planner {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}
	done := make(chan error, 1)
	go func() { done <- b.o.Work(t.Context(), "r1") }()
	select {
	case err := <-done:
		if err != nil || b.store.l.Run.Status != research.Failed {
			t.Fatalf("err %v, status %s", err, b.store.l.Run.Status)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("a hanging step was never cut off")
	}
}
