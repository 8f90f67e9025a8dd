package trial

// costStrength is how many attempts weigh as much as what the world said an
// attempt costs before any was seen.
const costStrength = 5

// costBook learns E(m): the running mean of what an attempt by a model at a kind
// of task cost, with the world's prior standing in for costStrength of them.
type costBook map[costKey]costSum

type costKey struct{ model, kind string }

type costSum struct {
	n   float64
	sum Cost
}

func (b costBook) expected(m Model, kind string) Cost {
	prior, _ := m.costs(kind)
	s := b[costKey{m.Name, kind}]
	mean := func(prior, sum float64) float64 { return (costStrength*prior + sum) / (costStrength + s.n) }
	return Cost{
		Units:   mean(prior.Units, s.sum.Units),
		Dollars: mean(prior.Dollars, s.sum.Dollars),
		Seconds: mean(prior.Seconds, s.sum.Seconds),
	}
}

func (b costBook) add(model, kind string, c Cost) {
	k := costKey{model, kind}
	s := b[k]
	b[k] = costSum{s.n + 1, s.sum.plus(c)}
}

func (c Cost) plus(d Cost) Cost {
	return Cost{c.Units + d.Units, c.Dollars + d.Dollars, c.Seconds + d.Seconds}
}
