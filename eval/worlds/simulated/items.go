package simulated

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/research"
)

// latent is what nobody but the simulator knows of an item.
type latent struct {
	difficulty float64
	crux       int // the stage that decides, never the first
	knack      map[research.Tier]float64
}

// sketch is an item being made. Its words are drawn from topic and demands alone,
// which are all that hints at its difficulty.
type sketch struct {
	topic   int // of the kind's, harder ones last
	demands int // 0 to maxDemands
	hidden  latent
}

// How much of difficulty shows, as correlations: with the topic, and with what is
// demanded before it is rounded to a number of sentences. The rest is hidden, so
// the words tell about a quarter of its variance.
const (
	byTopic    = 0.35
	byDemands  = 0.40
	maxDemands = 4
)

// cruxes are the stages that decide, as often as they do.
var cruxes = [...]int{1, 2, 2, 2, 3}

// draw makes n items of a row.
func draw(r row, n int, rng *rand.Rand) []sketch {
	hidden := math.Sqrt(1 - byTopic*byTopic - byDemands*byDemands)
	pull := pulls(len(words[r.kind].topics))
	list := make([]sketch, n)
	for i := range list {
		topic, demand := rng.IntN(len(pull)), rng.NormFloat64()
		s := sketch{topic: topic, demands: int(min(maxDemands, max(0, math.Round(2+1.2*demand))))}
		s.hidden.difficulty = byTopic*pull[topic] + byDemands*demand + hidden*rng.NormFloat64()
		s.hidden.crux = cruxes[rng.IntN(len(cruxes))]
		s.hidden.knack = map[research.Tier]float64{}
		for _, t := range research.Tiers() {
			s.hidden.knack[t] = rng.NormFloat64()
		}
		list[i] = s
	}
	level(list)
	return list
}

// pulls are what n topics do to difficulty: evenly spread, mean 0 and variance 1.
func pulls(n int) []float64 {
	list := make([]float64, n)
	scale := math.Sqrt(float64(n*n-1) / 12)
	for i := range list {
		list[i] = (float64(i) - float64(n-1)/2) / scale
	}
	return list
}

// level gives difficulties the spread of the model exactly, each keeping its
// rank, so that even a small sample is as hard as the benchmark was.
func level(list []sketch) {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(list[a].hidden.difficulty, list[b].hidden.difficulty) })
	for rank, i := range order {
		p := (float64(rank) + 0.5) / float64(len(list))
		list[i].hidden.difficulty = math.Sqrt2 * math.Erfinv(2*p-1)
	}
}

// item writes down what may be seen of a sketch.
func (s sketch) item(r row, seed, i int, rng *rand.Rand) trial.Item {
	return trial.Item{
		ID: fmt.Sprintf("%s/s%d-%04d", r.name, seed, i+1), Suite: r.name, Kind: r.kind,
		Text: words[r.kind].write(s.topic, s.demands, rng),
	}
}
