package energy

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

// bench is a device whose clock and counter a test moves.
type bench struct {
	now    time.Time
	joules research.Micro
	lost   bool
}

func (b *bench) Joules() (research.Micro, bool) { return b.joules, !b.lost }

func (b *bench) run(seconds, joules float64) {
	b.now = b.now.Add(time.Duration(seconds * float64(time.Second)))
	b.joules += research.ToMicro(joules)
}

func (b *bench) device(idle float64, units map[string]research.Coefficients) *Device {
	b.now = time.Unix(1e9, 0)
	return NewDevice(DeviceConfig{
		Counter: b, Method: research.MethodNVML, Now: func() time.Time { return b.now },
		Idle:  func() float64 { return idle },
		Units: func(m string) research.Coefficients { return units[m] },
	})
}

func endOf(t *testing.T, r Reading, use CallUse, joules, idle float64) {
	t.Helper()
	e, ok := r.End(use)
	if !ok || *e.Joules != research.ToMicro(joules) || r.Idle() != research.ToMicro(idle) {
		t.Errorf("%v J with %v idle, want %v with %v (%v)", e.Joules, r.Idle(), joules, idle, ok)
	}
}

func TestDeviceGivesOneCallAllAndShowsIdleApart(t *testing.T) {
	t.Parallel()
	b := &bench{}
	d := b.device(10, nil)
	d.Begin(t.Context(), "first").End(CallUse{}) // nothing moved: nothing known
	b.run(5, 60)
	r := d.Begin(t.Context(), "m")
	b.run(2, 100)
	endOf(t, r, CallUse{Input: 10, Output: 10}, 100, 20)
	if e, ok := r.End(CallUse{Output: 99}); !ok || *e.Joules != research.ToMicro(100) || *e.Low != research.ToMicro(80) || e.Method != research.MethodNVML {
		t.Errorf("second end says %+v", e)
	}
	if d.Unattributed() != research.ToMicro(60) {
		t.Errorf("unattributed %v, want 60", d.Unattributed())
	}
}

func TestConcurrentCallsAreWeighedByTheirTokens(t *testing.T) {
	t.Parallel()
	b := &bench{}
	d := b.device(0, map[string]research.Coefficients{"big": {Prefill: 0.1, Decode: 3}, "small": {Prefill: 0.01, Decode: 1}})
	big := d.Begin(t.Context(), "big")
	small := d.Begin(t.Context(), "small")
	b.run(.4, 30)
	big.Progress(CallUse{Input: 100}) // 10 J worth
	b.run(.4, 30)
	small.Progress(CallUse{Input: 100, Output: 9}) // 1 + 9
	b.run(.4, 30)
	big.Progress(CallUse{Input: 100, Output: 10}) // 30; 40 to 10 until here, and 90 J
	b.run(.4, 20)
	small.Progress(CallUse{Input: 100, Output: 14}) // 5
	b.run(.4, 20)
	big.Progress(CallUse{Input: 100, Output: 15}) // 15 to 5 of 40 J
	endOf(t, small, CallUse{Input: 100, Output: 14}, 18+10, 0)
	b.run(1, 9)
	endOf(t, big, CallUse{Input: 100, Output: 20}, 72+30+9, 0)

	big, small = d.Begin(t.Context(), "big"), d.Begin(t.Context(), "small")
	b.run(1, 80) // neither reports: both are taken to be as busy
	endOf(t, small, CallUse{Output: 10}, 40, 0)
	endOf(t, big, CallUse{Output: 10}, 40, 0)
}

func TestSilentCallsGetTheMeanOfTheOthers(t *testing.T) {
	t.Parallel()
	b := &bench{}
	d := b.device(0, nil)
	silent := d.Begin(t.Context(), "m")
	other := d.Begin(t.Context(), "m")
	b.run(1, 10)
	endOf(t, other, CallUse{Output: 10}, 5, 0)
	b.run(1, 10)
	endOf(t, silent, CallUse{Output: 20}, 15, 0)
}

func TestLostCountersMakeUnknownNotZero(t *testing.T) {
	t.Parallel()
	b := &bench{}
	d := b.device(0, nil)
	r := d.Begin(t.Context(), "m")
	b.run(1, 10)
	b.lost = true
	r.Progress(CallUse{Output: 1})
	b.lost = false
	b.run(1, 10)
	if e, ok := r.End(CallUse{Output: 2}); ok || e.Joules != nil || e.Method != research.MethodUnknown {
		t.Errorf("a call over a gap is %+v", e)
	}
	r = d.Begin(t.Context(), "m")
	b.run(1, -5) // the counter began again
	if e, ok := r.End(CallUse{Output: 2}); ok {
		t.Errorf("a call over a restart is %+v", e)
	}
	r = d.Begin(t.Context(), "m")
	b.run(1, 7)
	endOf(t, r, CallUse{Output: 2}, 7, 0)
}

// Whatever calls do, their shares and what fell between them are the counter's
// movement to the last millionth.
func TestSharesSumToTheCounter(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		b := &bench{}
		d := b.device(rnd.Float64()*50, map[string]research.Coefficients{"a": {Prefill: .01, Decode: 1.7}, "b": {Decode: 0.3}})
		d.Begin(t.Context(), "a").End(CallUse{}) // the counter is read from here on
		start := b.joules
		var open []Reading
		var used []CallUse
		sum := research.Micro(0)
		end := func(i int) {
			use := used[i]
			use.Output += rnd.IntN(50)
			e, ok := open[i].End(use)
			if ok {
				sum += *e.Joules
			} else if e.Joules != nil {
				t.Fatal("an energy that is not ok has joules")
			}
			open, used = append(open[:i], open[i+1:]...), append(used[:i], used[i+1:]...)
		}
		for range 60 {
			b.now = b.now.Add(time.Duration(rnd.IntN(1e9)))
			b.joules += research.Micro(rnd.Int64N(7e7))
			switch i := rnd.IntN(4); {
			case i == 0 || len(open) == 0:
				open, used = append(open, d.Begin(t.Context(), []string{"a", "b", "c"}[rnd.IntN(3)])), append(used, CallUse{})
			case i == 1:
				end(rnd.IntN(len(open)))
			default:
				k := rnd.IntN(len(open))
				used[k].Input, used[k].Output = max(used[k].Input, rnd.IntN(900)), used[k].Output+rnd.IntN(30)
				open[k].Progress(used[k])
			}
		}
		for len(open) > 0 {
			b.joules += research.Micro(rnd.Int64N(3e6) + 1)
			end(0)
		}
		if moved := b.joules - start; sum+d.Unattributed() != moved {
			t.Fatalf("seed %d: shares %v + %v = %v, the counter moved by %v", seed, sum, d.Unattributed(), sum+d.Unattributed(), moved)
		}
	}
}

func TestSplitIsExact(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		w := make([]float64, 1+rnd.IntN(6))
		for i := range w {
			w[i] = max(0, rnd.NormFloat64()*1e3)
		}
		amount, sum := research.Micro(rnd.Int64N(1e15)), research.Micro(0)
		for i, p := range split(amount, w) {
			if p < 0 {
				t.Fatalf("part %d of %v over %v is negative", i, amount, w)
			}
			sum += p
		}
		if sum != amount {
			t.Fatalf("%v over %v sums to %v", amount, w, sum)
		}
	}
}
