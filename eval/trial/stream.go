package trial

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/progrouter/progrouter/eval/stats"
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
)

// stream is one policy on one seed: what it has learned and owes so far.
type stream struct {
	world     World
	models    []Model
	options   Options
	policy    research.Policy
	seed      int
	allowance research.Micro

	queue     research.Micro
	decisions int64
	costs     costBook // of attempts
	attempts  *learner // of the gain of an attempt

	// What one-shot learns: the gain and the cost of whole runs by the model that
	// was chosen for them.
	runs     *learner
	runCosts costBook

	plan *planner // of the oracle, else nil

	// begun are the first decisions of the last runs, by which the price of energy is
	// set before the next one.
	begun []router.Input
	price float64
}

// foreseenRuns is how many runs the price of energy looks back.
const foreseenRuns = 40

func newStream(w World, o Options, p research.Policy, seed int, allowance float64) *stream {
	if r, ok := w.(Reseeded); ok {
		w = r.ForSeed(seed)
	}
	s := &stream{
		world: w, models: w.Models(), options: o, policy: p, seed: seed, allowance: research.ToMicro(allowance),
		costs: costBook{}, runCosts: costBook{},
	}
	s.attempts = newLearner(s.models, modeOf(p), o)
	if p == research.Oracle {
		s.plan = newPlanner(s)
	}
	if p == research.OneShot {
		s.runs = newLearner(s.models, mode{}, o)
	}
	return s
}

// play runs the items one after the other. On an error it returns the rows so far
// with it.
func (s *stream) play(ctx context.Context, items []Item) ([]Row, error) {
	rows, spent := make([]Row, 0, len(items)), 0.0
	for i, it := range items {
		if s.plan != nil {
			s.plan.settle(items, i, spent)
		}
		row, err := s.run(ctx, it)
		if err != nil {
			return rows, fmt.Errorf("%s, seed %d, %s: %w", s.policy, s.seed, it.ID, err)
		}
		spent += row.Units
		row.Position, row.Steady = i, stats.Steady(i, len(items), s.options.Stable)
		rows = append(rows, row)
		if s.options.Progress != nil && s.options.EveryRun {
			fmt.Fprintf(s.options.Progress, "%-24s seed %d  %3d/%d  %-22s %-9s %d attempt(s)  %.4g %s  Q %.4g\n", s.policy, s.seed,
				i+1, len(items), it.ID, row.Stopped, len(row.Steps), row.Units, s.world.Unit().Symbol, row.Queue)
		}
	}
	return rows, nil
}

// run works on one item until it is solved or nothing more may be tried.
func (s *stream) run(ctx context.Context, it Item) (Row, error) {
	r := s.begin(it)
	for {
		if err := ctx.Err(); err != nil {
			return Row{}, err
		}
		if r.row.Solved {
			r.row.Stopped = StopSolved
			break
		}
		if len(r.steps) >= s.options.MaxAttempts {
			r.row.Stopped = StopAttempts
			break
		}
		in, features := s.input(r)
		if len(r.steps) == 0 {
			s.reprice(in)
		}
		in.Params.QueueFloor = max(in.Params.QueueFloor, s.price)
		d := router.Decide(in)
		if d.Chosen == "" {
			r.row.Stopped = StopBudget
			break
		}
		s.decisions++
		if err := s.attempt(ctx, r, d, features); err != nil {
			return Row{}, err
		}
	}
	s.finish(r)
	return r.row, nil
}

// reprice sets the price of energy for a run, given its first decision, where the
// policy looks at it.
func (s *stream) reprice(first router.Input) {
	_, fixed := s.policy.FixedTier()
	switch s.policy {
	case research.Random, research.Cascade, research.Greedy, research.NoQueue, research.Oracle:
		return
	}
	if fixed {
		return
	}
	s.begun = append(s.begun, first)
	if len(s.begun) > foreseenRuns {
		s.begun = slices.Delete(s.begun, 0, 1)
	}
	s.price = router.Price(s.begun)
}

// rounding of sums of seconds.
const rounding = 1e-6

// finish settles the queue and what is learned from a run as a whole.
func (s *stream) finish(r *run) {
	s.queue = router.UpdateQueue(s.queue, research.OrZero(r.spent.Joules), s.allowance)
	r.row.Queue = s.queue.Units()
	r.row.Overrun = research.OrZero(r.spent.Joules) > *r.budget.Joules || r.spent.Seconds > *r.budget.Seconds+rounding
	if s.runs == nil || len(r.steps) == 0 {
		return
	}
	cost := Cost{r.row.Units, r.row.Dollars, r.row.Seconds}
	s.runCosts.add(r.steps[0].Model, r.item.Kind, cost)
	s.runs.take(progress.Sample{Features: r.first, Gain: r.view.G, Explored: r.steps[0].Decision.Explored, Propensity: r.steps[0].Decision.Propensity}, cost)
}

// attempt makes the attempt that was decided and takes in what came of it.
func (s *stream) attempt(ctx context.Context, r *run, d research.Decision, features map[string]progress.Features) error {
	n := r.tried[d.Chosen]
	rng := chance("outcome", strconv.Itoa(s.seed), r.item.Suite, r.item.ID, d.Chosen, strconv.Itoa(n))
	out, err := s.world.Attempt(ctx, r.item, d.Chosen, n, r.said, rng)
	if err != nil {
		return err
	}
	if len(r.steps) == 0 {
		r.first = features[d.Chosen]
	}
	before := r.view.G
	r.take(d, out)
	r.view = s.score(r)
	gain := r.view.G - before
	r.steps[len(r.steps)-1].ProgressAfter = r.view.G
	c := chosen(d)
	r.row.Steps = append(r.row.Steps, StepRow{
		Model: d.Chosen, Verdict: out.Verdict, Explored: d.Explored, Predicted: c.Predicted, Gain: gain,
		Units: out.Cost.Units, Expected: research.OrZero(c.Expected.Joules).Units(),
	})
	s.costs.add(d.Chosen, r.item.Kind, out.Cost)
	s.attempts.take(progress.Sample{
		Features: features[d.Chosen], Gain: gain, Predicted: c.Predicted, Explored: d.Explored, Propensity: d.Propensity,
	}, out.Cost)
	return nil
}

func chosen(d research.Decision) research.Candidate {
	for _, c := range d.Candidates {
		if c.Model == d.Chosen {
			return c
		}
	}
	return research.Candidate{}
}
