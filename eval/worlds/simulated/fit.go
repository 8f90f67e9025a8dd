package simulated

import (
	"math"

	"github.com/progrouter/progrouter/research"
)

// fit finds the ability, joules and seconds with which a model alone comes to the
// published figures on average over items. It is an integral over difficulty and
// knack on a grid, so nothing in it is drawn.
func fit(want figures, t research.Tier) capacity {
	low, high := -20., 20.
	for range 40 {
		mid := (low + high) / 2
		if solved, _ := expect(mid, routine(t)); solved < want.solved {
			low = mid
		} else {
			high = mid
		}
	}
	c := capacity{ability: (low + high) / 2}
	_, attempts := expect(c.ability, routine(t))
	c.joules, c.seconds = want.joules/attempts, want.seconds/attempts
	return c
}

// expect is the share solved and the mean number of attempts, each weighed with
// what it costs on its item compared with the mean item.
func expect(ability, routine float64) (solved, attempts float64) {
	nodes := grid()
	for _, d := range nodes {
		for _, u := range nodes {
			p, n := finish(logistic(ability-spread*d.at+knack*u.at), logistic(routine-ease*d.at))
			w := d.weight * u.weight
			solved += w * p
			attempts += w * n * dearer(d.at)
		}
	}
	return solved, attempts
}

// finish is the chance that a task is solved within Attempts, and how many are
// made on average, from the chances of getting its crux and a routine stage done.
// Where the crux stands makes no difference to either.
func finish(crux, routine float64) (solved, attempts float64) {
	var at [Stages + 1]float64 // chance that so many stages are done
	at[0] = 1
	for range Attempts {
		next := at
		for k, open := range at[:Stages] {
			attempts += open
			p := routine
			if k == Stages-1 {
				p = crux
			}
			next[k] -= open * p
			next[k+1] += open * p
		}
		at = next
	}
	return at[Stages], attempts
}

// dearer is how many times the mean attempt one at an item of that difficulty
// costs; 1 on average.
func dearer(difficulty float64) float64 { return math.Exp(slope*difficulty - slope*slope/2) }

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// node of the grid over a standard normal variable.
type node struct{ at, weight float64 }

// grid covers what occurs of a standard normal variable.
func grid() []node {
	var list []node
	sum := 0.
	for x := -5.; x <= 5; x += 0.25 {
		list = append(list, node{x, math.Exp(-x * x / 2)})
		sum += math.Exp(-x * x / 2)
	}
	for i := range list {
		list[i].weight /= sum
	}
	return list
}
