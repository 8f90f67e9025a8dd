package simulated

import "math"

// fit finds the ability, joules and seconds with which "attempt until solved, at
// most Attempts times" comes to the published figures on average over items. It
// is an integral over difficulty and knack on a grid, so nothing in it is drawn.
func fit(want figures) capacity {
	low, high := -20., 20.
	for range 60 {
		mid := (low + high) / 2
		if solved, _ := expect(mid); solved < want.solved {
			low = mid
		} else {
			high = mid
		}
	}
	c := capacity{ability: (low + high) / 2}
	_, attempts := expect(c.ability)
	c.joules, c.seconds = want.joules/attempts, want.seconds/attempts
	return c
}

// expect is the share solved and the mean number of attempts, each weighed with
// what it costs on its item compared with the mean item.
func expect(ability float64) (solved, attempts float64) {
	nodes := grid()
	for _, d := range nodes {
		for _, u := range nodes {
			p := logistic(ability - spread*d.at + knack*u.at)
			ends := 1 - math.Pow(1-p, Attempts)
			w := d.weight * u.weight
			solved += w * ends
			attempts += w * ends / p * dearer(d.at)
		}
	}
	return solved, attempts
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
	for x := -5.; x <= 5; x += 0.125 {
		list = append(list, node{x, math.Exp(-x * x / 2)})
		sum += math.Exp(-x * x / 2)
	}
	for i := range list {
		list[i].weight /= sum
	}
	return list
}
