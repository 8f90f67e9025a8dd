package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

// start runs a worker until the test ends and returns it.
func (b bundle) start(t testing.TB, c QueueConfig, work Work) *Queue {
	t.Helper()
	q, err := NewQueue(b.s, c, work)
	must(t, err)
	must(t, q.Start(context.WithoutCancel(t.Context())))
	t.Cleanup(func() { q.halt(t) })
	return q
}

func (q *Queue) halt(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	must(t, q.Stop(ctx))
}

// await waits for a condition that events announce.
func (b bundle) await(t testing.TB, id string, what string, ok func(research.Run) bool) research.Run {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	poke, end := b.s.Subscribe(id)
	defer end()
	for {
		run, err := b.s.Run(ctx, id)
		must(t, err)
		if ok(run) {
			return run
		}
		select {
		case <-poke:
		case <-ctx.Done():
			t.Fatalf("run %s is %s, still not %s", id, run.Status, what)
		}
	}
}

func (b bundle) awaitStatus(t testing.TB, id string, s research.Status) research.Run {
	t.Helper()
	return b.await(t, id, string(s), func(r research.Run) bool { return r.Status == s })
}

// complete is a worker that ends runs at once.
func (b bundle) complete(ctx context.Context, id string) error {
	return errors.Join(b.s.StartRun(ctx, id), b.s.FinishRun(ctx, id, research.Complete, "Done.", 1, FinishOptions{}))
}

// hang is a worker that holds a run until its context ends, as the
// orchestrator does: it leaves the run open.
func (b bundle) hang(began chan<- string) Work {
	return func(ctx context.Context, id string) error {
		if err := b.s.StartRun(ctx, id); err != nil {
			return err
		}
		began <- id
		<-ctx.Done()
		return ctx.Err()
	}
}

func TestQueueWorks(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		var ids []string
		for range 5 {
			ids = append(ids, b.create(t))
		}
		runs, _, err := b.s.ListRuns(t.Context(), research.RunFilter{})
		must(t, err)
		for _, r := range runs {
			if want := slices.Index(ids, r.ID) + 1; r.QueuePosition != want {
				t.Errorf("run %s waits at %d, want %d", r.ID, r.QueuePosition, want)
			}
		}
		b.start(t, QueueConfig{Workers: 2, ID: "w"}, b.complete)
		for _, id := range append(ids, b.create(t)) {
			b.awaitStatus(t, id, research.Complete)
		}
	})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		waiting := b.create(t)
		must(t, b.s.RequestCancel(ctx, waiting))
		b.awaitStatus(t, waiting, research.Cancelled)
		wantCode(t, b.s.RequestCancel(ctx, waiting), research.EConflict)
		wantCode(t, b.s.Resume(ctx, waiting), research.EConflict)

		began := make(chan string, 1)
		b.start(t, QueueConfig{ID: "w"}, b.hang(began))
		id := b.create(t)
		<-began
		// As another process would.
		must(t, b.again(t).RequestCancel(ctx, id))
		run := b.awaitStatus(t, id, research.Cancelled)
		if run.StopCode != "cancelled" || run.FinishedAt == nil {
			t.Errorf("cancelled run: %+v", run)
		}
	})
}

func TestPauseAndResume(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		waiting := b.create(t)
		must(t, b.s.RequestPause(ctx, waiting))
		b.awaitStatus(t, waiting, research.Paused)
		wantCode(t, b.s.RequestPause(ctx, waiting), research.EConflict)

		var visits atomic.Int32
		b.start(t, QueueConfig{ID: "w"}, func(ctx context.Context, id string) error {
			visits.Add(1)
			if err := b.s.StartRun(ctx, id); err != nil {
				return err
			}
			run, err := b.s.Run(ctx, id)
			if err != nil {
				return err
			}
			if run.ActiveSeconds == 0 {
				return b.s.SetPaused(ctx, id, 1)
			}
			return b.s.FinishRun(ctx, id, research.Partial, "Budget.", 2, FinishOptions{})
		})
		must(t, b.s.Resume(ctx, waiting))
		b.await(t, waiting, "paused by its worker", func(r research.Run) bool { return r.Status == research.Paused && r.ActiveSeconds == 1 })
		must(t, b.s.Resume(ctx, waiting))
		b.awaitStatus(t, waiting, research.Partial)

		wantCode(t, b.s.RaiseBudget(ctx, waiting, research.Budget{Joules: research.Known(1)}), research.EInvalid)
		must(t, b.s.RaiseBudget(ctx, waiting, research.Budget{Joules: research.Known(9_000_000_000)}))
		must(t, b.s.Resume(ctx, waiting))
		run := b.await(t, waiting, "finished again", func(r research.Run) bool { return r.Status == research.Partial && visits.Load() == 3 })
		if *run.Budget.Joules != 9_000_000_000 || *run.Given.Joules != 9_000_000_000 {
			t.Errorf("budget %v, given %v", run.Budget.Joules, run.Given.Joules)
		}
	})
}

