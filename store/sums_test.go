package store

import (
	"context"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/progrouter/progrouter/research"
)

// Steps, run rows, the list and every grouping of the dashboard have the same
// sums to the millionth, and unknown steps are counted beside them.
func TestSumsAreExact(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		rapid.Check(t, func(rt *rapid.T) {
			from := sampleTime.Add(time.Duration(rapid.Int64Range(1, 1<<40).Draw(rt, "epoch")) * time.Microsecond).Truncate(24 * time.Hour)
			var want research.Totals
			steps := 0
			for range rapid.IntRange(1, 3).Draw(rt, "runs") {
				totals, n := randomRun(rt, b, from)
				want.Joules += totals.Joules
				want.Low += totals.Low
				want.High += totals.High
				want.Dollars += totals.Dollars
				want.UnknownSteps += totals.UnknownSteps
				want.UnpricedSteps += totals.UnpricedSteps
				want.Method = research.MixMethods(want.Method, totals.Method)
				steps += n
			}
			u, err := b.s.Usage(context.Background(), from, from.Add(10*24*time.Hour))
			if err != nil {
				rt.Fatal(err)
			}
			for name, rows := range map[string][]research.UsageRow{"total": {u.Total}, "day": u.ByDay, "tier": u.ByTier, "role": u.ByRole, "policy": u.ByPolicy} {
				if got, n := sum(rows); got != want || n != steps {
					rt.Fatalf("by %s: %d steps %+v, want %d %+v", name, n, got, steps, want)
				}
			}
			wipe(rt, b)
		})
	})
}

func sum(rows []research.UsageRow) (t research.Totals, steps int) {
	for _, r := range rows {
		t.Joules += r.Joules
		t.Low += r.Low
		t.High += r.High
		t.Dollars += r.Dollars
		t.UnknownSteps += r.UnknownSteps
		t.UnpricedSteps += r.UnpricedSteps
		t.Method = research.MixMethods(t.Method, r.Method)
		steps += r.Steps
	}
	return t, steps
}

// randomRun stores a run of random steps and compares what three readers say.
func randomRun(rt *rapid.T, b bundle, from time.Time) (research.Totals, int) {
	ctx := context.Background()
	check := func(err error) {
		if err != nil {
			rt.Fatal(err)
		}
	}
	r := sampleRequest()
	r.Policy = rapid.SampledFrom(research.Policies()).Draw(rt, "policy")
	id, err := b.s.CreateRun(ctx, r, research.Budget{})
	check(err)
	check(b.s.StartRun(ctx, id))
	n := rapid.IntRange(1, 5).Draw(rt, "steps")
	for i := range n {
		s := sampleStep(i)
		s.Tier = rapid.SampledFrom(research.Tiers()).Draw(rt, "tier")
		s.Role = rapid.SampledFrom(research.Roles()).Draw(rt, "role")
		s.StartedAt = from.Add(time.Duration(rapid.IntRange(0, 9*24*3600).Draw(rt, "second")) * time.Second)
		check(b.s.BeginStep(ctx, id, s))
		check(b.s.FinishStep(ctx, id, randomEnd(rt, s), research.Result{}, float64(i)))
	}
	check(b.s.FinishRun(ctx, id, research.Complete, "x", 9, FinishOptions{}))
	l, err := b.s.Ledger(ctx, id)
	check(err)
	list, _, err := b.s.ListRuns(ctx, research.RunFilter{})
	check(err)
	for _, row := range list {
		if row.ID == id && row.Totals != l.Totals() {
			rt.Fatalf("list %+v, ledger %+v", row.Totals, l.Totals())
		}
	}
	return l.Totals(), n
}

func randomEnd(rt *rapid.T, s research.Step) research.Step {
	s = finished(s, research.Micro(rapid.Int64Range(0, 1<<45).Draw(rt, "joules")))
	s.Energy.Method = rapid.SampledFrom([]string{research.MethodCPU, research.MethodModel}).Draw(rt, "method")
	s.Dollars = research.Known(research.Micro(rapid.Int64Range(0, 1<<40).Draw(rt, "dollars")))
	switch rapid.IntRange(0, 4).Draw(rt, "unknown") {
	case 0:
		s.Energy = research.Energy{Method: research.MethodUnknown}
	case 1:
		s.Dollars = nil
	}
	s.Outcome = rapid.SampledFrom([]research.Outcome{
		research.OutcomeOK, research.OutcomeEmpty, research.OutcomeError, research.OutcomeInterrupted, research.OutcomeCancelled,
	}).Draw(rt, "outcome")
	return s
}

// wipe also shows that deleted runs leave the dashboard.
func wipe(rt *rapid.T, b bundle) {
	ctx := context.Background()
	list, _, err := b.s.ListRuns(ctx, research.RunFilter{Limit: 100})
	if err != nil {
		rt.Fatal(err)
	}
	for _, r := range list {
		if err := b.s.DeleteRun(ctx, r.ID); err != nil {
			rt.Fatal(err)
		}
	}
	u, err := b.s.Usage(ctx, time.Time{}, time.Time{})
	if err != nil || u.Total.Steps != 0 || u.Total.Joules != 0 {
		rt.Fatalf("after deleting all: %+v, %v", u.Total, err)
	}
}

// Many writers, in two processes' worth of stores, lose nothing and wait for
// each other.
func TestManyWriters(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		const writers, steps = 8, 6
		stores := []*Store{b.s, b.again(t)}
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				if err := writeRun(t.Context(), stores[w%2], steps); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		u, err := b.s.Usage(t.Context(), time.Time{}, time.Time{})
		must(t, err)
		if u.Total.Steps != writers*steps || u.Total.Joules != writers*steps*3 || u.ByStatus[research.Complete] != writers {
			t.Errorf("%+v, by status %v", u.Total, u.ByStatus)
		}
		st, err := b.s.RouterState(t.Context(), DefaultRouterKey)
		must(t, err)
		if st.Decisions != writers*steps || st.Queue != writers*steps*3 || st.Runs != writers {
			t.Errorf("router state %+v", st)
		}
		stats, err := b.s.GainStats(t.Context(), DefaultRouterKey)
		must(t, err)
		if len(stats) != 1 || stats[0].N != writers*steps || stats[0].Joules != writers*steps*3 {
			t.Errorf("gains %+v", stats)
		}
	})
}

func writeRun(ctx context.Context, s *Store, steps int) error {
	id, err := s.CreateRun(ctx, sampleRequest(), research.Budget{})
	if err != nil {
		return err
	}
	if err := s.StartRun(ctx, id); err != nil {
		return err
	}
	for i := range steps {
		if _, err := s.BumpDecisions(ctx, DefaultRouterKey); err != nil {
			return err
		}
		if err := s.BeginStep(ctx, id, sampleStep(i)); err != nil {
			return err
		}
		var r research.Result
		if i == 0 {
			r = sampleResult()
		}
		if err := s.FinishStep(ctx, id, finished(sampleStep(i), 3), r, 1); err != nil {
			return err
		}
	}
	return s.FinishRun(ctx, id, research.Complete, "x", 1, FinishOptions{})
}
