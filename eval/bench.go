// Package eval runs policies side by side on suites of questions and writes
// down what they brought and what they cost. No language model judges; the
// measures are in eval/measure. Only the bench subcommand uses it.
package eval

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/progrouter/progrouter/eval/stats"
	"github.com/progrouter/progrouter/eval/suite"
	"github.com/progrouter/progrouter/research"
)

// Options are what the bench subcommand is given.
type Options struct {
	Suites    []*suite.Suite
	Policies  []research.Policy
	Seeds     int
	First     int     // the first seed; the others follow it
	Split     string  // stats.Development or stats.Reported questions alone; empty means all
	Allowance float64 // joules per run; 0 means 0.6 × the mean of fixed-large
	Limit     int     // questions per suite, a seeded sample; 0 means all
	Depth     research.Depth
	Progress  io.Writer
	Runs      io.Writer // one JSON line per run; nil writes none
}

// Lab makes the runs: it is the whole program wired together.
type Lab interface {
	// Prepare indexes a suite's pages once and says what that cost.
	Prepare(ctx context.Context, s *suite.Suite) (research.Energy, error)
	// Stream opens a stream of runs with a virtual queue of its own.
	Stream(policy research.Policy, seed int, allowance research.Micro) Stream
	// Rank orders a suite's passages for the original question, best first.
	Rank(ctx context.Context, t research.Tier, s *suite.Suite, question string, k int) ([]RankedPassage, error)
}

// Stream runs questions one after the other, each from cold caches.
type Stream interface {
	Run(ctx context.Context, s *suite.Suite, q suite.Question, d research.Depth, seed int64) (*research.Ledger, error)
}

// RankedPassage is a passage of a ranking.
type RankedPassage struct {
	URL  string `json:"url"`
	Text string `json:"text"`
}

// allowanceShare of fixed-large's mean is the default allowance.
const allowanceShare = 0.6

// rankedKept passages of a ranking are written down.
const rankedKept = 20

// Bench runs everything and returns the rows, one per run, in the order of the
// stream: policy, then seed, then question.
func Bench(ctx context.Context, lab Lab, o Options) (*Result, error) {
	res := &Result{Seeds: o.Seeds, First: o.First, Split: o.Split, Allowance: o.Allowance, Metric: qualityMetric}
	if len(o.items(o.First)) == 0 {
		return nil, research.Errorf(research.EInvalid, "suite_empty", "The suites have no questions to play. Check the files, the split and the limit.")
	}
	for _, s := range o.Suites {
		e, err := lab.Prepare(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("index %s: %w", s.Name, err)
		}
		res.Suites = append(res.Suites, s.Name)
		res.IndexEnergy = append(res.IndexEnergy, e)
	}
	order := o.order()
	for _, p := range order {
		if res.Allowance == 0 {
			if m, ok := res.meanJoules(research.FixedLarge); ok {
				res.Allowance = allowanceShare * m
			}
		}
		for seed := o.First; seed < o.First+o.Seeds; seed++ {
			if _, fixed := p.FixedTier(); fixed && seed > o.First {
				res.again(o, p, seed)
				continue
			}
			if err := o.stream(ctx, lab, res, p, seed); err != nil {
				return nil, err
			}
		}
	}
	if res.Allowance == 0 {
		if m, ok := res.meanJoules(research.FixedLarge); ok {
			res.Allowance = allowanceShare * m
		}
	}
	return res, nil
}

// order puts fixed-large first where the default allowance needs it.
func (o Options) order() []research.Policy {
	if o.Allowance > 0 || !slices.ContainsFunc(o.Policies, needsAllowance) {
		return o.Policies
	}
	rest := slices.DeleteFunc(slices.Clone(o.Policies), func(p research.Policy) bool { return p == research.FixedLarge })
	return append([]research.Policy{research.FixedLarge}, rest...)
}

func needsAllowance(p research.Policy) bool {
	_, fixed := p.FixedTier()
	return !fixed
}

// item is one question of the stream.
type item struct {
	suite    *suite.Suite
	question suite.Question
}

// items is the stream of a seed: the same for every policy.
func (o Options) items(seed int) []item {
	var out []item
	for i, s := range o.Suites {
		qs := slices.DeleteFunc(slices.Clone(s.Questions), func(q suite.Question) bool {
			return o.Split != "" && stats.SplitOf(q.ID) != o.Split
		})
		if o.Limit > 0 && o.Limit < len(qs) {
			sample := rand.New(rand.NewPCG(uint64(i), 7)) //nolint:gosec // a reproducible sample
			sample.Shuffle(len(qs), func(a, b int) { qs[a], qs[b] = qs[b], qs[a] })
			qs = qs[:o.Limit]
		}
		for _, q := range qs {
			out = append(out, item{s, q})
		}
	}
	r := rand.New(rand.NewPCG(uint64(seed), 11)) //nolint:gosec // a reproducible order
	r.Shuffle(len(out), func(a, b int) { out[a], out[b] = out[b], out[a] })
	return out
}

func (o Options) stream(ctx context.Context, lab Lab, res *Result, p research.Policy, seed int) error {
	st := lab.Stream(p, seed, research.ToMicro(res.Allowance))
	items := o.items(seed)
	for i, it := range items {
		l, err := st.Run(ctx, it.suite, it.question, o.Depth, int64(seed)*1_000_003+int64(i))
		if err != nil {
			return fmt.Errorf("%s on %s: %w", p, it.question.ID, err)
		}
		row, err := o.measure(ctx, lab, p, seed, it, l)
		if err != nil {
			return err
		}
		row.position = i
		res.Rows = append(res.Rows, row)
		if o.Progress != nil {
			fmt.Fprintf(o.Progress, "%-14s seed %d  %3d/%d  %-18s %-11s quality %.3f  %8.2f J\n",
				p, seed, i+1, len(items), it.question.ID, l.Run.Status, row.Quality, row.Joules)
		}
	}
	return nil
}
