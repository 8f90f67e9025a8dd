package store

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

func TestEventsReplay(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		id, other := b.create(t), b.create(t)
		must(t, b.s.StartRun(ctx, id))
		must(t, b.s.FinishStep(ctx, id, finished(b.begin(t, id, 0), 1), research.Result{}, 1))
		must(t, b.s.AddNotice(ctx, id, research.Note{Text: "No network."}))
		must(t, b.s.AddNotice(ctx, id, research.Note{Text: "No network."})) // said once
		must(t, b.s.FinishRun(ctx, id, research.Complete, "x", 1, FinishOptions{}))

		all, err := b.s.Events(ctx, id, 0, 100)
		must(t, err)
		want := []string{"queued -1", "started -1", "decided 0", "stepped 0", "changed -1", "finished -1"}
		var got []string
		for _, e := range all {
			got = append(got, fmt.Sprintf("%s %d", e.Kind, e.Step))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("events %v, want %v", got, want)
		}
		rest, err := b.s.Events(ctx, id, all[2].ID, 2)
		must(t, err)
		if len(rest) != 2 || rest[0] != all[3] || rest[1] != all[4] {
			t.Errorf("replay from %d gave %v", all[2].ID, rest)
		}
		last, err := b.s.LastEventID(ctx, id)
		must(t, err)
		none, err := b.s.Events(ctx, id, last, 10)
		must(t, err)
		if last != all[len(all)-1].ID || len(none) != 0 {
			t.Errorf("last %d, after it %v", last, none)
		}
		every, err := b.s.Events(ctx, "", 0, 100)
		must(t, err)
		if len(every) != len(all)+1 || every[1].RunID != other {
			t.Errorf("all runs: %v", every)
		}
	})
}

// A reader that follows its cursor sees every event once and in order, whoever
// wrote it.
func TestEventsArrive(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		const writers, each = 4, 10
		stores := []*Store{b.s, b.again(t)}
		poke, end := b.s.Subscribe("")
		defer end()
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for range each {
					if _, err := stores[w%2].CreateRun(t.Context(), sampleRequest(), research.Budget{}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		seen, cursor := 0, int64(0)
		deadline := time.After(20 * time.Second)
		for seen < writers*each {
			select {
			case <-poke:
			case <-deadline:
				t.Fatalf("%d of %d events came", seen, writers*each)
			}
			list, err := b.s.Events(t.Context(), "", cursor, 1000)
			must(t, err)
			for _, e := range list {
				if e.ID <= cursor {
					t.Fatalf("event %d after %d", e.ID, cursor)
				}
				cursor, seen = e.ID, seen+1
			}
		}
		wg.Wait()
	})
}

func TestSubscriptionsEnd(t *testing.T) {
	t.Parallel()
	b := open(t, Config{DataDir: t.TempDir()})
	mine, endMine := b.s.Subscribe("other")
	all, _ := b.s.Subscribe("")
	b.create(t)
	<-all
	endMine()
	endMine()
	b.create(t)
	<-all
	must(t, b.s.Close())
	if _, open := <-all; open {
		if _, open = <-all; open {
			t.Error("the channel is open after the store closed")
		}
	}
	select {
	case <-mine:
		t.Error("a reader of another run was woken")
	default:
	}
	late, end := b.s.Subscribe("")
	if _, open := <-late; open {
		t.Error("a subscription to a closed store is open")
	}
	end()
}
