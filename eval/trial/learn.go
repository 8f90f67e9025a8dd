package trial

import (
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
)

// learner is a stream's own predictor: it starts cold, takes in every attempt
// after it was made and is trained again on the schedule of the product.
type learner struct {
	models  []Model
	tiers   map[string]research.Tier
	embed   progress.Embedder
	config  progress.Config
	mode    mode
	stats   map[string]*research.GainStat
	samples []progress.Sample
	trained int // samples the model was trained on; 0 before the first time
	current progress.Predictor
}

// mode is how much of the predictor a policy has.
type mode struct {
	path   progress.Path // one of the predictor's paths; empty for all of it
	frozen bool          // the prior before any data, for ever
	prior  bool          // the prior with its running statistics, without the learned paths
}

// modeOf: policies that do not look at predictions of attempts are spared the
// training.
func modeOf(p research.Policy) mode {
	switch p {
	case research.ProgRouter, research.NoQueue, research.NoPenalty, research.NoScorer, research.Greedy:
		return mode{}
	case research.StructuredOnly:
		return mode{path: progress.PathStructured}
	case research.SemanticOnly:
		return mode{path: progress.PathSemantic}
	case research.MeanOfPaths:
		return mode{path: progress.PathMean}
	case research.NoPredictor:
		return mode{frozen: true}
	}
	return mode{prior: true}
}

func newLearner(models []Model, m mode, o Options) *learner {
	l := &learner{
		models: models, mode: m, embed: o.Embedder, config: progress.DefaultConfig(),
		tiers: map[string]research.Tier{}, stats: map[string]*research.GainStat{},
	}
	if o.Training != nil {
		l.config = *o.Training
	}
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
	l.learn()
}

func (l *learner) learn() {
	switch {
	case l.mode.frozen:
		return
	case !l.mode.prior && l.embed != nil && progress.DueAt(len(l.samples), l.trained):
		m := progress.Train(l.samples, l.prior(), l.embed, l.config)
		l.trained, l.current = len(l.samples), m
		if l.mode.path != "" {
			l.current = m.Only(l.mode.path)
		}
	case l.trained == 0:
		l.current = l.prior()
	}
}

func (l *learner) prior() *progress.Prior { return progress.NewPrior(l.record(), l.tiers) }
