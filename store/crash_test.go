package store

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

// childEnv makes the test binary a worker that begins a step and hangs in it.
const childEnv = "PROGROUTER_STORE_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) == "" {
		// A check of the sums is dozens of transactions; a few dozen do.
		if err := flag.Set("rapid.checks", "30"); err != nil {
			panic(err)
		}
		os.Exit(m.Run())
	}
	if err := child(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(ctx context.Context) error {
	s, err := Open(ctx, Config{DataDir: os.Getenv("CHILD_DIR"), DatabaseURL: os.Getenv("CHILD_URL")})
	if err != nil {
		return err
	}
	q, err := NewQueue(s, QueueConfig{ID: os.Getenv("CHILD_ID")}, func(ctx context.Context, id string) error {
		if err := s.StartRun(ctx, id); err != nil {
			return err
		}
		l, err := s.Ledger(ctx, id)
		if err != nil {
			return err
		}
		if err := s.BeginStep(ctx, id, sampleStep(len(l.Steps))); err != nil {
			return err
		}
		fmt.Println("step", id)
		select {}
	})
	if err != nil {
		return err
	}
	if err := q.Start(ctx); err != nil {
		return err
	}
	select {}
}

// killInStep starts a child worker and kills it once it has a step in flight.
func (b bundle) killInStep(t *testing.T, worker string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=1", "CHILD_DIR="+b.c.DataDir, "CHILD_URL="+b.c.DatabaseURL, "CHILD_ID="+worker)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if !bufio.NewScanner(out).Scan() {
		t.Fatal("the child ended before its step")
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
}

// After kill -9 the run goes on from its ledger, in the same process's next
// life or, on Postgres, in another worker. Nothing stored is lost.
func TestKilledWorker(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		id := b.create(t)
		b.killInStep(t, "w")
		b.killInStep(t, "w")
		began := time.Now()
		next := "w"
		if b.s.postgres() {
			next = "another"
		}
		b.start(t, QueueConfig{ID: next}, func(ctx context.Context, id string) error {
			t.Logf("taken up after %v", time.Since(began))
			return b.complete(ctx, id)
		})
		b.awaitStatus(t, id, research.Complete)
		l, err := b.s.Ledger(t.Context(), id)
		must(t, err)
		if len(l.Steps) != 2 || l.Steps[1].Outcome != research.OutcomeInterrupted {
			t.Errorf("steps %+v", l.Steps)
		}
		list, _, err := b.s.ListRuns(t.Context(), research.RunFilter{})
		must(t, err)
		if list[0].Totals != l.Totals() {
			t.Errorf("list %+v, ledger %+v", list[0].Totals, l.Totals())
		}
	})
}
