package energy

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/progrouter/progrouter/research"
)

// DeviceConfig describes a device that a server of models works on.
type DeviceConfig struct {
	// Counter is the energy of the server's work on the device.
	Counter Counter
	Method  string // how Counter came about
	// Low and High are factors of the counter's own uncertainty; 0 is 1.
	Low, High float64
	// Idle is what the device draws without work, in watts; nil where the counter
	// sees only work, as CPU time does.
	Idle func() float64
	// Units are the energies per token by which concurrent calls are weighed; nil,
	// or models without any, weigh an output token like 10 input tokens.
	Units func(model string) research.Coefficients
	// Hold, if set, is called when the first of several calls begins and returns
	// what to do when the last has ended: meters that must run only then.
	Hold func() (release func())
	Now  func() time.Time // nil: time.Now
}

// Device shares the energy of one device between the calls that ran on it. Time
// is cut into intervals where calls begin and end and, when they report progress,
// at most every second. Of every interval
//
//	ΔE = idle + dynamic, idle = min(ΔE, P_idle·Δt)
//
// the dynamic part is split by the tokens that each call read and wrote in it,
// weighed with their unit energies, and the idle part by residency, in equal
// parts. Shares are whole millionths and, with what fell between calls
// (Unattributed), sum to the counter exactly. A call that does not report
// progress is taken to work at the pace of those beside it until it ends.
type Device struct {
	cfg DeviceConfig

	mu      sync.Mutex
	active  []*reading
	last    time.Time
	lastE   research.Micro
	hasE    bool
	spare   research.Micro
	release func()
}

type reading struct {
	device *Device
	model  string
	begin  time.Time
	seen   CallUse // reported or charged until now
	told   bool    // it reports progress
	fresh  float64 // joules' worth of tokens in the running interval
	dyn    research.Micro
	idle   research.Micro
	gap    bool // the counter failed while it ran

	done   bool
	energy research.Energy
	ok     bool
}

// NewDevice makes a gauge of a counter.
func NewDevice(cfg DeviceConfig) *Device {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Device{cfg: cfg}
}

var _ Gauge = (*Device)(nil)

// Begin starts the measurement of a call.
func (d *Device) Begin(_ context.Context, model string) Reading {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.active) == 0 && d.cfg.Hold != nil {
		d.release = d.cfg.Hold()
	}
	d.cut()
	r := &reading{device: d, model: model, begin: d.last, gap: !d.hasE}
	d.active = append(d.active, r)
	return r
}

// Unattributed is what the counter moved by while no call ran.
func (d *Device) Unattributed() research.Micro {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.spare
}

// interval is the least time between two cuts that progress alone makes. Cut at
// every token, the interval would be charged to whoever's token came last.
const interval = time.Second

// Progress notes what the call did and closes the interval if it is long enough.
func (r *reading) Progress(use CallUse) research.Micro {
	d := r.device
	d.mu.Lock()
	defer d.mu.Unlock()
	if r.done {
		return r.dyn + r.idle
	}
	r.told = true
	r.note(use)
	if d.cfg.Now().Sub(d.last) >= interval {
		d.cut()
	}
	return r.dyn + r.idle
}

// End closes the call's last interval.
func (r *reading) End(use CallUse) (research.Energy, bool) {
	d := r.device
	d.mu.Lock()
	defer d.mu.Unlock()
	if r.done {
		return r.energy, r.ok
	}
	r.done = true
	now := d.cfg.Now()
	r.note(use)
	if whole := now.Sub(r.begin); !r.told && whole > 0 {
		// Its tokens are spread over its time; earlier intervals had their part.
		r.fresh *= min(1, float64(now.Sub(d.last))/float64(whole))
	}
	r.told = true
	d.cut()
	d.remove(r)
	r.energy, r.ok = d.cfg.result(r)
	return r.energy, r.ok
}

// Idle is the idle part of the call's share.
func (r *reading) Idle() research.Micro {
	r.device.mu.Lock()
	defer r.device.mu.Unlock()
	return r.idle
}

