package agents

import (
	"math"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
)

// Window and answer lengths of models for which none is set.
const (
	defaultWindow = 4096
	defaultOutput = 1024
)

func (m *model) window(l lessons) int {
	w := m.Context
	if w <= 0 {
		w = defaultWindow
	}
	if l.window > 0 {
		w = min(w, l.window)
	}
	return w
}

func (m *model) mostOutput() int {
	if m.Output > 0 {
		return m.Output
	}
	return defaultOutput
}

// think is how many tokens an answer gets for thinking on top, as far as the
// model may write so many.
func (m *model) think(l lessons, answer int) int {
	return max(0, min(int(l.thinking), m.mostOutput()-answer))
}

// speed is how long calls take: as fitted, else a guess that the first calls
// correct.
func (m *model) speed() research.SpeedFit {
	if m.Coefficients != nil && m.Coefficients.Seconds.Decode > 0 {
		return m.Coefficients.Seconds
	}
	if m.Provider.Local {
		return research.SpeedFit{Call: 0.3, Prefill: 0.008, Decode: 0.05}
	}
	return research.SpeedFit{Call: 1, Prefill: 0.0003, Decode: 0.015}
}

// seconds of a call with so many tokens.
func (m *model) seconds(in, out float64, l lessons) float64 {
	s := m.speed()
	t := (s.Call + s.Prefill*in + s.Decode*out) * l.pace
	if !l.warm {
		t += s.Load
	}
	return t
}

// How far a first reading may lie above an estimate: above a fit by its error on
// fresh calls, above a guess by its range. A wider one would keep a model from
// ever being asked; the first readings correct it.
const (
	leastDoubt = 1.3
	mostDoubt  = 2.5
)

// gauged is what a gauge reads over what is estimated: expected, and at worst.
// Without a gauge the estimate is what is charged.
func (m *model) gauged() (expected, worst float64) {
	if m.Gauge == nil || m.Coefficients == nil {
		return 1, 1
	}
	first := m.Coefficients.High
	if m.Coefficients.Samples > 0 {
		first = 1 + m.Coefficients.P90
	}
	return m.learned.gauged(min(mostDoubt, max(leastDoubt, first)))
}

// safety is how far a call's energy may lie above the estimate.
func (m *model) safety() float64 {
	_, worst := m.gauged()
	return worst
}

// joules of a call, times a factor; nil is unknown.
func (m *model) joules(in, out float64, cold bool, factor float64) *research.Micro {
	if m.Coefficients == nil {
		return nil
	}
	e := energy.CallEnergy(*m.Coefficients, energy.CallUse{Input: up(in), Output: up(out), Cold: cold})
	if e.Joules == nil {
		return nil
	}
	return research.Known(research.ToMicro(e.Joules.Units() * factor))
}

// dollars of a call; nil is unknown.
func (m *model) dollars(in, out float64) *research.Micro {
	if m.Price == nil {
		return nil
	}
	return research.Known(energy.Dollars(*m.Price, research.Tokens{Input: up(in), Output: up(out)}))
}

// cost is the most that a call of so many tokens costs.
func (m *model) cost(in, out float64, l lessons) research.Cost {
	return research.Cost{Joules: m.joules(in, out, !l.loaded, m.safety()), Dollars: m.dollars(in, out), Seconds: m.seconds(in, out, l)}
}

// usually is what it is expected to cost once the model is in memory.
func (m *model) usually(in, out float64, l lessons) research.Cost {
	l.warm = true
	c := m.cost(in, out, l)
	factor, _ := m.gauged()
	c.Joules = m.joules(in, out, false, factor)
	return c
}

// switching is what loading the model is expected to cost a step, once, however
// many calls it makes (the I_load·E_load of eq. 14): nothing where the model is
// thought to be in memory.
func (m *model) switching(l lessons) research.Cost {
	c := research.Cost{Dollars: research.Known(0)}
	factor, _ := m.gauged()
	cold, hot := m.joules(0, 1, !l.ready, factor), m.joules(0, 1, false, factor)
	if cold != nil && hot != nil {
		c.Joules = research.Known(*cold - *hot)
	}
	if !l.ready {
		c.Seconds = m.speed().Load * l.pace
	}
	return c
}

func up(x float64) int { return int(math.Ceil(x)) }

func sum(a, b research.Cost) research.Cost {
	return research.Cost{Joules: research.Add(a.Joules, b.Joules), Dollars: research.Add(a.Dollars, b.Dollars), Seconds: a.Seconds + b.Seconds}
}

func times(c research.Cost, n int) research.Cost {
	k := research.Micro(n)
	if c.Joules != nil {
		c.Joules = research.Known(*c.Joules * k)
	}
	if c.Dollars != nil {
		c.Dollars = research.Known(*c.Dollars * k)
	}
	c.Seconds *= float64(n)
	return c
}

// purse is what a step has left for calls. Nil amounts are no limit.
type purse struct {
	joules, dollars *research.Micro
	until           time.Time // zero: no limit
}

// newPurse takes what the engine's own work may need out of the reservation.
func newPurse(t research.Task, own research.Estimate) purse {
	p := purse{joules: t.Reserved.Joules, dollars: t.Reserved.Dollars, until: t.Until}
	if p.joules != nil {
		mine := t.Own
		if mine == nil {
			mine = own.Worst.Joules
		}
		p.joules = research.Known(max(0, *p.joules-research.OrZero(mine)))
	}
	if !p.until.IsZero() {
		p.until = p.until.Add(-seconds(own.Worst.Seconds))
	}
	return p
}

// pay takes what a call cost.
func (p *purse) pay(joules, dollars *research.Micro) {
	if p.joules != nil {
		p.joules = research.Known(max(0, *p.joules-research.OrZero(joules)))
	}
	if p.dollars != nil {
		p.dollars = research.Known(max(0, *p.dollars-research.OrZero(dollars)))
	}
}

// over says whether a call that used so many joules must end now, since what it
// takes until it is looked at next would be more than is left. Estimates may be
// wrong; this is what was measured.
func (p *purse) over(m *model, so research.Micro) bool {
	if p.joules == nil || so <= 0 {
		return false
	}
	return so+research.OrZero(m.joules(0, lookAhead, false, m.safety())) > *p.joules
}

// lookAhead is how many tokens may come before a measured call is looked at again:
// it is every few tokens, and a gauge is read once a second.
const lookAhead = 24

// room is how many tokens an answer to a prompt may have: as many as are wanted,
// as far as joules, dollars and time go. paid is what attempts of the same call
// used before.
func (p *purse) room(m *model, in float64, want int, l lessons, now time.Time, paid research.Cost) int {
	fits := func(out int) bool {
		if p.joules != nil {
			if j := m.joules(in, float64(out), !l.loaded, m.safety()); j != nil && *j+research.OrZero(paid.Joules) > *p.joules {
				return false
			}
		}
		if p.dollars != nil {
			if d := m.dollars(in, float64(out)); d != nil && *d+research.OrZero(paid.Dollars) > *p.dollars {
				return false
			}
		}
		return p.until.IsZero() || m.seconds(in, float64(out), l) <= p.until.Sub(now).Seconds()
	}
	if want <= 0 || !fits(1) {
		return 0
	}
	low, high := 1, want // the most that fits, by halves
	for low < high {
		mid := (low + high + 1) / 2
		if fits(mid) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
