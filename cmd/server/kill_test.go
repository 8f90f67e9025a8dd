package main

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the pgx driver of database/sql

	"github.com/progrouter/progrouter/orchestrator"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
	"github.com/progrouter/progrouter/store"
)

// The kill tests start this test binary again as a server that ends itself by
// SIGKILL at a chosen place, as a crash or the kernel's out-of-memory killer
// would, and then start it once more without the trap.
const (
	childEnv = "PROGROUTER_TEST_CHILD"
	trapEnv  = "PROGROUTER_TEST_TRAP" // begin:ROLE, work:ROLE, finish:ROLE, stored:ROLE, end, ended
	dataEnv  = "PROGROUTER_TEST_DATA"
	dbEnv    = "PROGROUTER_TEST_CHILD_DATABASE_URL"
)

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	cfg := testConfig(os.Getenv(dataEnv))
	cfg.DatabaseURL = os.Getenv(dbEnv)
	trap := os.Getenv(trapEnv)
	err := serve(ctx, cfg, slog.New(slog.NewTextHandler(os.Stderr, nil)), func(url string) { fmt.Println(url) }, hooks{
		store:  func(s orchestrator.Store) orchestrator.Store { return trapStore{s, trap} },
		agents: func(a orchestrator.Agents) orchestrator.Agents { return trapAgents{a, trap} },
	})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// testConfig is a configuration without network on a free port.
func testConfig(dir string) Config {
	return Config{
		Addr: "127.0.0.1:0", Data: dir, Workers: 2, CPUWatts: 10, CPUWattsLow: 5, CPUWattsHi: 20, Region: "world",
		Allowance: defaultAllowance, Value: router.DefaultParams().V, UploadMB: 5, LogLevel: "warn", LogFormat: "text",
	}
}

func die(here, trap string) {
	if here != trap {
		return
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // the signal is on its way
}

type trapStore struct {
	orchestrator.Store
	trap string
}

func (s trapStore) BeginStep(ctx context.Context, id string, st research.Step) error {
	err := s.Store.BeginStep(ctx, id, st)
	die("begin:"+string(st.Role), s.trap)
	return err
}

func (s trapStore) FinishStep(ctx context.Context, id string, st research.Step, r research.Result, active float64) error {
	if st.Outcome == research.OutcomeOK {
		die("finish:"+string(st.Role), s.trap)
	}
	err := s.Store.FinishStep(ctx, id, st, r, active)
	if st.Outcome == research.OutcomeOK {
		die("stored:"+string(st.Role), s.trap)
	}
	return err
}

func (s trapStore) FinishRun(ctx context.Context, id string, e orchestrator.Ending, active float64) error {
	die("end", s.trap)
	err := s.Store.FinishRun(ctx, id, e, active)
	die("ended", s.trap)
	return err
}

type trapAgents struct {
	orchestrator.Agents
	trap string
}

func (a trapAgents) Do(ctx context.Context, t research.Task) (research.Result, error) {
	r, err := a.Agents.Do(ctx, t)
	die("work:"+string(t.Role), a.trap)
	return r, err
}

// child is the server in a process of its own.
type child struct {
	cmd   *exec.Cmd
	log   *strings.Builder
	ready <-chan string // the address, once it serves
}

func startChild(t *testing.T, dir, db, trap string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=1", trapEnv+"="+trap, dataEnv+"="+dir, dbEnv+"="+db)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	ready := make(chan string, 1)
	c := &child{cmd: cmd, log: &strings.Builder{}, ready: ready}
	cmd.Stderr = c.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(ready)
		if line := bufio.NewScanner(out); line.Scan() {
			ready <- line.Text()
		}
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return c
}

// killed waits for the child's end and checks that it was the trap.
func (c *child) killed(t *testing.T) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- c.cmd.Wait() }()
	select {
	case <-done:
		ws, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
		if !ok || ws.Signal() != syscall.SIGKILL {
			t.Fatalf("the child ended by itself: %v\n%s", c.cmd.ProcessState, c.log)
		}
	case <-time.After(2 * time.Minute):
		t.Fatalf("the trap never sprang\n%s", c.log)
	}
}

func (c *child) stop(t *testing.T) {
	t.Helper()
	<-c.ready // from here on it handles the signal
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("stop: %v\n%s", err, c.log)
	}
}

