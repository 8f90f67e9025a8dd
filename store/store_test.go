package store

import (
	"sync"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

func TestRunLifecycle(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		id := b.create(t)
		if pos, err := b.s.QueuePosition(ctx, id); err != nil || pos != 1 {
			t.Fatalf("queue position %d, %v; want 1", pos, err)
		}
		must(t, b.s.StartRun(ctx, id))
		step := b.begin(t, id, 0)
		must(t, b.s.FinishStep(ctx, id, finished(step, 2_500_000), sampleResult(), 1.5))
		must(t, b.s.FinishRun(ctx, id, research.Complete, "Done.", 2.25, FinishOptions{Allowance: 1_000_000, Code: "complete"}))

		l, err := b.s.Ledger(ctx, id)
		must(t, err)
		if l.Run.Status != research.Complete || l.Run.StopReason != "Done." || l.Run.StopCode != "complete" {
			t.Errorf("run ended as %q %q %q", l.Run.Status, l.Run.StopReason, l.Run.StopCode)
		}
		if got := l.Totals(); got.Joules != 2_500_000 || got.Seconds != 2.25 {
			t.Errorf("totals %+v", got)
		}
		runs, total, err := b.s.ListRuns(ctx, research.RunFilter{})
		must(t, err)
		if total != 1 || runs[0].Totals != l.Totals() || runs[0].Steps != 1 || runs[0].Sources != 1 || runs[0].Claims != 1 {
			t.Errorf("list says %+v of %d, ledger %+v", runs[0], total, l.Totals())
		}
		state, err := b.s.RouterState(ctx, DefaultRouterKey)
		must(t, err)
		if state.Queue != 1_500_000 || state.Runs != 1 {
			t.Errorf("router state %+v", state)
		}
	})
}

func TestLedgerRoundTrip(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		id := b.create(t)
		must(t, b.s.StartRun(ctx, id))
		want := &research.Ledger{}
		run, err := b.s.Run(ctx, id)
		must(t, err)
		want.Run = run
		step := finished(b.begin(t, id, 0), 2_500_000)
		result := sampleResult()
		must(t, b.s.FinishStep(ctx, id, step, result, 1.5))
		want.Apply(step, result)
		want.Run.ActiveSeconds = 1.5
		open := b.begin(t, id, 1)
		want.Apply(open, research.Result{})

		got, err := b.s.Ledger(ctx, id)
		must(t, err)
		same(t, got, want)
	})
}

func TestMissingRun(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		_, err := b.s.Ledger(ctx, "nope")
		wantCode(t, err, research.ENotFound)
		_, err = b.s.Run(ctx, "nope")
		wantCode(t, err, research.ENotFound)
		for name, call := range map[string]error{
			"StartRun": b.s.StartRun(ctx, "nope"), "RequestCancel": b.s.RequestCancel(ctx, "nope"),
			"RequestPause": b.s.RequestPause(ctx, "nope"), "Resume": b.s.Resume(ctx, "nope"),
			"DeleteRun": b.s.DeleteRun(ctx, "nope"), "AddNotice": b.s.AddNotice(ctx, "nope", research.Note{Text: "x"}),
			"SetPaused": b.s.SetPaused(ctx, "nope", 0), "RaiseBudget": b.s.RaiseBudget(ctx, "nope", research.Budget{}),
			"BeginStep": b.s.BeginStep(ctx, "nope", research.Step{}),
		} {
			if research.CodeOf(call) != research.ENotFound {
				t.Errorf("%s: %v, want not found", name, call)
			}
		}
		if pos, err := b.s.QueuePosition(ctx, "nope"); pos != 0 || err != nil {
			t.Errorf("queue position %d, %v", pos, err)
		}
	})
}

func TestStepGuards(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		id := b.create(t)
		wantCode(t, b.s.BeginStep(ctx, id, sampleStep(0)), research.EConflict) // not started
		must(t, b.s.StartRun(ctx, id))
		step := b.begin(t, id, 0)
		wantCode(t, b.s.BeginStep(ctx, id, step), research.EConflict)
		done := finished(step, 1)
		must(t, b.s.FinishStep(ctx, id, done, sampleResult(), 1))
		wantCode(t, b.s.FinishStep(ctx, id, done, sampleResult(), 1), research.EConflict)
		wantCode(t, b.s.FinishStep(ctx, id, finished(sampleStep(7), 1), research.Result{}, 1), research.EConflict)

		broken := sampleResult()
		broken.Sources[0].Text += " changed"
		b.begin(t, id, 1)
		if err := b.s.FinishStep(ctx, id, finished(sampleStep(1), 1), broken, 1); err == nil {
			t.Error("a snapshot that does not match its hash was stored")
		}
		l, err := b.s.Ledger(ctx, id)
		must(t, err)
		if len(l.Sources) != 1 || len(l.Evidence) != 1 || l.Totals().Joules != 1 {
			t.Errorf("refused writes left something: %d sources, %d quotes, %v J", len(l.Sources), len(l.Evidence), l.Totals().Joules)
		}
	})
}

