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
	g := &withCard{card: card.device(0, nil), rest: cpu.device(0, nil), runs: func(context.Context) bool { asked++; return on }}
	g.Begin(context.Background(), "m").End(CallUse{})
	call := func() (research.Energy, bool) {
		r := g.Begin(context.Background(), "m")
		card.run(1, 100)
		cpu.run(1, 7)
		r.Progress(CallUse{Input: 3})
		return r.End(CallUse{Input: 3, Output: 4})
	}
	if e, ok := call(); !ok || *e.Joules != research.ToMicro(7) {
		t.Errorf("on the processor: %+v", e)
	}
	on = true
	if e, ok := call(); !ok || *e.Joules != research.ToMicro(107) {
		t.Errorf("on the card: %+v", e)
	}
	before := asked
	if _, ok := call(); !ok || asked != before {
		t.Error("it is asked again though the server was seen on the card")
	}
	card.lost = true
	if e, ok := call(); ok || e.Joules != nil {
		t.Errorf("a lost card makes %+v, want unknown", e)
	}
}
