package store

import (
	"slices"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

func TestListFilters(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		questions := map[string]string{}
		for i, q := range []string{"How does WAL work?", "100% sure", "1000 things", "Über uns", "a_b", "axb", `back\slash`} {
			r := sampleRequest()
			r.Question = q
			if i == 0 {
				r.Policy = research.FixedSmall
			}
			id, err := b.s.CreateRun(ctx, r, research.Budget{})
			must(t, err)
			questions[id] = q
		}
		for _, c := range []struct {
			f    research.RunFilter
			want []string
		}{
			{research.RunFilter{Text: "wal"}, []string{"How does WAL work?"}},
			{research.RunFilter{Text: "100%"}, []string{"100% sure"}},
			{research.RunFilter{Text: "A_B"}, []string{"a_b"}},
			{research.RunFilter{Text: `k\s`}, []string{`back\slash`}},
			{research.RunFilter{Text: "über"}, []string{"Über uns"}},
			{research.RunFilter{Text: "' OR 1=1 --"}, nil},
			{research.RunFilter{Policy: research.FixedSmall}, []string{"How does WAL work?"}},
			{research.RunFilter{Policy: research.FixedSmall, Status: research.Complete}, nil},
		} {
			rows, total, err := b.s.ListRuns(ctx, c.f)
			must(t, err)
			var got []string
			for _, r := range rows {
				got = append(got, r.Question)
			}
			if !slices.Equal(got, c.want) || total != len(c.want) {
				t.Errorf("%+v: %q of %d, want %q", c.f, got, total, c.want)
			}
		}
		page, total, err := b.s.ListRuns(ctx, research.RunFilter{Status: research.Queued, Limit: 3, Offset: 5})
		must(t, err)
		if len(page) != 2 || total != len(questions) {
			t.Errorf("last page has %d of %d", len(page), total)
		}
	})
}

func TestUsageWindow(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		id := b.create(t)
		must(t, b.s.StartRun(ctx, id))
		must(t, b.s.FinishStep(ctx, id, finished(b.begin(t, id, 0), 5), research.Result{}, 1))
		b.begin(t, id, 1) // in flight: not in any sum
		end := *finished(sampleStep(0), 5).FinishedAt
		for _, c := range []struct {
			from, to time.Time
			steps    int
		}{
			{time.Time{}, time.Time{}, 1},
			{end, time.Time{}, 1},
			{end.Add(time.Microsecond), time.Time{}, 0},
			{time.Time{}, end, 0},
			{time.Time{}, end.Add(time.Microsecond), 1},
		} {
			u, err := b.s.Usage(ctx, c.from, c.to)
			must(t, err)
			if u.Total.Steps != c.steps || len(u.ByDay) != c.steps || u.Total.Runs != c.steps {
				t.Errorf("from %v to %v: %+v", c.from, c.to, u)
			}
		}
		u, err := b.s.Usage(ctx, time.Time{}, time.Time{})
		must(t, err)
		// The step began before midnight and ended after it.
		if u.ByDay[0].Day != "2026-03-01" && u.ByDay[0].Day != end.Format(time.DateOnly) || u.ByStatus[research.Running] != 1 {
			t.Errorf("usage %+v", u)
		}
	})
}

func TestRaiseBudget(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		id := b.create(t)
		before, err := b.s.Run(ctx, id)
		must(t, err)
		seconds := *before.Budget.Seconds + 1
		must(t, b.s.RaiseBudget(ctx, id, research.Budget{Seconds: &seconds}))
		after, err := b.s.Run(ctx, id)
		must(t, err)
		if *after.Budget.Seconds != seconds || *after.Given.Seconds != seconds || *after.Budget.Joules != *before.Budget.Joules || *after.Given.Joules != 3 {
			t.Errorf("budget %+v, given %+v", after.Budget, after.Given)
		}
		seconds--
		wantCode(t, b.s.RaiseBudget(ctx, id, research.Budget{Seconds: &seconds}), research.EInvalid)
		must(t, b.s.StartRun(ctx, id))
		must(t, b.s.FinishRun(ctx, id, research.Complete, "x", 1, FinishOptions{}))
		wantCode(t, b.s.RaiseBudget(ctx, id, research.Budget{Joules: research.Known(1 << 50)}), research.EConflict)
		wantCode(t, b.s.Resume(ctx, id), research.EConflict)
	})
}

func TestSettings(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		type prefs struct{ Depth string }
		var p prefs
		found, err := b.s.GetSetting(ctx, "prefs", &p)
		if err != nil || found {
			t.Fatalf("found %v, %v", found, err)
		}
		must(t, b.s.SetSetting(ctx, "prefs", prefs{"deep"}))
		must(t, b.s.SetSetting(ctx, "prefs", prefs{"quick"}))
		found, err = b.s.GetSetting(ctx, "prefs", &p)
		if err != nil || !found || p.Depth != "quick" {
			t.Errorf("%+v, %v, %v", p, found, err)
		}
		var wrong int
		if _, err := b.s.GetSetting(ctx, "prefs", &wrong); err == nil {
			t.Error("a setting was read into the wrong type")
		}
		must(t, b.s.Ping(ctx))
	})
}
