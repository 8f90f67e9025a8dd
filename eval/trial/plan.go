package trial

import (
	"math"

	"github.com/progrouter/progrouter/research"
)

// planner is the oracle: it knows the chance of every attempt and plans whole runs,
// so that no policy which keeps the allowance should be expected to solve more.
// It chooses what maximises
//
//	chance of solving − λ · expected units to the end of the run
//
// with W(n) = max over models of p − λE + (1 − p)·W(n − 1), where n attempts are
// left and nobody may give up, and takes for λ the least price of a unit at which
// the rest of the stream is expected to stay within what is left of its
// allowance. A step-wise oracle is no bound: an attempt that is cheap and fails
// makes the run dearer, which a single step does not show. What an attempt costs it
// knows as well as anyone, by the means so far.
type planner struct {
	s      *stream
	price  float64
	chance map[foreseen]next
}

type foreseen struct {
	item, said    string
	model, failed int
}

type next struct {
	chance float64
	said   string
	solved bool
}

const (
	replans    = 12    // times per stream that the price is set
	priceSteps = 30    // of the bisection, in the logarithm
	leastPrice = 1e-12 // per unit: of equal chances the cheaper
)

func newPlanner(s *stream) *planner {
	return &planner{s: s, chance: map[foreseen]next{}, price: leastPrice}
}

// settle sets the price for the items that are left, given what was spent on those
// before: now and then, since it takes a while, and before every item of the last
// stretch, where luck can no longer even out.
func (p *planner) settle(items []Item, at int, spent float64) {
	every := max(1, len(items)/replans)
	if at%every != 0 && len(items)-at > 2*every {
		return
	}
	rest := items[at:]
	left := p.s.allowance.Units()*float64(len(items)) - spent
	low, high := leastPrice, 1e6
	if p.expected(rest, low) <= left {
		p.price = low
		return
	}
	for range priceSteps {
		mid := math.Sqrt(low * high)
		if p.expected(rest, mid) <= left {
			high = mid
		} else {
			low = mid
		}
	}
	p.price = high
}

// expected units of all the items at a price.
func (p *planner) expected(items []Item, price float64) float64 {
	sum := 0.0
	for _, it := range items {
		sum += p.plan(it, price).best("", p.s.options.MaxAttempts, tries{}).units
	}
	return sum
}

// choose is the planned model after what happened in a run; -1 for none.
func (p *planner) choose(r *run) int {
	var tried tries
	for i, m := range p.s.models {
		for range r.tried[m.Name] {
			tried = p.tried(tried, i)
		}
	}
	return p.plan(r.item, p.price).best(r.said, p.s.options.MaxAttempts-len(r.steps), tried).model
}

// tries counts the attempts of each model in a run.
type tries [16]uint8

// tried counts one more, where it matters to the next.
func (p *planner) tried(t tries, model int) tries {
	_, drawn := p.s.world.(Drawn)
	if (drawn || !p.s.repeatable()) && model < len(t) {
		t[model]++
	}
	return t
}

// itemPlan plans one item at one price.
type itemPlan struct {
	p     *planner
	item  Item
	price float64
	costs []float64
	memo  map[state]outlook
}

type state struct {
	said  string
	left  int
	tried tries
}

// outlook is what the best plan from a state comes to.
type outlook struct {
	net   float64 // chance of solving less the price of the units
	units float64
	model int
}

func (p *planner) plan(it Item, price float64) *itemPlan {
	x := &itemPlan{p: p, item: it, price: price, memo: map[state]outlook{}}
	for _, m := range p.s.models {
		x.costs = append(x.costs, p.s.costs.expected(m, it.Kind).Units)
	}
	return x
}

func (x *itemPlan) best(said string, left int, tried tries) outlook {
	at := state{said, left, tried}
	if o, ok := x.memo[at]; ok {
		return o
	}
	o := outlook{model: -1}
	if left > 0 {
		for i := range x.costs {
			if !x.p.s.repeatable() && tried.of(i) > 0 {
				continue
			}
			if c := x.ask(i, said, left, tried); o.model < 0 || c.net > o.net {
				o = c
			}
		}
	}
	x.memo[at] = o
	return o
}

// ask is the outlook when a model is asked now and the best plan followed then.
func (x *itemPlan) ask(i int, said string, left int, tried tries) outlook {
	n := x.p.next(x.item, i, said, tried.of(i))
	tried = x.p.tried(tried, i)
	o := outlook{net: -x.price * x.costs[i], units: x.costs[i], model: i}
	if n.chance < 1 {
		failed := x.best(said, left-1, tried)
		o.net += (1 - n.chance) * failed.net
		o.units += (1 - n.chance) * failed.units
	}
	switch {
	case n.solved:
		o.net += n.chance
	case n.chance > 0:
		on := x.best(n.said, left-1, tried)
		o.net += n.chance * on.net
		o.units += n.chance * on.units
	}
	return o
}

func (t tries) of(model int) int {
	if model < len(t) {
		return int(t[model])
	}
	return 0
}

func (p *planner) next(it Item, model int, said string, failed int) next {
	at := foreseen{it.Suite + "\x00" + it.ID, said, model, failed}
	n, ok := p.chance[at]
	if !ok {
		c, then, _ := foresee(p.s.world, it, p.s.models[model].Name, said, failed)
		n = next{chance: min(1, max(0, c)), said: then.Said, solved: then.Solved()}
		p.chance[at] = n
	}
	return n
}

// follow leaves the planned model as the only candidate, unless it may not be
// asked any more or its worst case no longer fits.
func (p *planner) follow(r *run, cs []research.Candidate) {
	i := p.choose(r)
	left := r.budget.Left(r.spent)
	if i < 0 || !cs[i].Eligible || research.OrZero(cs[i].Worst.Joules) > research.OrZero(left.Joules) || cs[i].Worst.Seconds > left.Seconds {
		return
	}
	for j := range cs {
		if j != i && cs[j].Eligible {
			cs[j].Eligible, cs[j].WhyCode, cs[j].WhyNot = false, "plan", "The oracle plans otherwise."
		}
	}
}
