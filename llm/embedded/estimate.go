package embedded

import (
	"context"
	"sync"
	"time"

	"github.com/progrouter/progrouter/research"
)

// costs learns what the work of each role and tier takes in CPU time. Every
// kind of work has a price per unit of load; prices follow what steps really
// took (exponentially weighted), so that an estimate fits the machine.
type costs struct {
	watts float64
	mu    sync.Mutex
	price map[costKey]float64 // CPU seconds per unit of load
}

type costKey struct {
	role research.Role
	tier research.Tier
}

func newCosts(watts float64) *costs {
	return &costs{watts: watts, price: map[costKey]float64{}}
}

// startPrice is where learning begins: CPU seconds per unit of load, measured
// on one 2024 server core.
func startPrice(k costKey) float64 { return 1 }

// follow is the weight of a new observation.
const follow = 0.2

func (c *costs) observe(role research.Role, tier research.Tier, load float64, took time.Duration) {
	if load <= 0 || took <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k := costKey{role, tier}
	c.price[k] += follow * (took.Seconds()/load - c.at(k))
}

func (c *costs) at(k costKey) float64 {
	if p, ok := c.price[k]; ok {
		return p
	}
	c.price[k] = startPrice(k)
	return c.price[k]
}

func (e *Engine) load(t research.Task, tier research.Tier) float64 { return 1 }

// Estimate says what the task would cost.
func (e *Engine) Estimate(_ context.Context, model string, t research.Task) research.Estimate {
	tier, _ := tierOf(model)
	est := research.Estimate{Model: model, Tier: tier, Eligible: true}
	if tier != research.Small && !e.encoder.Supports(t.Ledger.Run.Language) {
		est.Eligible, est.WhyCode = false, "language"
		est.WhyNot = "The encoder of this tier reads English only; this question is in another language."
	}
	cpu, worst := map[research.Tier]float64{research.Small: 0.02, research.Medium: 0.5, research.Large: 2}[tier], map[research.Tier]float64{research.Small: 1, research.Medium: 3, research.Large: 10}[tier]
	if t.Role == research.Writer || t.Role == research.Planner {
		cpu /= 4
	}
	est.Expected = research.Cost{Joules: research.Known(research.ToMicro(cpu * e.costs.watts)), Dollars: research.Known(0), Seconds: cpu}
	est.Worst = research.Cost{Joules: research.Known(research.ToMicro(worst * e.costs.watts)), Dollars: research.Known(0), Seconds: 2*worst + 2}
	return est
}
