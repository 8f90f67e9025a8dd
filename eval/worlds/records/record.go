package records

import (
	"errors"
	"fmt"
	"math"

	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/research"
)

// Record is one attempt by one model on one task, as it was made.
type Record struct {
	Task    string        `json:"task"`
	Suite   string        `json:"suite"`
	Kind    string        `json:"kind"`
	Model   string        `json:"model"`
	Tier    research.Tier `json:"tier"`
	Attempt int           `json:"attempt"` // from 0
	Seed    int64         `json:"seed"`
	Verdict string        `json:"verdict"` // one of package trial's
	Share   float64       `json:"share"`   // of the checks that passed; 1 when it passed
	Cut     bool          `json:"cut"`     // the answer ended at its token limit
	Tokens  Tokens        `json:"tokens"`
	// Joules with their range; none of them is known where Method is empty or
	// research.MethodUnknown.
	Joules float64 `json:"joules"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Method string  `json:"method"`
	// Seconds are of the clock, CPUSeconds of all cores together.
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"`
	Said       string  `json:"said"` // by the verifier, cut to what a retry may read
}

// Tokens of an attempt.
type Tokens struct {
	Input  int `json:"input"`
	Output int `json:"output"`
}

// Key names what a record is of. A recorder that resumes skips the keys it has.
type Key struct {
	Suite, Task, Model string
	Attempt            int
}

// Key of the record.
func (r Record) Key() Key { return Key{r.Suite, r.Task, r.Model, r.Attempt} }

// Metered reports whether the joules are known.
func (r Record) Metered() bool { return r.Method != "" && r.Method != research.MethodUnknown }

// check says what makes a record unfit to be kept or played.
func (r Record) check() error {
	for _, f := range []struct{ name, value string }{
		{"task", r.Task}, {"suite", r.Suite}, {"kind", r.Kind}, {"model", r.Model},
	} {
		if f.value == "" {
			return fmt.Errorf("%q is missing", f.name)
		}
	}
	switch r.Tier {
	case research.Small, research.Medium, research.Large:
	default:
		return fmt.Errorf(`"tier" is %q, not small, medium or large`, r.Tier)
	}
	switch r.Verdict {
	case trial.Passed, trial.Wrong, trial.Partly, trial.Broken, trial.Syntax, trial.Timeout, trial.Missing, trial.Failed:
	default:
		return fmt.Errorf(`"verdict" is %q, which no verifier says`, r.Verdict)
	}
	return r.checkNumbers()
}

func (r Record) checkNumbers() error {
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"attempt", float64(r.Attempt)}, {"joules", r.Joules}, {"low", r.Low}, {"high", r.High},
		{"seconds", r.Seconds}, {"cpu_seconds", r.CPUSeconds}, {"share", r.Share},
		{"tokens.input", float64(r.Tokens.Input)}, {"tokens.output", float64(r.Tokens.Output)},
	} {
		if f.value < 0 || math.IsNaN(f.value) || math.IsInf(f.value, 0) {
			return fmt.Errorf("%q is %v, and must be a number from 0", f.name, f.value)
		}
	}
	switch {
	case r.Share > 1:
		return fmt.Errorf(`"share" is %v, and must be at most 1`, r.Share)
	case r.Verdict == trial.Passed && r.Share != 1:
		return errors.New(`"share" must be 1 where the verdict is "passed"`)
	}
	return nil
}
