package store

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

func (b bundle) routed(t testing.TB, key string, since time.Time, limit int) []research.RoutedStep {
	t.Helper()
	list, err := b.s.RoutedSteps(t.Context(), key, since, limit)
	must(t, err)
	return list
}

func TestRoutedSteps(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		if got := b.routed(t, "k", time.Time{}, 10); len(got) != 0 {
			t.Errorf("steps of nothing: %v", got)
		}
		var ids []string
		for i := range 2 {
			id := b.running(t, "k")
			ids = append(ids, id)
			for n := range 2 {
				s := taught(n, 0.1)
				end := sampleTime.Add(time.Duration(2*i+n) * time.Hour)
				s.FinishedAt = &end
				must(t, teach(t.Context(), b.s, id, s))
			}
			must(t, b.s.BeginStep(t.Context(), id, sampleStep(2))) // in flight: nothing came of it yet
		}
		other := b.running(t, "another stream")
		must(t, teach(t.Context(), b.s, other, taught(0, 0.1)))

		all := b.routed(t, "k", time.Time{}, 10)
		l, err := b.s.Ledger(t.Context(), ids[0])
		must(t, err)
		want := l.Steps[0]
		want.Decision.Features = nil
		want.Note, want.Notes, want.Focus, want.Actions, want.RetrievalJoules = "", nil, nil, nil, nil
		want.StartedAt, want.Reserved, want.Tokens, want.ProgressBefore, want.ProgressAfter = time.Time{}, research.Cost{}, research.Tokens{}, 0, 0
		same(t, all[0], research.RoutedStep{RunID: ids[0], Step: want})
		if len(all) != 4 || all[3].RunID != ids[1] || all[3].Step.Index != 1 {
			t.Errorf("%d steps, the last %+v", len(all), all[len(all)-1])
		}
		if newest := b.routed(t, "k", time.Time{}, 2); len(newest) != 2 || newest[0].RunID != ids[1] || newest[0].Step.Index != 0 {
			t.Errorf("the newest two: %+v", newest)
		}
		if late := b.routed(t, "k", sampleTime.Add(3*time.Hour), 10); len(late) != 1 || late[0].Step.Index != 1 {
			t.Errorf("since a moment, which is part of it: %+v", late)
		}
		must(t, b.s.RequestCancel(t.Context(), ids[1]))
		must(t, b.s.FinishRun(t.Context(), ids[1], research.Cancelled, "Stopped.", 1, FinishOptions{}))
		must(t, b.s.DeleteRun(t.Context(), ids[1]))
		if left := b.routed(t, "k", time.Time{}, 10); len(left) != 2 {
			t.Errorf("%d steps after a run was deleted", len(left))
		}
	})
}

func TestRoutedStepsFail(t *testing.T) {
	t.Parallel()
	b := open(t, Config{DataDir: t.TempDir()})
	id := b.running(t, "k")
	must(t, teach(t.Context(), b.s, id, taught(0, 0.1)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.s.RoutedSteps(ctx, "k", time.Time{}, 5); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	must(t, b.s.db.Exec(`UPDATE steps SET decision = '{"cho'`).Error)
	if _, err := b.s.RoutedSteps(t.Context(), "k", time.Time{}, 5); err == nil || !strings.Contains(err.Error(), "step 0 of run "+id) {
		t.Errorf("a damaged decision: %v", err)
	}
}

// BenchmarkRoutedSteps reads the 5,000 decisions that the dashboard looks at.
func BenchmarkRoutedSteps(b *testing.B) {
	fill := func(b *testing.B, x bundle) {
		must(b, x.s.db.Exec("DELETE FROM runs").Error)
		for range 700 {
			id := x.running(b, "k")
			for n := range 8 {
				s := taught(n, 0.1)
				s.Decision.Features = json.RawMessage(`{"words":"` + strings.Repeat("x", 900) + `"}`)
				c := s.Decision.Candidates[0]
				c.Terms = research.Terms{Value: 0.123456, Queue: -0.0123, Energy: -0.12345, Time: -0.0123}
				c.Expected, c.Worst = research.Cost{Joules: research.Known(1234567), Dollars: research.Known(0), Seconds: 0.123}, research.Cost{Joules: research.Known(9234567), Dollars: research.Known(0), Seconds: 1.5}
				s.Decision.Candidates = []research.Candidate{c, c, c}
				must(b, teach(b.Context(), x.s, id, s))
			}
		}
	}
	benchDatabases(b, fill, func(b *testing.B, x bundle) {
		timed(b, func(int) {
			if n := len(x.routed(b, "k", time.Time{}, 5000)); n != 5000 {
				b.Fatalf("%d steps", n)
			}
		})
	})
}
