package simulated

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/eval/trial"
)

// What an item shows hints at its difficulty as much as meant and no more: the
// best guess from topic and number of demands, and beside it nothing else.
func TestItemsShowNoMoreThanMeant(t *testing.T) {
	t.Parallel()
	for _, r := range rows() {
		w := simulate(t, r.name, 4000, 101)
		truth := make([]float64, len(w.items))
		for i, it := range w.items {
			truth[i] = w.hidden[it.ID].difficulty
		}
		guess := bestGuess(w, truth)
		hint := correlation(guess, truth)
		t.Logf("%s: hint against difficulty %.2f", r.name, hint)
		if hint < 0.35 || hint > 0.65 {
			t.Errorf("%s: the hint tells %.2f of difficulty", r.name, hint)
		}
		rest := make([]float64, len(truth))
		for i := range rest {
			rest[i] = truth[i] - guess[i]
		}
		for name, shown := range visible(w) {
			if c := correlation(shown, rest); math.Abs(c) > 0.075 { // 4.7 standard errors
				t.Errorf("%s: %s tells %.3f of what should be hidden", r.name, name, c)
			}
		}
	}
}

// bestGuess is the mean difficulty of items with the same topic and number of
// demands, both read from the words.
func bestGuess(w *World, truth []float64) []float64 {
	type cell struct{ topic, demands int }
	sums, counts := map[cell]float64{}, map[cell]float64{}
	cells := make([]cell, len(w.items))
	k := words[w.row.kind]
	for i, it := range w.items {
		c := cell{topic: topicOf(k, it.Text)}
		for _, d := range k.demands {
			c.demands += strings.Count(it.Text, d)
		}
		cells[i] = c
		sums[c] += truth[i]
		counts[c]++
	}
	guess := make([]float64, len(truth))
	for i, c := range cells {
		guess[i] = sums[c] / counts[c]
	}
	return guess
}

func topicOf(k wording, text string) int {
	return slices.IndexFunc(k.topics, func(topic string) bool {
		for _, part := range strings.Split(topic, "#") {
			if !strings.Contains(text, part) {
				return false
			}
		}
		return true
	})
}

// visible is everything about an item that a policy could turn into a number.
func visible(w *World) map[string][]float64 {
	list := map[string][]float64{}
	vocabulary := map[string]bool{}
	for _, it := range w.items {
		for _, word := range strings.Fields(it.Text) {
			vocabulary[word] = true
		}
	}
	add := func(name string, f func(int, trial.Item) float64) {
		for i, it := range w.items {
			list[name] = append(list[name], f(i, it))
		}
	}
	add("its place", func(i int, _ trial.Item) float64 { return float64(i) })
	add("the length of its words", func(_ int, it trial.Item) float64 { return float64(len(it.Text)) })
	for name, text := range map[string]func(trial.Item) string{
		"its id": func(it trial.Item) string { return it.ID }, "the hash of its words": func(it trial.Item) string { return it.Text },
	} {
		add(name, func(_ int, it trial.Item) float64 {
			h := fnv.New32a()
			h.Write([]byte(text(it)))
			return float64(h.Sum32())
		})
	}
	for word := range vocabulary {
		add("the word "+word, func(_ int, it trial.Item) float64 { return float64(strings.Count(it.Text, word)) })
	}
	return list
}

func correlation(x, y []float64) float64 {
	n := float64(len(x))
	var sx, sy, sxx, syy, sxy float64
	for i := range x {
		sx, sy = sx+x[i], sy+y[i]
		sxx, syy, sxy = sxx+x[i]*x[i], syy+y[i]*y[i], sxy+x[i]*y[i]
	}
	d := math.Sqrt((n*sxx - sx*sx) * (n*syy - sy*sy))
	if !(d > 0) {
		return 0
	}
	return (n*sxy - sx*sy) / d
}
