package energy

import (
	"context"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

func TestShareOfACounter(t *testing.T) {
	t.Parallel()
	b := &bench{joules: 50}
	var part, total time.Duration
	told := true
	s := NewShare(b, func() (time.Duration, bool) { return part, told }, func() (time.Duration, bool) { return total, true })
	step := func(joules float64, p, w time.Duration) (research.Micro, bool) {
		b.run(0, joules)
		part, total = part+p, total+w
		return s.Joules()
	}
	if got, ok := step(100, time.Second, 4*time.Second); !ok || got != research.ToMicro(25) {
		t.Errorf("a quarter of 100 J is %v", got)
	}
	if got, _ := step(100, 0, time.Second); got != research.ToMicro(25) {
		t.Errorf("others' work costs it %v", got)
	}
	if got, _ := step(10, 2*time.Second, time.Second); got != research.ToMicro(35) {
		t.Errorf("more than the whole: %v, want 35", got)
	}
	told = false
	if _, ok := step(10, time.Second, time.Second); ok {
		t.Error("an unreadable part is known")
	}
	told = true
	if got, ok := step(10, time.Second, time.Second); !ok || got != research.ToMicro(35) {
		t.Errorf("after a gap %v, %v, want 35 and on from there", got, ok)
	}
	if got, _ := step(10, time.Second, time.Second); got != research.ToMicro(45) {
		t.Errorf("%v, want 45", got)
	}
}

func TestCardCountsOnceTheServerWorksThere(t *testing.T) {
	t.Parallel()
	card, cpu := &bench{}, &bench{}
	on, asked := false, 0
	now := time.Unix(1e9, 0)
	g := &withCard{
		card: card.device(0, nil), rest: cpu.device(0, nil), now: func() time.Time { return now },
		runs: func(context.Context) bool { asked++; return on },
	}
	call := func() (research.Energy, bool) {
		now = now.Add(askCard)
		r := g.Begin(context.Background(), "m")
		card.run(1, 100)
		cpu.run(1, 7)
		r.Progress(CallUse{Input: 3})
		return r.End(CallUse{Input: 3, Output: 4})
	}
	call()
	if e, ok := call(); !ok || *e.Joules != research.ToMicro(7) {
		t.Errorf("on the processor: %+v", e)
	}
	now = now.Add(-askCard)
	if _, ok := call(); !ok || asked != 2 {
		t.Errorf("asked %d times, want 2: not so soon again", asked)
	}
	on = true
	if e, ok := call(); ok || e.Joules != nil {
		t.Errorf("the call that shows the card was not measured there: %+v", e)
	}
	call() // the card's counter is read from here on
	if e, ok := call(); !ok || *e.Joules != research.ToMicro(107) || asked != 3 {
		t.Errorf("on the card: %+v, asked %d times", e, asked)
	}
	card.lost = true
	if e, ok := call(); ok || e.Joules != nil {
		t.Errorf("a lost card makes %+v, want unknown", e)
	}
}

// Who was stopped does not wait for nvidia-smi. Whether the server works on the
// card is then only known if it was asked a moment ago.
func TestWhoWasStoppedDoesNotAskTheCard(t *testing.T) {
	t.Parallel()
	card, cpu := &bench{}, &bench{}
	asked := 0
	now := time.Unix(1e9, 0)
	g := &withCard{
		card: card.device(0, nil), rest: cpu.device(0, nil), now: func() time.Time { return now },
		runs: func(context.Context) bool { asked++; return false },
	}
	call := func(stopped bool) (research.Energy, bool) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		r := g.Begin(ctx, "m")
		cpu.run(1, 7)
		if stopped {
			cancel()
		}
		return r.End(CallUse{Input: 3, Output: 4})
	}
	call(false) // the counter is read from here on
	now = now.Add(askCard)
	if e, ok := call(true); ok || e.Joules != nil || asked != 1 {
		t.Errorf("stopped: %+v, asked %d times", e, asked)
	}
	if _, ok := call(false); !ok || asked != 2 {
		t.Errorf("measured %v, asked %d times", ok, asked)
	}
	if e, ok := call(true); !ok || *e.Joules != research.ToMicro(7) || asked != 2 {
		t.Errorf("stopped a moment later: %+v, asked %d times", e, asked)
	}
}

// Two servers on one card share it: together they are charged what it drew.
func TestServersShareACard(t *testing.T) {
	t.Parallel()
	n := &NVML{cards: map[string]*card{}, now: time.Now}
	first, second := n.device(nil), n.device(nil)
	if first != second {
		t.Error("every server has a gauge of its own")
	}
}
