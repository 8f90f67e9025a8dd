package energy

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/progrouter/progrouter/research"
)

type fakeCounter struct {
	joules research.Micro
	ok     bool
}

func (c *fakeCounter) Joules() (research.Micro, bool) { return c.joules, c.ok }

// Whatever happens in whatever order, nothing is lost and nothing is invented.
func TestConservation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		process := time.Duration(1000)
		counter := &fakeCounter{joules: 500, ok: true}
		r := newReconciler(func() (time.Duration, bool) { return process, true }, counter)
		var accounts []*Account
		var release []func()
		for range rapid.IntRange(1, 40).Draw(t, "events") {
			switch rapid.IntRange(0, 4).Draw(t, "event") {
			case 0:
				a := NewAccount(time.Duration(rapid.IntRange(0, 2).Draw(t, "limit")) * 5000)
				early := time.Duration(rapid.IntRange(0, 300).Draw(t, "early"))
				a.Charge(PartRouter, early)
				process += early
				accounts, release = append(accounts, a), append(release, r.Track(a))
			case 1:
				if len(release) > 0 {
					release[rapid.IntRange(0, len(release)-1).Draw(t, "which")]()
				}
			case 2:
				r.Window()
			default: // work: some metered, some not, all counted
				if n := len(r.tracked); n > 0 {
					d := time.Duration(rapid.IntRange(0, 2000).Draw(t, "work"))
					r.tracked[rapid.IntRange(0, n-1).Draw(t, "who")].account.Charge(PartAgent, d)
					process += d
				}
				process += time.Duration(rapid.IntRange(-5, 500).Draw(t, "rest"))
				counter.joules += research.Micro(rapid.IntRange(0, 9999).Draw(t, "joules"))
			}
		}
		r.Window()
		cpu, joules := r.Unattributed()
		for _, a := range accounts {
			cpu += a.Total()
			j, ok := a.Measured()
			if !ok {
				t.Fatal("a covered account is not measured")
			}
			joules += j
			if a.Overhead() < 0 || j < 0 {
				t.Fatalf("negative share: %v, %v", a.Overhead(), j)
			}
		}
		if cpu != process-1000 {
			t.Fatalf("accounts hold %d of %d ns", cpu, process-1000)
		}
		if joules != counter.joules-500 {
			t.Fatalf("accounts hold %d of %d µJ", joules, counter.joules-500)
		}
	})
}

func TestSharesFollowTheWork(t *testing.T) {
	t.Parallel()
	process := time.Duration(0)
	counter := &fakeCounter{ok: true}
	r := newReconciler(func() (time.Duration, bool) { return process, true }, counter)
	a, b := NewAccount(0), NewAccount(0)
	releaseA, releaseB := r.Track(a), r.Track(b)
	a.Charge(PartAgent, 200)
	a.Charge(PartRetrieval, 100)
	b.Charge(PartAgent, 100)
	process, counter.joules = 480, 800
	releaseA()
	releaseA()
	process, counter.joules = 500, 900 // b did nothing: belongs to nobody
	releaseB()
	if a.Overhead() != 60 || b.Overhead() != 20 {
		t.Errorf("overheads %d and %d", a.Overhead(), b.Overhead())
	}
	if got := a.Share(PartRetrieval); got != 120 {
		t.Errorf("retrieval share = %d", got)
	}
	m := NewMeter(MeterConfig{})
	if e := m.EnergyOf(a); *e.Joules != 600 || *e.Low != 600 || e.Method != research.MethodRAPL {
		t.Errorf("energy of a: %v %s", *e.Joules, e.Method)
	}
	if got := m.PartJoules(a, PartRetrieval); got != 200 {
		t.Errorf("retrieval joules = %d", got)
	}
	if cpu, j := r.Unattributed(); cpu != 20 || j != 100 {
		t.Errorf("unattributed %d, %d", cpu, j)
	}
}

// A decision is charged to its step's account before that is tracked.
func TestEarlierWorkIsTakenBack(t *testing.T) {
	t.Parallel()
	process := time.Duration(0)
	counter := &fakeCounter{ok: true}
	r := newReconciler(func() (time.Duration, bool) { return process, true }, counter)
	process = 50 // of which the decision took 20
	a := NewAccount(0)
	a.Charge(PartRouter, 20)
	release := r.Track(a)
	a.Charge(PartAgent, 80)
	process, counter.joules = 140, 1000
	release()
	if a.Total() != 110 || a.Overhead() != 10 {
		t.Errorf("total %d, overhead %d", a.Total(), a.Overhead())
	}
	if cpu, _ := r.Unattributed(); cpu != 30 {
		t.Errorf("unattributed %d", cpu)
	}
	if j, ok := a.Measured(); !ok || j != 1000 {
		t.Errorf("measured %d, %v", j, ok)
	}
}

// A counter that fails in the middle makes the whole account modelled.
func TestLostCounterFallsBack(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*fakeCounter){
		"lost":   func(c *fakeCounter) { c.ok = false },
		"absent": func(c *fakeCounter) { c.ok = false },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &fakeCounter{ok: name == "lost"}
			r := newReconciler(func() (time.Duration, bool) { return 0, true }, c)
			a := NewAccount(0)
			release := r.Track(a)
			a.Charge(PartAgent, time.Second)
			change(c)
			r.Window()
			c.ok = true
			release()
			if e := NewMeter(MeterConfig{}).EnergyOf(a); e.Method != research.MethodCPU || e.Joules.Units() != 10 {
				t.Errorf("energy %v %s", e.Joules, e.Method)
			}
		})
	}
	a := NewAccount(0)
	if _, ok := a.Measured(); ok {
		t.Error("an account nobody tracked is measured")
	}
}

func TestOverheadStaysWithinTheLimit(t *testing.T) {
	t.Parallel()
	process := time.Duration(0)
	r := newReconciler(func() (time.Duration, bool) { return process, true }, nil)
	a := NewAccount(100)
	defer r.Track(a)()
	a.Charge(PartAgent, 90)
	process = 150
	r.Window()
	if a.Total() != 100 || a.Remaining() != 0 {
		t.Errorf("total %d, remaining %d", a.Total(), a.Remaining())
	}
	if spare, _ := r.Unattributed(); spare != 50 {
		t.Errorf("unattributed %d", spare)
	}
}

func TestReconcileWithTheRealProcess(t *testing.T) {
	r := NewReconciler((*RAPL)(nil)) // a counter that is not there
	a := NewAccount(0)
	release := r.Track(a)
	if err := Do(WithAccount(t.Context(), a), func() { work(3_000_000) }); err != nil {
		t.Fatal(err)
	}
	release()
	if a.Metered() <= 0 || a.Overhead() < 0 || a.Total() != a.Metered()+a.Overhead() {
		t.Errorf("metered %v, overhead %v, total %v", a.Metered(), a.Overhead(), a.Total())
	}
	if e := NewMeter(MeterConfig{}).EnergyOf(a); e.Method != research.MethodCPU || *e.Joules <= 0 {
		t.Errorf("energy %v, %s", *e.Joules, e.Method)
	}
}
