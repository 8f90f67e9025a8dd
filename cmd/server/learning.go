package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/store"
)

// learnStore is where samples and trained predictors are kept.
type learnStore interface {
	RouterState(ctx context.Context, key string) (research.RouterState, error)
	GainStats(ctx context.Context, key string) ([]research.GainStat, error)
	GainSamples(ctx context.Context, key string, limit int) ([]research.GainSample, error)
	Predictor(ctx context.Context, key string) (research.TrainedPredictor, error)
	SavePredictor(ctx context.Context, p research.TrainedPredictor, joules research.Micro, broken int64) (bool, error)
	AddTraining(ctx context.Context, key string, joules research.Micro) error
}

var _ learnStore = (*store.Store)(nil)

// learner trains the predictors of policy streams on what the store keeps, and
// hands out the newest stored one, whichever process trained it. All it knows is
// in the store: it can be lost at any time.
type learner struct {
	store  learnStore
	embed  progress.Embedder
	config progress.Config
	meter  *energy.Meter
	track  func(*energy.Account) (release func())
	log    *slog.Logger
	now    func() time.Time
	wake   chan struct{}

	training sync.Mutex // one training at a time
	mu       sync.Mutex
	streams  map[string]*knowledge
}

// knowledge is what this process knows of a stream's predictor.
type knowledge struct {
	model   *progress.Model // nil before there was one
	version int64           // of the stored one that was looked at last
	broken  int64           // the version that could not be read; 0 for none
	replace bool            // …and is not a newer program's
	tried   int64           // samples at which a training failed
}

// saveTimeout bounds the saving of what was learned while the program stops.
const saveTimeout = 5 * time.Second

func newLearner(s learnStore, embed progress.Embedder, m *energy.Meter, track func(*energy.Account) func(), log *slog.Logger) *learner {
	return &learner{
		store: s, embed: embed, config: progress.DefaultConfig(), meter: m, track: track, log: log, now: time.Now,
		wake: make(chan struct{}, 1), streams: map[string]*knowledge{},
	}
}

// model is the newest predictor of a stream, nil before there is one. version is
// that of the stored one (see research.RouterState); only when it has changed is
// anything read.
func (l *learner) model(ctx context.Context, key string, version int64) *progress.Model {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.known(key)
	if version > k.version {
		l.load(ctx, key, k)
	}
	return k.model
}

func (l *learner) known(key string) *knowledge {
	k := l.streams[key]
	if k == nil {
		k = &knowledge{}
		l.streams[key] = k
	}
	return k
}

// load takes up the stored predictor. One that cannot be read is told once, and
// what was known before goes on.
func (l *learner) load(ctx context.Context, key string, k *knowledge) {
	p, err := l.store.Predictor(ctx, key)
	if err != nil {
		warn(ctx, l.log, "predictor cannot be read", err)
		return
	}
	k.version = p.Version
	var m *progress.Model
	if p.Format == progress.Format {
		m, err = progress.Decode(p.Blob, l.embed)
	} else {
		err = fmt.Errorf("format %d, this program knows %d", p.Format, progress.Format)
	}
	if err != nil {
		k.broken, k.replace = p.Version, p.Format <= progress.Format
		l.log.WarnContext(ctx, "predictor cannot be used and is trained anew", "key", key, "err", err)
		return
	}
	k.broken, k.replace = 0, false
	if k.model == nil || m.Through() >= k.model.Through() {
		k.model = m
	}
}

// poke says that there may be something new to learn. It never waits.
func (l *learner) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// run learns in the background until ctx ends: at once, from what an earlier
// process left, and whenever it is poked.
func (l *learner) run(ctx context.Context, key string) {
	for {
		if err := l.learn(ctx, key); err != nil {
			warn(ctx, l.log, "learning failed; it is tried again when more is known", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
		}
	}
}

// learn trains a stream's predictor if enough has happened since it was trained
// last.
func (l *learner) learn(ctx context.Context, key string) error {
	l.training.Lock()
	defer l.training.Unlock()
	state, err := l.store.RouterState(ctx, key)
	if err != nil {
		return err
	}
	l.model(ctx, key, state.Version) // so that what others trained is known
	if !l.due(key, state) {
		return nil
	}
	return l.train(ctx, key)
}

// due goes by what is stored, or where that cannot be read by what this process
// made of it.
func (l *learner) due(key string, state research.RouterState) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.known(key)
	trained := state.Through
	if k.broken != 0 && k.broken == state.Version {
		trained = 0
	}
	if k.model != nil {
		trained = max(trained, k.model.Through())
	}
	return progress.DueAt(int(state.Samples), int(max(trained, k.tried)))
}