// Failing runs are tried three times, a panic counts as a failure, and the
// worker goes on with others.
func TestFailures(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		var mu sync.Mutex
		tries := map[string]int{}
		b.start(t, QueueConfig{Workers: 3, ID: "w"}, func(ctx context.Context, id string) error {
			mu.Lock()
			tries[id]++
			n := tries[id]
			mu.Unlock()
			run, err := b.s.Run(ctx, id)
			if err != nil {
				return err
			}
			switch run.Seed {
			case 1:
				panic("oops")
			case 2:
				return nil // without having ended the run
			case 3:
				if n == 1 {
					return errors.New("once")
				}
			}
			return b.complete(ctx, id)
		})
		want := map[int64]research.Status{1: research.Failed, 2: research.Failed, 3: research.Complete, 4: research.Complete}
		ids := map[int64]string{}
		for seed := range want {
			r := sampleRequest()
			r.Seed = seed
			id, err := b.s.CreateRun(t.Context(), r, research.Budget{})
			must(t, err)
			ids[seed] = id
		}
		for seed, status := range want {
			run := b.awaitStatus(t, ids[seed], status)
			if status == research.Failed && (run.StopCode != "internal" || run.StopReason == "") {
				t.Errorf("failed run without a reason: %+v", run)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if tries[ids[1]] != 3 || tries[ids[2]] != 3 || tries[ids[3]] != 2 {
			t.Errorf("tries %v of %v", tries, ids)
		}
	})
}

// A stop gives the run back without using up an attempt, however often.
func TestStopGivesBack(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		id := b.create(t)
		for range attempts + 2 {
			began := make(chan string, 1)
			q, err := NewQueue(b.s, QueueConfig{ID: "w", SoftStop: time.Millisecond}, b.hang(began))
			must(t, err)
			must(t, q.Start(context.WithoutCancel(t.Context())))
			<-began
			q.halt(t)
			run, err := b.s.Run(t.Context(), id)
			must(t, err)
			if run.Status != research.Running {
				t.Fatalf("run is %s after the stop", run.Status)
			}
		}
		b.start(t, QueueConfig{ID: "w"}, b.complete)
		b.awaitStatus(t, id, research.Complete)
	})
}

// The dead leave jobs in state running and a leader row behind.
func (b bundle) abandon(t testing.TB, id, worker string) {
	t.Helper()
	must(t, b.s.StartRun(t.Context(), id))
	by, when := `jsonb('["`+worker+`"]')`, "datetime('now')"
	leader := "INSERT INTO river_leader (leader_id, elected_at, expires_at, name) VALUES (?, datetime('now'), datetime('now', '+1 hour'), 'default') ON CONFLICT DO NOTHING"
	if b.s.postgres() {
		by, when = "ARRAY['"+worker+"']", "now()"
		leader = "INSERT INTO river_leader (leader_id, elected_at, expires_at) VALUES (?, now(), now() + interval '1 hour') ON CONFLICT DO NOTHING"
	}
	must(t, b.s.db.Exec(`UPDATE river_job SET state = 'running', attempt = attempt + 1, attempted_at = `+when+`,
		attempted_by = `+by+` WHERE id = (SELECT job_id FROM runs WHERE id = ?)`, id).Error)
	must(t, b.s.db.Exec(leader, worker).Error)
}

func TestSweepAfterCrash(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		id, doomed := b.create(t), b.create(t)
		b.abandon(t, id, "w")
		b.abandon(t, doomed, "w")
		must(t, b.s.RequestCancel(t.Context(), doomed)) // nobody is there to hear it
		began := time.Now()
		b.start(t, QueueConfig{ID: "w"}, b.complete)
		b.awaitStatus(t, id, research.Complete)
		b.awaitStatus(t, doomed, research.Cancelled)
		t.Logf("went on after %v", time.Since(began))
	})
}

