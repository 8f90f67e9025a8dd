package energy

import (
	"math"
	"time"

	"github.com/progrouter/progrouter/research"
)

// Assumed watts per busy core where no counter can be read.
const (
	DefaultWatts = 10.0
	DefaultLow   = 5.0
	DefaultHigh  = 20.0
)

// MeterConfig sets the assumed watts per busy core. Zero or unusable values
// become the defaults; with only Watts set, the range is half to twice of it,
// as it is for the default.
type MeterConfig struct {
	Watts, Low, High float64
}

// Meter turns CPU time into labelled joules.
type Meter struct{ cfg MeterConfig }

// NewMeter makes a meter.
func NewMeter(cfg MeterConfig) *Meter {
	if !usable(cfg.Watts) {
		cfg.Watts = DefaultWatts
	}
	if !usable(cfg.Low) || cfg.Low > cfg.Watts {
		cfg.Low = cfg.Watts * DefaultLow / DefaultWatts
	}
	if !usable(cfg.High) || cfg.High < cfg.Watts {
		cfg.High = cfg.Watts * DefaultHigh / DefaultWatts
	}
	return &Meter{cfg: cfg}
}

func usable(w float64) bool { return w > 0 && !math.IsInf(w, 0) }

// Config returns the watts in use.
func (m *Meter) Config() MeterConfig { return m.cfg }

// Joules is CPU seconds × watts.
func (m *Meter) Joules(cpu time.Duration) research.Micro {
	return research.ToMicro(cpu.Seconds() * m.cfg.Watts)
}

// CPU is the CPU time that a number of joules buys, rounded down, so that
// Joules(CPU(j)) never exceeds j.
func (m *Meter) CPU(joules research.Micro) time.Duration {
	if joules <= 0 {
		return 0
	}
	ns := math.Floor(joules.Units() / m.cfg.Watts * float64(time.Second))
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	d := time.Duration(ns)
	for d > 0 && m.Joules(d) > joules {
		d--
	}
	return d
}

// Energy is the modelled energy of CPU time with its range.
func (m *Meter) Energy(cpu time.Duration) research.Energy {
	s := cpu.Seconds()
	return research.Energy{
		Joules: research.Known(m.Joules(cpu)),
		Low:    research.Known(research.ToMicro(s * m.cfg.Low)),
		High:   research.Known(research.ToMicro(s * m.cfg.High)),
		Method: research.MethodCPU,
	}
}
