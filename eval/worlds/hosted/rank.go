package hosted

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/research"
)

// What an answer is thought to take before any was seen: a short question and a
// short answer, the same for every model. Nothing of it is from the records.
const (
	priorInput  = 300 // tokens
	priorOutput = 150 // tokens
	priorLength = 0.4 // thousand characters
)

// unlisted is the price of models that the product's table does not know, in
// dollars per million tokens: what small hosted models asked for in 2024.
var unlisted = research.Price{Input: 0.5, Output: 1.5, Currency: "USD"}

// mean of one model's answers.
type mean struct {
	model       string
	cost, score float64
	most        trial.Cost
}

// rank makes the models, tiers by mean cost: what is dearer is the larger tier,
// better or not. Worst is the dearest recorded answer and a little more.
func (w *World) rank(names []string) error {
	tiers := map[int][]research.Tier{
		1: {research.Small}, 2: {research.Small, research.Large}, 3: {research.Small, research.Medium, research.Large},
	}[len(names)]
	if tiers == nil {
		return fmt.Errorf("there are %d models, and tiers for at most 3", len(names))
	}
	means := make([]mean, 0, len(names))
	for _, name := range names {
		means = append(means, w.mean(name))
	}
	slices.SortStableFunc(means, func(a, b mean) int { return cmp.Compare(a.cost, b.cost) })
	for i, m := range means {
		w.models = append(w.models, trial.Model{
			Name: m.model, Tier: tiers[i], Prior: w.prior(m.model),
			Worst: trial.Cost{Units: 1.05 * m.most.Units, Dollars: 1.05 * m.most.Dollars, Seconds: 1.05 * m.most.Seconds},
		})
	}
	w.note(means)
	return nil
}

func (w *World) mean(model string) mean {
	m := mean{model: model}
	for _, it := range w.items { // in order: sums of floats depend on it
		a := w.answers[it.ID][model]
		c := w.cost(a)
		m.cost += c.Units / float64(len(w.items))
		m.score += a.share() / float64(len(w.items))
		m.most.Units = max(m.most.Units, c.Units)
		m.most.Dollars = max(m.most.Dollars, c.Dollars)
		m.most.Seconds = max(m.most.Seconds, c.Seconds)
	}
	return m
}

func (w *World) prior(model string) trial.Cost {
	if !w.byMoney {
		return trial.Cost{Units: priorLength}
	}
	p := listed(model)
	dollars := energy.Dollars(p, research.Tokens{Input: priorInput, Output: priorOutput}).Units()
	return trial.Cost{Units: 1000 * dollars, Dollars: dollars}
}

// listed is the price of a model in the product's table, wherever it is served.
func listed(model string) research.Price {
	table, err := energy.LoadPrices("")
	if err != nil {
		return unlisted
	}
	id := model[strings.LastIndex(model, "/")+1:]
	for _, server := range []string{"https://api.anthropic.com", "https://generativelanguage.googleapis.com", ""} {
		if p, ok := table.Of(research.LanguageModel{ID: id, Name: id}, research.Provider{BaseURL: server}); ok {
			return p
		}
	}
	return unlisted
}

func (w *World) note(means []mean) {
	for i, m := range means {
		w.notes = append(w.notes, fmt.Sprintf("%s (%s): mean score %.3f at %.4g %s.",
			m.model, w.models[i].Tier, m.score, m.cost, w.Unit().Symbol))
		if i > 0 && m.score < means[0].score {
			w.notes = append(w.notes, fmt.Sprintf("Tiers are by cost: %s is dearer than %s and not better.", m.model, means[0].model))
		}
	}
	if !w.byMoney {
		w.notes = append(w.notes, "Length is a stand-in for cost: a character of one model may cost many times that of another.")
	}
}