func TestEndCharges(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		o := FinishOptions{Allowance: 10, RouterKey: "k"}
		queue := func(want research.Micro, runs int64) {
			t.Helper()
			st, err := b.s.RouterState(ctx, "k")
			must(t, err)
			if st.Queue != want || st.Runs != runs {
				t.Fatalf("queue %d after %d runs, want %d after %d", st.Queue, st.Runs, want, runs)
			}
		}
		spend := func(id string, step int, j research.Micro) {
			t.Helper()
			must(t, b.s.StartRun(ctx, id))
			must(t, b.s.FinishStep(ctx, id, finished(b.begin(t, id, step), j), research.Result{}, 1))
			must(t, b.s.FinishRun(ctx, id, research.Partial, "x", 1, o))
		}
		first := b.create(t)
		spend(first, 0, 25)
		queue(15, 1)
		wantCode(t, b.s.FinishRun(ctx, first, research.Partial, "x", 1, o), research.EConflict)
		queue(15, 1)
		cheap := b.create(t)
		spend(cheap, 0, 3)
		queue(8, 2)
		must(t, b.s.Resume(ctx, first)) // its allowance is used: only the rest counts
		spend(first, 1, 5)
		queue(13, 2)
		never := b.create(t)
		must(t, b.s.RequestCancel(ctx, never))
		queue(13, 2)
	})
}

// Runs that end at once in two processes, each told twice, are charged once each:
// no end is lost and none counts double.
func TestEndsAtOnceChargeOnceEach(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx, other := t.Context(), b.again(t)
		o := FinishOptions{Allowance: 10, RouterKey: "k"}
		const runs = 8
		want := research.Micro(0)
		var ends sync.WaitGroup
		errs := make(chan error, 4*runs)
		start := make(chan struct{})
		for i := range runs {
			id, j := b.create(t), research.Micro(15+i) // above the allowance, so that the order does not matter
			want += j - o.Allowance
			must(t, b.s.StartRun(ctx, id))
			must(t, b.s.FinishStep(ctx, id, finished(b.begin(t, id, 0), j), research.Result{}, 1))
			for _, s := range []*Store{b.s, other, b.s, other} {
				ends.Go(func() {
					<-start
					errs <- s.FinishRun(ctx, id, research.Partial, "x", 1, o)
				})
			}
		}
		close(start)
		ends.Wait()
		close(errs)
		done := 0
		for err := range errs {
			if err == nil {
				done++
				continue
			}
			wantCode(t, err, research.EConflict)
		}
		st, err := b.s.RouterState(ctx, "k")
		must(t, err)
		if done != runs || st.Runs != runs || st.Queue != want {
			t.Errorf("%d ends succeeded, %d runs, queue %d, want %d", done, st.Runs, st.Queue, want)
		}
	})
}

func TestSinceReadsOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		id := b.create(t)
		must(t, b.s.StartRun(ctx, id))
		for i := range 3 {
			must(t, b.s.FinishStep(ctx, id, b.begin(t, id, i).Interrupted(time.Now()), research.Result{}, 1))
		}
		b.begin(t, id, 3) // in flight
		for from, want := range []int{3, 2, 1, 0, 0} {
			run, steps, err := b.s.Since(ctx, id, from)
			must(t, err)
			if len(steps) != want || run.Status != research.Running || want > 0 && steps[0].Index != from {
				t.Errorf("since %d: %d steps, %s", from, len(steps), run.Status)
			}
		}
		_, _, err := b.s.Since(ctx, "nosuchrun", 0)
		wantCode(t, err, research.ENotFound)
	})
}

// An interrupted step is charged its reserve, and no end leaves a step open.
func TestOpenStepsAreClosed(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		id := b.create(t)
		must(t, b.s.StartRun(ctx, id))
		must(t, b.s.FinishStep(ctx, id, b.begin(t, id, 0).Interrupted(time.Now()), research.Result{}, 1))
		b.begin(t, id, 1)
		must(t, b.s.FinishRun(ctx, id, research.Failed, "x", 1, FinishOptions{}))
		l, err := b.s.Ledger(ctx, id)
		must(t, err)
		for _, s := range l.Steps {
			if s.Outcome != research.OutcomeInterrupted || *s.Energy.Joules != *s.Reserved.Joules || s.FinishedAt == nil {
				t.Errorf("step %d: %q, %v of %v", s.Index, s.Outcome, s.Energy.Joules, s.Reserved.Joules)
			}
		}
		stats, err := b.s.GainStats(ctx, DefaultRouterKey)
		must(t, err)
		if len(stats) != 0 {
			t.Errorf("interrupted steps taught the router: %+v", stats)
		}
	})
}

func TestIDsSort(t *testing.T) {
	t.Parallel()
	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	last := ""
	for i := range 200 {
		id, err := newID(base.Add(time.Duration(i) * time.Millisecond))
		must(t, err)
		if id <= last || len(id) != 16 {
			t.Fatalf("%q after %q", id, last)
		}
		last = id
	}
}
