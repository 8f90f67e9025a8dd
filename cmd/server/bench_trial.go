package main

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/progrouter/progrouter/encoder"
	"github.com/progrouter/progrouter/eval/sandbox"
	"github.com/progrouter/progrouter/eval/solver"
	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/eval/verify"
	"github.com/progrouter/progrouter/eval/worlds/hosted"
	"github.com/progrouter/progrouter/eval/worlds/live"
	"github.com/progrouter/progrouter/eval/worlds/records"
	"github.com/progrouter/progrouter/eval/worlds/simulated"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
)

// trialFlags say which world of attempts is played. At most one is.
type trialFlags struct {
	replay   string // files of recorded attempts, comma-separated
	outcomes string // a file of recorded answers of hosted models
	simulate string // a simulated benchmark
	live     int    // tasks of each file outside of the record that are really attempted
	tell     bool
	split    string
	sweep    []float64
	tries    int
	units    float64
}

func (f trialFlags) any() bool {
	return f.replay != "" || f.outcomes != "" || f.simulate != ""
}

// only names a flag that was given and means nothing for questions.
func (f trialFlags) only() string {
	switch {
	case f.live != 0:
		return "--live"
	case f.tell:
		return "--tell"
	case len(f.sweep) > 0:
		return "--sweep"
	case f.tries != 0:
		return "--max-attempts"
	case f.units != 0:
		return "--run-budget"
	}
	return ""
}

// attemptsBench plays policies on a world of attempts.
func (f benchFlags) attemptsBench(ctx context.Context, cfg Config, stdout, stderr io.Writer) error {
	o, err := f.trialOptions(cfg, stderr)
	if err != nil {
		return err
	}
	switch {
	case f.trial.outcomes != "" && f.trial.replay == "" && f.trial.simulate == "":
		w, err := hosted.Open(f.trial.outcomes)
		if err != nil {
			return err
		}
		return f.playTrial(ctx, cfg, w, o, stdout)
	case f.trial.simulate != "" && f.trial.replay == "" && f.trial.outcomes == "":
		w, err := simulated.New(f.trial.simulate, f.limit, 1)
		if err != nil {
			return err
		}
		o.Limit = 0
		if o.Allowance == 0 {
			o.Allowance = w.Allowance()
		}
		return f.playTrial(ctx, cfg, w, o, stdout)
	case f.trial.simulate == "" && f.trial.outcomes == "":
		return f.recordedBench(ctx, cfg, o, stdout, stderr)
	}
	return research.Errorf(research.EInvalid, "bench_world", "Choose one of --replay, --outcomes and --simulate.")
}

func (f benchFlags) trialOptions(cfg Config, stderr io.Writer) (trial.Options, error) {
	o := trial.Options{
		Limit: f.limit, Split: f.trial.split, Sweep: f.trial.sweep, MaxAttempts: f.trial.tries,
		Embedder: encoder.NewStatic(), Progress: stderr,
		Budget: trial.Limit{Units: f.trial.units},
	}
	if cfg.From["allowance"] == "flag" {
		o.Allowance = cfg.Allowance
	}
	err := f.checkStreams()
	if err != nil {
		return o, err
	}
	if o.Policies, err = f.chosenPolicies(); err != nil {
		return o, err
	}
	if f.trial.tries < 0 || f.trial.units < 0 {
		return o, research.Errorf(research.EInvalid, "tries", "--max-attempts and --run-budget must be at least 0.")
	}
	if f.trial.live < 0 || f.trial.live > 0 && f.trial.replay == "" || f.trial.tell && f.trial.live == 0 {
		return o, research.Errorf(research.EInvalid, "live", "--live is a number of tasks and needs --replay, which tells what attempts cost; --tell needs --live.")
	}
	for _, s := range o.Sweep {
		if !(s > 0) {
			return o, research.Errorf(research.EInvalid, "sweep", "--sweep takes shares of what fixed-large uses, above 0.")
		}
	}
	for i := range f.seeds {
		o.Seeds = append(o.Seeds, max(1, f.first)+i)
	}
	return o, nil
}

