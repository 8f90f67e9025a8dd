package reckon

import (
	"slices"
	"time"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
	"github.com/progrouter/progrouter/router/whatif"
)

// MaxSteps is how many steps a period is judged by at most, the newest.
const MaxSteps = 5000

// Period is what the routed steps of a period say.
type Period struct {
	Runs  int `json:"runs"`
	Steps int `json:"steps"`
	// Whole is false where the period has more than MaxSteps steps; then the newest
	// of them are looked at, and From is when the first of these finished.
	Whole bool       `json:"whole"`
	From  *time.Time `json:"from"`
	// Training is the share of these steps in what all trainings of the predictor
	// took; it counts as spent.
	Training research.Micro   `json:"training_joules"`
	Savings  whatif.Statement `json:"savings"`
}

// RunSavings are the savings of one run, or of its steps in the period.
type RunSavings struct {
	RunID      string           `json:"run"`
	Policy     research.Policy  `json:"policy"`
	FinishedAt time.Time        `json:"last_step_at"`
	Savings    whatif.Statement `json:"savings"`
}

// Learning is what training the predictor took so far, and on how many steps it
// rests.
type Learning struct {
	Joules  research.Micro
	Samples int64
}

// share spreads what training took evenly over the steps that were learned from.
func (l Learning) share(steps int) research.Micro {
	if l.Samples <= 0 {
		return 0
	}
	return research.ToMicro(max(0, l.Joules.Units()) * min(1, float64(steps)/float64(l.Samples)))
}

// OfPeriod judges the steps of a period, oldest first. Steps of policies that do
// not choose are left out.
func OfPeriod(steps []research.RoutedStep, l Learning) Period {
	out := Period{Whole: len(steps) < MaxSteps}
	ids, runs := byRun(steps)
	for _, r := range runs {
		out.Steps += len(r)
		if at := r[0].FinishedAt; out.From == nil || at != nil && at.Before(*out.From) {
			out.From = at
		}
	}
	out.Runs, out.Training = len(ids), l.share(out.Steps)
	out.Savings = whatif.State(out.Training, runs...)
	return out
}

// ByRun are the savings of each run of a period, the latest first, without what
// training took.
func ByRun(steps []research.RoutedStep) []RunSavings {
	ids, runs := byRun(steps)
	out := make([]RunSavings, 0, len(ids))
	for i, r := range runs {
		last := r[len(r)-1]
		one := RunSavings{RunID: ids[i], Policy: last.Decision.Policy, Savings: whatif.State(0, r)}
		if last.FinishedAt != nil {
			one.FinishedAt = *last.FinishedAt
		}
		out = append(out, one)
	}
	slices.SortStableFunc(out, func(a, b RunSavings) int { return b.FinishedAt.Compare(a.FinishedAt) })
	return out
}

// byRun puts the steps of each run together, in the order in which runs begin.
func byRun(steps []research.RoutedStep) (ids []string, runs [][]research.Step) {
	places := map[string]int{}
	for _, s := range steps {
		if !Routes(s.Step.Decision.Policy) {
			continue
		}
		i, ok := places[s.RunID]
		if !ok {
			i = len(ids)
			places[s.RunID], ids, runs = i, append(ids, s.RunID), append(runs, nil)
		}
		runs[i] = append(runs[i], s.Step)
	}
	return ids, runs
}

// logged are the decisions that can be learned from.
func logged(steps []research.RoutedStep) []whatif.Logged {
	out := make([]whatif.Logged, 0, len(steps))
	for _, s := range steps {
		if l, ok := whatif.LoggedOf(s.RunID, s.Step); ok && Routes(s.Step.Decision.Policy) {
			out = append(out, l)
		}
	}
	return out
}

// Target is a rule and what single steps would have brought under it.
type Target struct {
	Name string `json:"name"` // recorded, or a policy
	whatif.OneStep
}

// Recorded is the name of the rule that really decided.
const Recorded = "recorded"

// TargetNames lists the rules that are asked, in their order.
func TargetNames() []string {
	return []string{
		Recorded, string(research.FixedSmall), string(research.FixedMedium), string(research.FixedLarge),
		string(research.Greedy), string(research.NoQueue),
	}
}

// OneStep asks other rules what they would have done in each of the steps. params
// are what they decide with.
func OneStep(steps []research.RoutedStep, params router.Params) []Target {
	log := logged(steps)
	out := make([]Target, 0, len(TargetNames()))
	for _, name := range TargetNames() {
		rule, ok := whatif.Logging(), true
		if tier, fixed := research.Policy(name).FixedTier(); fixed {
			rule = whatif.Always(tier)
		} else if name != Recorded {
			var err error
			rule, err = whatif.ByPolicy(research.Policy(name), params)
			ok = err == nil
		}
		if ok {
			out = append(out, Target{Name: name, OneStep: whatif.Estimate(log, rule)})
		}
	}
	return out
}
