package verify

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/progrouter/progrouter/eval/sandbox"
)

// Codes of verdicts.
const (
	Passed  = "passed"
	Partly  = "partly"  // some checks passed
	Wrong   = "wrong"   // ran, or answered, and is not right
	Broken  = "broken"  // raised an error before anything could be checked
	Syntax  = "syntax"  // is no program
	Timeout = "timeout" // did not end in time, or took too much memory
	Missing = "missing" // holds no answer
)

// Verdict is what an answer is worth.
type Verdict struct {
	Code  string
	Share float64 // of the single checks that pass, 0 to 1
	// Said is what went wrong, for a further attempt, in at most 300 characters:
	// the first check that failed and what came out, or an error's last line. It
	// never holds the right answer of mathematics.
	Said string
}

// Runner runs a Python program; *sandbox.Sandbox does.
type Runner interface {
	Run(ctx context.Context, program string) (sandbox.Result, error)
}

// Verifier checks answers. Sandbox may be nil where only mathematics is checked.
type Verifier struct{ Sandbox Runner }

// saidLimit bounds Verdict.Said, in characters.
const saidLimit = 300

// Check says what the answer in text is worth. An error means that the answer
// could not be checked, not that it is wrong.
func (v *Verifier) Check(ctx context.Context, t Task, text string) (Verdict, error) {
	answer, ok := Extract(t, text)
	if t.Kind == Mathematics {
		return mathematics(t, answer, ok), nil
	}
	if !ok {
		return Verdict{Code: Missing, Said: "The answer holds no Python code block."}, nil
	}
	verdict, err := v.code(ctx, t, answer)
	verdict.Said = shorten(verdict.Said)
	return verdict, err
}

func mathematics(t Task, answer string, ok bool) Verdict {
	switch {
	case !ok && t.latex():
		return Verdict{Code: Missing, Said: `The answer does not end with \boxed{...}.`}
	case !ok:
		return Verdict{Code: Missing, Said: "The answer holds no number."}
	case t.solved(answer):
		return Verdict{Code: Passed, Share: 1}
	}
	return Verdict{Code: Wrong, Said: shorten(answer + " is not the right answer.")}
}

//go:embed harness.py
var harness string

// job is what the harness reads. Programs are forms of the same answer; the
// first that is a program is taken.
type job struct {
	Nonce    string   `json:"nonce"`
	Programs []string `json:"programs"`
	Answer   string   `json:"answer"`
	Setup    string   `json:"setup"`
	Given    string   `json:"given"` // code that the task gives and tests may rely on
	Entry    string   `json:"entry"`
	Test     string   `json:"test"`
	Tests    []string `json:"tests"`
	Only     bool     `json:"only"` // count checks, in short time
}

// report is what the harness found out; later lines overrule earlier ones.
type report struct {
	Stage  string `json:"stage"`  // start, syntax, missed, original, checks
	Passed bool   `json:"passed"` // the unmodified test passed
	Memory bool   `json:"memory"` // it ran out of memory
	Error  string `json:"error"`
	Good   int    `json:"good"`   // checks that held
	Bad    int    `json:"bad"`    // checks that failed
	Raised int    `json:"raised"` // those of Bad that raised an error
	Total  int    `json:"total"`  // checks seen or, where more, written
	Said   string `json:"said"`
}

func (v *Verifier) code(ctx context.Context, t Task, answer string) (Verdict, error) {
	j := job{Answer: answer, Setup: t.Setup, Entry: t.function(), Test: t.Test, Tests: t.Tests}
	if t.Entry != "" {
		j.Given = t.Prompt
	}
	j.Programs = programs(t, answer)
	seen, res, err := v.judge(ctx, j)
	if err != nil {
		return Verdict{}, err
	}
	if seen["syntax"] != nil {
		return Verdict{Code: Syntax, Said: seen["syntax"].Error}, nil
	}
	if o := seen["original"]; o != nil && o.Passed {
		return Verdict{Code: Passed, Share: 1}, nil
	}
	cut := res.TimedOut || res.OutOfMemory
	timeout := seen["original"] == nil && cut || seen["original"] != nil && seen["original"].Memory
	if seen["checks"] == nil && cut {
		// What it does before it hangs counts for the share.
		j.Only = true
		only, _, err := v.judge(ctx, j)
		if err != nil {
			return Verdict{}, err
		}
		seen["checks"] = only["checks"]
	}
	return failed(seen, res, timeout), nil
}

