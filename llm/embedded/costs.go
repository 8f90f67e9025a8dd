package embedded

import (
	"sync"
	"time"

	"github.com/progrouter/progrouter/research"
)

// costs learns how the CPU time of steps compares with what the start prices
// say, per role and tier: an exponentially weighted mean of the ratio.
type costs struct {
	watts float64
	mu    sync.Mutex
	ratio map[costKey]float64
}

type costKey struct {
	role research.Role
	tier research.Tier
}

func newCosts(watts float64) *costs {
	return &costs{watts: watts, ratio: map[costKey]float64{}}
}

const (
	follow     = 0.2  // weight of a new observation
	leastRatio = 0.05 // one odd step must not make estimates absurd
	mostRatio  = 40
)

// observe notes that a step priced at `priced` CPU seconds took `took`.
func (c *costs) observe(role research.Role, tier research.Tier, priced float64, took time.Duration) {
	if priced <= 0 || took <= 0 {
		return
	}
	r := min(mostRatio, max(leastRatio, took.Seconds()/priced))
	c.mu.Lock()
	defer c.mu.Unlock()
	k := costKey{role, tier}
	old, ok := c.ratio[k]
	if !ok {
		old = 1
	}
	c.ratio[k] = old + follow*(r-old)
}

// raise notes that a step was cut off after `took`: the next one is priced at
// that or more at once, so that a slow machine gets through on the next attempt.
func (c *costs) raise(role research.Role, tier research.Tier, priced float64, took time.Duration) {
	if priced <= 0 || took <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k := costKey{role, tier}
	c.ratio[k] = min(mostRatio, max(c.ratio[k], 1, took.Seconds()/priced))
}

func (c *costs) factor(role research.Role, tier research.Tier) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := c.ratio[costKey{role, tier}]; ok {
		return r
	}
	return 1
}
