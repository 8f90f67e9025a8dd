package trial

import (
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
)

// learner is a stream's own predictor: it starts cold, takes in every attempt
// after it was made and is trained again on the schedule of the product.
type learner struct {
	tiers   map[string]research.Tier
	models  []Model
	stats   map[string]*research.GainStat
	samples []progress.Sample
	current progress.Predictor
}

func newLearner(models []Model) *learner {
	l := &learner{models: models, tiers: map[string]research.Tier{}, stats: map[string]*research.GainStat{}}
	for _, m := range models {
		l.tiers[m.Name] = m.Tier
	}
	l.current = progress.NewPrior(nil, l.tiers)
	return l
}

// record lists the running statistics, in the order of the models.
func (l *learner) record() []research.GainStat {
	var out []research.GainStat
	for _, m := range l.models {
		if s := l.stats[m.Name]; s != nil {
			out = append(out, *s)
		}
	}
	return out
}

// take learns from a finished attempt, or a finished run.
func (l *learner) take(s progress.Sample, c Cost) {
	s.ID = int64(len(l.samples)) + 1
	l.samples = append(l.samples, s)
	st := l.stats[s.Features.Model]
	if st == nil {
		st = &research.GainStat{Model: s.Features.Model, Role: s.Features.Role}
		l.stats[st.Model] = st
	}
	st.N++
	st.Gain += s.Gain
	st.Joules += research.ToMicro(c.Units)
	st.Dollars += research.ToMicro(c.Dollars)
	st.Seconds += c.Seconds
	l.current = progress.NewPrior(l.record(), l.tiers)
}