// waitFinal polls the database of a running child until the run has ended.
func waitFinal(t *testing.T, s *store.Store, id string) *research.Ledger {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for time.Now().Before(deadline) {
		l, err := s.Ledger(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if l.Run.Status.Final() {
			return l
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the run did not end")
	return nil
}

func openStore(t *testing.T, dir, db string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{DataDir: dir, DatabaseURL: db})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func traps() []string {
	var out []string
	for _, r := range research.Roles() {
		for _, at := range []string{"begin:", "work:", "finish:", "stored:"} {
			out = append(out, at+string(r))
		}
	}
	return append(out, "end", "ended")
}

func TestKillAtEveryStepBoundary(t *testing.T) {
	t.Parallel()
	for _, trap := range traps() {
		t.Run(trap, func(t *testing.T) {
			killAndResume(t, t.TempDir(), "", trap)
		})
	}
}

func TestKillOnPostgres(t *testing.T) {
	t.Parallel()
	base := os.Getenv("PROGROUTER_TEST_DATABASE_URL")
	if base == "" {
		t.Skip("PROGROUTER_TEST_DATABASE_URL is not set; make test sets it")
	}
	for _, trap := range []string{"begin:reader", "work:reader", "finish:writer", "stored:reviewer", "end"} {
		t.Run(trap, func(t *testing.T) {
			killAndResume(t, t.TempDir(), freshDatabase(t, base), trap)
		})
	}
}

// freshDatabase makes an empty database beside the one of the URL.
func freshDatabase(t *testing.T, base string) string {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", base)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	name := "kill_" + strconv.FormatInt(time.Now().UnixNano(), 36)
	if _, err := db.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

func killAndResume(t *testing.T, dir, db, trap string) {
	t.Helper()
	s := openStore(t, dir, db)
	req := handbookQuestion()
	id, err := s.CreateRun(t.Context(), req, req.EffectiveBudget(false))
	if err != nil {
		t.Fatal(err)
	}
	startChild(t, dir, db, trap).killed(t)
	before, err := s.Ledger(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	again := startChild(t, dir, db, "")
	after := waitFinal(t, s, id)
	again.stop(t)
	checkContinued(t, trap, before, after)
}

func handbookQuestion() research.Request {
	return research.Request{
		Question: "How does ProgRouter keep a run within its budget?", Language: "en", Depth: research.Quick,
		Policy: research.FixedSmall, Library: true, Collections: []string{handbookCollection}, Seed: 1,
	}
}

// checkContinued proves that nothing that was finished was lost or redone.
func checkContinued(t *testing.T, trap string, before, after *research.Ledger) {
	t.Helper()
	if after.Run.Status != research.Complete {
		t.Errorf("status %s: %s", after.Run.Status, after.Run.StopReason)
	}
	inFlight := 0
	for i, old := range before.Steps {
		now := after.Steps[i]
		if old.Outcome == research.InFlight {
			inFlight++
			if now.Outcome != research.OutcomeInterrupted || research.OrZero(now.Energy.Joules) != research.OrZero(old.Reserved.Joules) {
				t.Errorf("step %d in flight became %s, charged %v of %v", i, now.Outcome, now.Energy.Joules, old.Reserved.Joules)
			}
			continue
		}
		if now.Outcome != old.Outcome || !now.StartedAt.Equal(old.StartedAt) {
			t.Errorf("finished step %d changed: %s at %v, was %s at %v", i, now.Outcome, now.StartedAt, old.Outcome, old.StartedAt)
		}
	}
	if want := strings.HasPrefix(trap, "begin:") || strings.HasPrefix(trap, "work:") || strings.HasPrefix(trap, "finish:"); want != (inFlight == 1) {
		t.Errorf("%d steps were in flight at %s", inFlight, trap)
	}
	for i, e := range before.Evidence {
		if i >= len(after.Evidence) || after.Evidence[i].ID != e.ID || after.Evidence[i].Quote != e.Quote {
			t.Fatalf("evidence %s was lost", e.ID)
		}
	}
	checkQuotes(t, after)
}

// checkQuotes finds every quote at its offsets in the stored snapshot.
func checkQuotes(t *testing.T, l *research.Ledger) {
	t.Helper()
	for _, e := range l.Evidence {
		src, ok := l.SourceByID(e.SourceID)
		if !ok {
			t.Errorf("evidence %s has no source", e.ID)
			continue
		}
		if got, ok := research.Slice(src.Text, e.Start, e.End); !ok || got != e.Quote {
			t.Errorf("evidence %s is not at its place: %q, want %q", e.ID, got, e.Quote)
		}
		if research.HashText(src.Text) != src.SHA256 {
			t.Errorf("source %s: hash does not fit the text", src.ID)
		}
	}
}
