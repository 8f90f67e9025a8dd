package records

import (
	"cmp"
	"slices"

	"github.com/progrouter/progrouter/eval/stats"
	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/research"
)

// spare is how much more than the dearest record an attempt may cost.
const spare = 1.05

// development says whether a task may be learnt from before an evaluation.
func development(id string) bool { return stats.SplitOf(id) == stats.Development }

// rank lists the models of the records, small first, then by name.
func (w *World) rank(list []Record) {
	for _, r := range list {
		if !slices.ContainsFunc(w.models, func(m trial.Model) bool { return m.Name == r.Model }) {
			w.models = append(w.models, trial.Model{Name: r.Model, Tier: r.Tier, Kinds: map[string]trial.ModelKind{}})
		}
	}
	tiers := research.Tiers()
	slices.SortFunc(w.models, func(a, b trial.Model) int {
		return cmp.Or(cmp.Compare(slices.Index(tiers, a.Tier), slices.Index(tiers, b.Tier)), cmp.Compare(a.Name, b.Name))
	})
}

// sums of the costs of records, and their greatest.
type sums struct {
	n         int
	sum, most trial.Cost
}

func (s *sums) add(r Record) {
	s.n++
	s.sum.Units += r.Joules
	s.sum.Seconds += r.Seconds
	s.most.Units = max(s.most.Units, r.Joules)
	s.most.Seconds = max(s.most.Seconds, r.Seconds)
}

func (s *sums) mean() trial.Cost {
	n := float64(max(1, s.n))
	return trial.Cost{Units: s.sum.Units / n, Seconds: s.sum.Seconds / n}
}

// price sets what the models' attempts are thought to cost: the mean over the
// development tasks, by kind and over all, and at worst a little more than the
// dearest record of any task. Where no development task is among the items the
// mean is over all of them, and Notes says so.
func (w *World) price() {
	learnt := slices.ContainsFunc(w.items, func(it trial.Item) bool { return development(it.ID) })
	if !learnt {
		w.notes = append(w.notes, "Prior costs are means over every task: none of them is of the development split.")
	}
	methods := map[string]bool{}
	for i := range w.models {
		m := &w.models[i]
		var dev, all sums
		kinds, devKinds := map[string]*sums{}, map[string]*sums{}
		for _, it := range w.items {
			for _, r := range w.plays[pair{it.ID, m.Name}] {
				methods[r.Method] = true
				all.add(r)
				at(kinds, r.Kind).add(r)
				if !learnt || development(it.ID) {
					dev.add(r)
					at(devKinds, r.Kind).add(r)
				}
			}
		}
		m.Prior, m.Worst = dev.mean(), times(all.most, spare)
		for kind, s := range kinds {
			k := trial.ModelKind{Prior: m.Prior, Worst: times(s.most, spare)}
			if d := devKinds[kind]; d != nil {
				k.Prior = d.mean()
			}
			m.Kinds[kind] = k
		}
	}
	w.unit = trial.Unit{Symbol: "J", Method: research.MethodMixed}
	if len(methods) == 1 {
		for method := range methods {
			w.unit.Method = method
		}
	}
}

func at(m map[string]*sums, key string) *sums {
	if m[key] == nil {
		m[key] = &sums{}
	}
	return m[key]
}

func times(c trial.Cost, by float64) trial.Cost {
	return trial.Cost{Units: c.Units * by, Dollars: c.Dollars * by, Seconds: c.Seconds * by}
}
