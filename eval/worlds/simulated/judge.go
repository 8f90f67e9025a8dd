package simulated

import (
	"fmt"
	"math"

	"github.com/progrouter/progrouter/eval/trial"
)

// What a verifier lets through of how far an attempt was from getting its stage
// done: closeness follows the log-odds, much blurred, and is rounded to checks.
const (
	closer   = 0.4 // log-odds of closeness per log-odds of success
	blur     = 1.0 // standard deviation of closeness, in log-odds
	hopeless = 0.1 // closeness below which there is nothing to check
	checks   = 4   // per stage
)

// progressed is what the verifier says of how far a task is. Its words are the state that travels.
func progressed(done int) string { return fmt.Sprintf("%d of %d stages are done.", done, Stages) }

// reached reads them.
func reached(said string) int {
	for done := Stages; done > 0; done-- {
		if said == progressed(done) {
			return done
		}
	}
	return 0
}

// advance is the outcome of an attempt that got one more stage done.
func advance(done int) trial.Outcome {
	done++
	out := trial.Outcome{Verdict: trial.Partly, Share: float64(done) / Stages, Said: progressed(done)}
	if done == Stages {
		out.Verdict = trial.Passed
	}
	return out
}

// judge is the outcome of an attempt that did not, from the log-odds it had, a
// normal and an even draw. Tests show a share of what passed within the stage,
// citations likewise; mathematics shows the stages alone.
func judge(kind string, done int, logit, near, fate float64) trial.Outcome {
	closeness := logistic(closer*logit + blur*near)
	out := trial.Outcome{Verdict: trial.Missing, Said: progressed(done)}
	switch {
	case closeness < hopeless && kind == code:
		out.Verdict = [...]string{trial.Broken, trial.Syntax, trial.Timeout}[int(3*fate)%3]
		return out
	case closeness < hopeless:
		return out
	case kind == mathematics:
		out.Share = float64(done) / Stages
	default: // below the next stage, since closeness is below 1
		out.Share = (float64(done) + math.Floor(checks*closeness)/checks) / Stages
	}
	out.Verdict = trial.Partly
	if out.Share == 0 {
		out.Verdict = trial.Wrong
	}
	return out
}
