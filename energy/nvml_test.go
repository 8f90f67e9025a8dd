//go:build unix

package energy

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

// fakeSMI writes a stand-in for nvidia-smi.
func fakeSMI(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nvidia-smi")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

const twoCards = `case "$*" in
*compute-apps*) printf '4711\n[N/A]\n' ;;
*-lms*) while printf '0, 100.00\n1, 50.00\n'; do sleep 0.02; done ;;
*) printf '0, 30.00, Some Card\n1, 20.00, Some Card\n2, [N/A], Old Card\n' ;;
esac
`

func TestNVMLIsAbsentWithoutAMeter(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"no program":     filepath.Join(t.TempDir(), "nvidia-smi"),
		"no driver":      fakeSMI(t, "echo 'NVIDIA-SMI has failed'; exit 9\n"),
		"no power meter": fakeSMI(t, "echo '0, [N/A], Old Card'\n"),
		"garbage":        fakeSMI(t, "echo hello; echo 1,2,3,4; echo '0,-3,x'; echo '0,NaN,x'\n"),
	} {
		n := OpenNVML(t.Context(), path)
		if name == "garbage" { // "1,2,…" is a card of 2 W, however odd
			if n == nil || len(n.cards) != 1 {
				t.Errorf("garbage: %+v", n)
			}
			continue
		}
		if n != nil {
			t.Errorf("%s: %+v", name, n)
		}
	}
}

func TestNVMLRunsOnlyWhileHeld(t *testing.T) {
	t.Parallel()
	n := OpenNVML(t.Context(), fakeSMI(t, twoCards))
	if n == nil || n.Name() != "2 × Some Card" || n.Idle() != 50 {
		t.Fatalf("meter %+v", n)
	}
	if !n.Runs(t.Context(), map[int]bool{4711: true}) || n.Runs(t.Context(), map[int]bool{12: true}) {
		t.Error("who works on the cards is misread")
	}
	release := n.Hold()
	second := n.Hold()
	moved := func() bool { j, ok := n.Joules(); return ok && j > 0 }
	for deadline := time.Now().Add(10 * time.Second); !moved(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no reading arrives")
		}
	}
	release()
	release() // twice is once
	n.mu.Lock()
	holders := n.holders
	n.mu.Unlock()
	if holders != 1 {
		t.Errorf("%d holders, want 1", holders)
	}
	second()
	a, _ := n.Joules()
	b, ok := n.Joules()
	if a != b || !ok {
		t.Errorf("it counts from %v to %v while nobody holds it", a, b)
	}
}

// Readings hold until the next; what was drawn before the first counts as it.
func TestNVMLIntegratesPower(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	n := &NVML{now: func() time.Time { return now }, cards: map[string]*card{"0": {watts: 40, least: 40}}, holders: 1, since: now}
	at := func(after time.Duration) { now = now.Add(after) }
	read := func(w float64) { n.reading(context.Background(), "0", w) }
	want := func(joules float64) {
		t.Helper()
		if j, ok := n.Joules(); !ok || j != research.ToMicro(joules) {
			t.Errorf("%v J (%v), want %v", j, ok, joules)
		}
	}
	want(0)
	at(200 * time.Millisecond)
	want(0)
	read(100)
	want(20)
	at(100 * time.Millisecond)
	want(30)
	read(300)
	want(30)
	at(time.Second)
	read(20)
	n.reading(context.Background(), "7", 1e6) // a card that is not ours
	want(330)
	if n.Idle() != 20 {
		t.Errorf("idle %v W, want the least reading", n.Idle())
	}
	at(nvmlStale + time.Second)
	if _, ok := n.Joules(); ok {
		t.Error("a meter without readings is still known")
	}
}
