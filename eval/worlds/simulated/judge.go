package simulated

import (
	"math"

	"github.com/progrouter/progrouter/eval/trial"
)

// What a verifier lets through of how far an attempt was from solving: closeness
// follows the log-odds, much blurred, and is rounded to checks.
const (
	closer   = 0.4 // log-odds of closeness per log-odds of solving
	blur     = 1.0 // standard deviation of closeness, in log-odds
	hopeless = 0.1 // closeness below which there is nothing to check
	checks   = 8   // per task
)

// judge is the verdict on an attempt, from the log-odds of solving, whether it
// did, a normal and an even draw. Tests show a share of what passed, citations
// likewise; an exact answer is right or wrong and shows next to nothing.
func judge(kind string, logit float64, solved bool, near, fate float64) trial.Outcome {
	if solved {
		return trial.Outcome{Verdict: trial.Passed, Share: 1}
	}
	closeness := logistic(closer*logit + blur*near)
	switch {
	case closeness < hopeless && kind == code:
		return trial.Outcome{Verdict: [...]string{trial.Broken, trial.Syntax, trial.Timeout}[int(3*fate)%3]}
	case closeness < hopeless:
		return trial.Outcome{Verdict: trial.Missing}
	case kind == mathematics:
		return trial.Outcome{Verdict: trial.Wrong}
	}
	share := math.Floor(checks*closeness) / checks // below 1: closeness is
	if share == 0 {
		return trial.Outcome{Verdict: trial.Wrong}
	}
	return trial.Outcome{Verdict: trial.Partly, Share: share}
}