func TestCrashLoopEnds(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		id := b.create(t)
		for i := range maxCrashes {
			run, err := b.s.Run(ctx, id)
			must(t, err)
			if run.Status.Final() {
				t.Fatalf("given up after %d crashes", i)
			}
			b.abandon(t, id, "w")
			must(t, b.s.sweep(ctx, "w"))
			if i == 1 { // a finished step starts the count again
				must(t, b.s.FinishStep(ctx, id, finished(b.begin(t, id, 0), 1), research.Result{}, 1))
				b.abandon(t, id, "w")
				must(t, b.s.sweep(ctx, "w"))
			}
		}
		run, err := b.s.Run(ctx, id)
		must(t, err)
		if run.Status == research.Failed {
			t.Fatal("given up although a step was finished in between")
		}
		b.abandon(t, id, "w")
		must(t, b.s.sweep(ctx, "w"))
		b.awaitStatus(t, id, research.Failed)
	})
}

// An open run without a live job is found at the start.
func TestLostJobsComeBack(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		id := b.create(t)
		must(t, b.s.db.Exec("DELETE FROM river_job").Error)
		bench, err := b.s.CreateRunWithoutJob(t.Context(), sampleRequest(), research.Budget{}, "bench")
		must(t, err)
		b.start(t, QueueConfig{ID: "w"}, b.complete)
		b.awaitStatus(t, id, research.Complete)
		run, err := b.s.Run(t.Context(), bench)
		must(t, err)
		if run.Status != research.Queued {
			t.Errorf("a worker took a run without a job: %s", run.Status)
		}
	})
}

func TestSecondWorkerIsRefused(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		b.start(t, QueueConfig{ID: "w"}, b.complete)
		other := b.again(t)
		q, err := NewQueue(other, QueueConfig{ID: "w"}, b.complete)
		must(t, err)
		wantCode(t, q.Start(t.Context()), research.EConflict)
	})
}

// On Postgres the living take over from the dead within about a second.
func TestPeersTakeOver(t *testing.T) {
	t.Parallel()
	b := open(t, Config{DatabaseURL: newDatabase(t)})
	began := make(chan string, 1)
	alive := bundle{b.again(t), b.c}
	alive.start(t, QueueConfig{ID: "alive", Workers: 1}, b.hang(began))
	held := b.create(t)
	<-began
	id := b.create(t)
	b.abandon(t, id, "dead")
	b.start(t, QueueConfig{ID: "peer"}, b.complete)
	b.awaitStatus(t, id, research.Complete)
	if run, err := b.s.Run(t.Context(), held); err != nil || run.Status != research.Running {
		t.Errorf("the living worker's run is %s, %v", run.Status, err)
	}
	must(t, b.s.RequestCancel(t.Context(), held))
	b.awaitStatus(t, held, research.Cancelled)
}

func TestDeletedRunIsForgotten(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		keep, drop := b.create(t), b.create(t)
		for _, id := range []string{keep, drop} {
			must(t, b.s.StartRun(ctx, id))
			r := sampleResult()
			if id == drop {
				text := "only here"
				r.Sources = append(r.Sources, research.Source{ID: "s2", URL: "u", Text: text, SHA256: research.HashText(text), FetchedAt: sampleTime})
			}
			must(t, b.s.FinishStep(ctx, id, finished(b.begin(t, id, 0), 1), r, 1))
		}
		wantCode(t, b.s.DeleteRun(ctx, drop), research.EConflict)
		must(t, b.s.FinishRun(ctx, drop, research.Complete, "x", 1, FinishOptions{}))
		must(t, b.s.DeleteRun(ctx, drop))
		want := map[string]int64{"runs": 1, "run_products": 1, "river_job": 1, "snapshots": 1}
		for _, table := range []string{"steps", "queries", "hits", "sources", "discarded", "evidence"} {
			want[table] = 1
		}
		want["queries"] = int64(len(sampleResult().Queries))
		wantRows(t, b.s, want)
		var left int64
		must(t, b.s.db.Table("events").Where("run_id = ?", drop).Count(&left).Error)
		if left != 0 {
			t.Errorf("%d events left", left)
		}
		l, err := b.s.Ledger(ctx, keep)
		must(t, err)
		if research.HashText(l.Sources[0].Text) != l.Sources[0].SHA256 {
			t.Error("the other run lost its snapshot")
		}
		must(t, b.s.FinishRun(ctx, keep, research.Complete, "x", 1, FinishOptions{}))
		must(t, b.s.DeleteRun(ctx, keep))
		for table := range want {
			wantRows(t, b.s, map[string]int64{table: 0})
		}
	})
}