// train learns from the samples and stores the result. The work is metered on an
// account of its own and its joules counted, whatever came of it. It is done on
// the learner's own goroutine, not on the pool: as one long piece of work it would
// keep a worker from the runs, where the scheduler shares threads fairly.
func (l *learner) train(ctx context.Context, key string) error {
	account := energy.NewAccount(0)
	release := l.track(account)
	defer release()
	var trained research.TrainedPredictor
	var seen int64
	var m *progress.Model
	var err error
	began := energy.Do(energy.WithPart(energy.WithAccount(ctx, account), energy.PartRouter), func() {
		m, trained, seen, err = l.fit(ctx, key)
	})
	release()
	if began != nil {
		return began
	}
	joules := research.OrZero(l.meter.EnergyOf(account).Joules)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	if err != nil {
		l.mu.Lock()
		l.known(key).tried = seen
		l.mu.Unlock()
		if cerr := l.store.AddTraining(ctx, key, joules); cerr != nil {
			warn(ctx, l.log, "training cannot be counted", cerr)
		}
		return fmt.Errorf("train predictor: %w", err)
	}
	trained.CPU = account.CPU(energy.PartRouter)
	return l.keep(ctx, m, trained, joules)
}

// keep stores a trained predictor. Where that is refused, a better informed one is
// stored, or a newer program's; then this process goes by the better one it can
// read.
func (l *learner) keep(ctx context.Context, m *progress.Model, p research.TrainedPredictor, joules research.Micro) error {
	l.mu.Lock()
	k := l.known(p.Key)
	broken := int64(0)
	if k.replace {
		broken = k.broken
	}
	l.mu.Unlock()
	saved, err := l.store.SavePredictor(ctx, p, joules, broken)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !saved && (k.model == nil || m.Through() > k.model.Through()) {
		k.model = m
	}
	l.log.DebugContext(ctx, "predictor trained", "key", p.Key, "samples", p.Samples, "through", p.Through, "cpu", p.CPU, "saved", saved)
	return nil
}

// fit reads the samples and trains. seen is the place of the last one. Samples
// whose features cannot be read are passed over.
func (l *learner) fit(ctx context.Context, key string) (m *progress.Model, p research.TrainedPredictor, seen int64, err error) {
	defer func() { // a sample that breaks the training must not break every start
		if r := recover(); r != nil {
			err = fmt.Errorf("%v\n%s", r, debug.Stack())
		}
	}()
	limit := store.SamplesKept
	if w := l.config.Window; w > 0 {
		limit = min(limit, w)
	}
	rows, err := l.store.GainSamples(ctx, key, limit)
	if err != nil {
		return nil, p, 0, err
	}
	stats, err := l.store.GainStats(ctx, key)
	if err != nil {
		return nil, p, 0, err
	}
	samples, tiers := make([]progress.Sample, 0, len(rows)), map[string]research.Tier{}
	for _, r := range rows {
		seen = r.Seq
		s, ok := sampleOf(r)
		if !ok {
			continue
		}
		samples = append(samples, s)
		tiers[s.Features.Model] = s.Features.Tier
	}
	m = progress.Train(samples, progress.NewPrior(stats, tiers), l.embed, l.config)
	blob, err := m.Encode()
	if err != nil {
		return nil, p, seen, err
	}
	return m, research.TrainedPredictor{
		Key: key, Through: seen, Samples: m.Samples(), Format: progress.Format, Blob: blob, TrainedAt: l.now(),
	}, seen, nil
}

// featuresFor are a candidate's features as they are stored: the words of the
// question stay with the run alone.
func featuresFor(f progress.Features) json.RawMessage {
	f.Question = ""
	b, err := json.Marshal(f)
	if err != nil { // a number that is none
		return nil
	}
	return b
}

// sampleOf reads a stored sample.
func sampleOf(r research.GainSample) (progress.Sample, bool) {
	s := progress.Sample{ID: r.Seq, Gain: r.Gain, Predicted: r.Predicted, Explored: r.Explored, Propensity: r.Propensity}
	if err := json.Unmarshal(r.Features, &s.Features); err != nil || s.Features.Model == "" {
		return s, false
	}
	s.Features.Question = r.Question
	return s, true
}