// attemptParams are the same for benches of attempts, which have defaults of
// their own in each kind of world.
func (c Config) attemptParams(w trial.World) router.Params {
	p, own := c.params(), trial.DefaultParams(w)
	for key, set := range map[string]func(){
		"value":       func() { p.V = own.V },
		"queue_floor": func() { p.QueueFloor = own.QueueFloor },
		"queue_cap":   func() { p.QueueCap = own.QueueCap },
	} {
		if c.From[key] == "default" {
			set()
		}
	}
	return p
}

// recordedBench replays a record, or with --live attempts tasks outside of it.
func (f benchFlags) recordedBench(ctx context.Context, cfg Config, o trial.Options, stdout, stderr io.Writer) error {
	var list []records.Record
	for _, path := range strings.Split(f.trial.replay, ",") {
		rs, err := records.Read(path)
		if err != nil {
			return err
		}
		list = append(list, rs...)
	}
	texts, err := f.texts()
	if err != nil {
		return err
	}
	w, err := records.New(list, records.Config{Name: "recorded", Text: func(id string) string { return texts[id].Prompt }})
	if err != nil {
		return err
	}
	if f.trial.live == 0 {
		return f.playTrial(ctx, cfg, w, o, stdout)
	}
	recorded := map[string]bool{}
	for _, r := range list {
		recorded[r.Task] = true
	}
	tasks, err := f.unrecorded(recorded)
	if err != nil {
		return err
	}
	box, err := sandbox.New(ctx, sandbox.Config{})
	if err != nil {
		return err
	}
	o.Limit, o.EveryRun = 0, true
	return f.withModels(ctx, cfg, stderr, func(models []solver.Model) error {
		lw, err := live.New(live.Config{
			Name: "live", Tasks: tasks, Models: models, Priced: w.Models(), Check: &verify.Verifier{Sandbox: box},
			Settings: solver.DefaultSettings(), Tell: f.trial.tell,
		})
		if err != nil {
			return err
		}
		return f.playTrial(ctx, cfg, lw, o, stdout)
	})
}

// texts are the tasks of the suites by id; none where no suite is named.
func (f benchFlags) texts() (map[string]verify.Task, error) {
	out := map[string]verify.Task{}
	for _, path := range f.suites {
		ts, err := verify.Load(path)
		if err != nil {
			return nil, err
		}
		for _, t := range ts {
			out[t.ID] = t
		}
	}
	return out, nil
}

// unrecorded are tasks of each suite that no record is of.
func (f benchFlags) unrecorded(recorded map[string]bool) ([]verify.Task, error) {
	var out []verify.Task
	for _, path := range f.suites {
		ts, err := verify.Load(path)
		if err != nil {
			return nil, err
		}
		fresh := slices.DeleteFunc(solver.Sample(ts, 0), func(t verify.Task) bool { return recorded[t.ID] })
		out = append(out, fresh[:min(f.trial.live, len(fresh))]...)
	}
	return out, nil
}

func (f benchFlags) playTrial(ctx context.Context, cfg Config, w trial.World, o trial.Options, stdout io.Writer) error {
	o.Params = cfg.attemptParams(w)
	res, err := trial.Play(ctx, w, o)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := f.write(res); err != nil {
			return err
		}
	}
	d, err := res.Document()
	if err != nil {
		return err
	}
	return d.Table(stdout)
}

// write puts the files into the folder of --out.
func (f benchFlags) write(res *trial.Result) error {
	if err := os.MkdirAll(f.out, 0o755); err != nil { //nolint:gosec // results for people
		return research.Errorf(research.EInvalid, "out", "The folder %s cannot be made: %v", f.out, err)
	}
	return res.Write(f.out)
}