// note adds the tokens since the last report.
func (r *reading) note(use CallUse) {
	c := r.device.units(r.model)
	r.fresh += c.Prefill*max(0, use.read()-r.seen.read()) + c.Decode*max(0, use.written()-r.seen.written())
	r.seen = use
}

// inputsPerOutput weighs tokens where nothing is known of a model: reading one
// takes about a tenth of writing one.
const inputsPerOutput = 10

func (d *Device) units(model string) research.Coefficients {
	if d.cfg.Units != nil {
		if c := d.cfg.Units(model); c.Prefill >= 0 && c.Decode > 0 {
			return c
		}
	}
	return research.Coefficients{Prefill: 1, Decode: inputsPerOutput}
}

func (d *Device) remove(r *reading) {
	for i, o := range d.active {
		if o == r {
			d.active = append(d.active[:i], d.active[i+1:]...)
			break
		}
	}
	if len(d.active) == 0 && d.release != nil {
		d.release()
		d.release = nil
	}
}

// cut closes the running interval and shares it; the caller holds the lock.
func (d *Device) cut() {
	now := d.cfg.Now()
	e, ok := d.cfg.Counter.Joules()
	before, had, since := d.lastE, d.hasE, now.Sub(d.last)
	d.last, d.lastE, d.hasE = now, e, ok
	if !ok || !had || e < before {
		for _, r := range d.active {
			r.gap, r.fresh = true, 0
		}
		return
	}
	delta := e - before
	if len(d.active) == 0 {
		d.spare += delta
		return
	}
	idle := research.Micro(0)
	if d.cfg.Idle != nil {
		idle = min(delta, research.ToMicro(max(0, d.cfg.Idle()*since.Seconds())))
	}
	even := make([]float64, len(d.active))
	for i := range even {
		even[i] = 1
	}
	weights := d.weights()
	for i, part := range split(delta-idle, weights) {
		d.active[i].dyn += part
	}
	for i, part := range split(idle, even) {
		d.active[i].idle += part
	}
}

// weights are the calls' shares of the running interval, which they use up. Those
// that report nothing get the mean of those that do.
func (d *Device) weights() []float64 {
	w := make([]float64, len(d.active))
	sum, told := 0.0, 0
	for _, r := range d.active {
		if r.told {
			sum, told = sum+r.fresh, told+1
		}
	}
	mean := 1.0
	if told > 0 && sum > 0 {
		mean = sum / float64(told)
	}
	for i, r := range d.active {
		w[i] = mean
		if r.told && sum > 0 {
			w[i] = r.fresh
		}
		r.fresh = 0
	}
	return w
}

// split cuts an amount in proportion to weights of 0 or more; the parts are whole
// and sum to it exactly. Without any weight the parts are equal.
func split(amount research.Micro, weights []float64) []research.Micro {
	parts := make([]research.Micro, len(weights))
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	flat := !(sum > 0) || math.IsInf(sum, 0)
	if flat {
		sum = float64(len(weights))
	}
	seen, given := 0.0, research.Micro(0)
	for i, w := range weights {
		if flat {
			w = 1
		}
		seen += w
		upto := amount
		if i < len(weights)-1 {
			upto = min(amount, max(given, research.Micro(float64(amount)*(seen/sum))))
		}
		parts[i], given = upto-given, upto
	}
	return parts
}

// result is the whole share, idle part included, as a board's meter would show
// it; without the idle part it is at least Low.
func (c DeviceConfig) result(r *reading) (research.Energy, bool) {
	if r.gap || r.dyn+r.idle <= 0 {
		return research.Energy{Method: research.MethodUnknown}, false
	}
	j := r.dyn + r.idle
	return research.Energy{
		Joules: research.Known(j),
		Low:    research.Known(min(j, research.ToMicro(factor(c.Low, r.dyn.Units())))),
		High:   research.Known(max(j, research.ToMicro(factor(c.High, j.Units())))),
		Method: c.Method,
	}, true
}