// failed is the verdict on an answer that did not pass.
func failed(seen map[string]*report, res sandbox.Result, timeout bool) Verdict {
	out := Verdict{Code: Broken}
	checks := seen["checks"]
	if checks != nil && checks.Total > 0 {
		// The unmodified test failed, so not all is right.
		out.Share = min(float64(checks.Good)/float64(checks.Total), float64(checks.Total-1)/float64(checks.Total))
		out.Said = checks.Said
	}
	missed := seen["missed"]
	switch original := seen["original"]; {
	case timeout && (res.OutOfMemory || original != nil):
		out.Code, out.Said = Timeout, "The program took too much memory."
	case timeout:
		out.Code, out.Said = Timeout, "The program did not end in time."
	case missed != nil:
		return Verdict{Code: Broken, Said: missed.Error}
	case original == nil:
		return Verdict{Code: Broken, Share: out.Share, Said: ended(res)}
	case out.Share > 0:
		out.Code = Partly
	case checks != nil && (checks.Good > 0 || checks.Bad > checks.Raised), strings.HasPrefix(original.Error, "AssertionError"):
		out.Code = Wrong
	}
	if out.Said == "" && seen["original"] != nil {
		out.Said = seen["original"].Error
	}
	return out
}

// ended explains a program that ended the process before the tests had.
func ended(res sandbox.Result) string {
	if res.Signal != "" {
		return "The program crashed (" + res.Signal + ")."
	}
	return fmt.Sprintf("The program ended itself with status %d before it was checked.", res.Exit)
}

// judge runs the harness and reads the lines that carry this run's nonce, by
// stage.
func (v *Verifier) judge(ctx context.Context, j job) (map[string]*report, sandbox.Result, error) {
	j.Nonce = rand.Text()
	payload, err := json.Marshal(j)
	if err != nil {
		return nil, sandbox.Result{}, err
	}
	quoted, err := json.Marshal(string(payload)) // JSON strings are Python strings
	if err != nil {
		return nil, sandbox.Result{}, err
	}
	res, err := v.Sandbox.Run(ctx, strings.Replace(harness, `"PAYLOAD"`, string(quoted), 1))
	if err != nil {
		return nil, res, err
	}
	seen := map[string]*report{}
	for line := range strings.SplitSeq(res.Report, "\n") {
		rest, ok := strings.CutPrefix(line, j.Nonce+" ")
		if !ok {
			continue
		}
		var r report
		if json.Unmarshal([]byte(rest), &r) == nil {
			seen[r.Stage] = &r
		}
	}
	if seen["start"] == nil && !res.TimedOut && !res.OutOfMemory {
		return nil, res, fmt.Errorf("the harness of the tests did not start: %s", shorten(res.Stderr))
	}
	return seen, res, nil
}

// programs are the ways in which an answer can be a program, the likeliest
// first. The head of the task stays, so that its imports and helpers are there;
// an answer's own definition comes later and wins.
func programs(t Task, answer string) []string {
	if t.Entry == "" {
		return []string{answer}
	}
	head := strings.TrimRight(t.Prompt, " \t\n") + "\n"
	if definition(t.Entry).MatchString(answer) {
		return []string{head + "    pass\n\n" + answer + "\n", answer}
	}
	return []string{head + indented(answer, true), head + indented(answer, false), head + answer, head + "    pass\n\n" + answer + "\n"}
}

// indented moves a function's body to where it belongs. Where first is true
// only the first line lacks its indentation, as when a model went on behind the
// spaces it was given.
func indented(body string, first bool) string {
	lines := strings.Split(body, "\n")
	depth := -1
	for i, l := range lines {
		if first && i == 0 || strings.TrimSpace(l) == "" {
			continue
		}
		d := len(l) - len(strings.TrimLeft(l, " \t"))
		if depth < 0 || d < depth {
			depth = d
		}
	}
	for i, l := range lines {
		switch {
		case first && i == 0:
			l = strings.TrimLeft(l, " \t")
		case depth > 0:
			l = l[min(depth, len(l)-len(strings.TrimLeft(l, " \t"))):]
		}
		if strings.TrimSpace(l) != "" {
			l = "    " + l
		}
		lines[i] = l
	}
	return strings.Join(lines, "\n") + "\n"
}

func shorten(s string) string {
	r := []rune(strings.ToValidUTF8(strings.TrimSpace(s), "\uFFFD"))
	if len(r) <= saidLimit {
		return string(r)
	}
	return string(r[:saidLimit-1]) + "…"
}
