package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/eval"
	"github.com/progrouter/progrouter/eval/stats"
	"github.com/progrouter/progrouter/eval/suite"
	"github.com/progrouter/progrouter/llm/replay"
	"github.com/progrouter/progrouter/orchestrator"
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/store"
)

type benchFlags struct {
	suites, policies []string
	seeds, limit     int
	depth, out       string
	models           bool
	answers          string

	first    int      // seed
	record   string   // file that takes recorded attempts
	attempts int      // per model and task, to record
	only     []string // models to record with
	recheck  bool
	trial    trialFlags
}

func benchCommand() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "bench",
		Short: "Compare policies on suites of questions, or on tasks with a checkable answer",
		Long: `Runs every policy on the same seeded stream and prints quality, joules and seconds.

Research: --suite names folders with questions.jsonl and pages.jsonl. Every run
searches only the suite's pages and starts from cold caches.

Attempts: tasks with a checkable answer are attempted until they are solved or
the budget is spent. --record FILE makes attempts with the connected models at
the files of tasks that --suite names; --replay FILE plays policies on what was
recorded (with --suite, so that the router sees the tasks' words), and with
--live N really attempts N tasks of each file that are not in the record.
--outcomes FILE plays recorded answers of hosted models, --simulate NAME a
simulation (humaneval+, mbpp, math-500, asqa).

The work is done in a temporary folder; your own data is not touched.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := loadConfig(c.Flags())
			if err != nil {
				return err
			}
			switch {
			case f.record != "" && f.trial.any():
				return research.Errorf(research.EInvalid, "bench_world", "Choose one of --record, --replay, --outcomes and --simulate.")
			case f.record != "":
				return f.recordAttempts(c.Context(), cfg, c.OutOrStdout(), c.ErrOrStderr())
			case f.trial.any():
				return f.attemptsBench(c.Context(), cfg, c.OutOrStdout(), c.ErrOrStderr())
			}
			return bench(c.Context(), cfg, f, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	fs := c.Flags()
	fs.StringSliceVar(&f.suites, "suite", nil, "folders of suites, or files of tasks, comma-separated")
	fs.StringSliceVar(&f.policies, "policies", nil, "policies to compare, comma-separated")
	fs.IntVar(&f.seeds, "seeds", 1, "streams per policy")
	fs.IntVar(&f.first, "first-seed", 0, "seed of the first stream, the others follow it (0: attempts begin with 1)")
	fs.IntVar(&f.limit, "limit", 0, "questions or tasks per suite, a seeded sample (0: all)")
	fs.StringVar(&f.depth, "depth", string(research.Standard), "quick, standard or deep")
	fs.BoolVar(&f.models, "connected", false, "let the connected language models take part, not the embedded engine alone")
	fs.StringVar(&f.answers, "answers", "", "folder that keeps the answers of language models; repeated calls are answered from it, at their recorded cost")
	fs.StringVar(&f.record, "record", "", "make attempts at the tasks of the suites with the connected models and append them to this file; goes on where it was stopped")
	fs.IntVar(&f.attempts, "attempts", 3, "attempts per model and task, with --record")
	fs.StringArrayVar(&f.only, "model", nil, "record with this model only, by its name (repeatable)")
	fs.BoolVar(&f.recheck, "recheck", false, "with --record: ask nobody, verify the recorded answers anew")
	fs.StringVar(&f.trial.replay, "replay", "", "play policies on the attempts recorded in this file (several: comma-separated; .gz is read)")
	fs.IntVar(&f.trial.live, "live", 0, "with --replay: really attempt this many tasks of each suite that are not in the record, at the costs it foresees")
	fs.BoolVar(&f.trial.tell, "tell", false, "with --live: a retry hears what failed")
	fs.StringVar(&f.trial.outcomes, "outcomes", "", "play policies on recorded answers of hosted models in this file")
	fs.StringVar(&f.trial.simulate, "simulate", "", "play policies on a simulation: humaneval+, mbpp, math-500 or asqa")
	fs.StringVar(&f.trial.split, "split", "", "development or reported: only this part of the questions or tasks")
	fs.Float64SliceVar(&f.trial.sweep, "sweep", nil, "further allowances for the curve of quality over cost, as shares of what fixed-large uses")
	fs.IntVar(&f.trial.tries, "max-attempts", 0, "attempts per task (0: 3, or what the world has)")
	fs.Float64Var(&f.trial.units, "run-budget", 0, "hard limit per task in the unit of the costs (0: as many of the dearest attempts as may be made)")
	fs.StringVar(&f.out, "out", "", "folder for bench.json, bench.csv, pareto.svg and, of research, runs.jsonl")
	return c
}

func (f benchFlags) options(cfg Config, stderr io.Writer) (eval.Options, error) {
	o := eval.Options{Seeds: f.seeds, First: f.first, Split: f.trial.split, Limit: f.limit, Depth: research.Depth(f.depth), Progress: stderr}
	if cfg.From["allowance"] == "flag" {
		o.Allowance = cfg.Allowance
	}
	switch {
	case len(f.suites) == 0:
		return o, research.Errorf(research.EInvalid, "suite", "Name at least one suite: --suite DIR[,DIR].")
	case f.trial.only() != "":
		return o, research.Errorf(research.EInvalid, "bench_world", "%s is for attempts, not for questions: give it with --replay, --outcomes or --simulate.", f.trial.only())
	case !slices.Contains(research.Depths(), o.Depth):
		return o, research.Errorf(research.EInvalid, "depth", "The depth %q is not known; the depths are %v.", f.depth, research.Depths())
	}
	err := f.checkStreams()
	if err != nil {
		return o, err
	}
	if o.Policies, err = f.chosenPolicies(); err != nil {
		return o, err
	}
	if slices.Contains(o.Policies, research.Oracle) {
		return o, research.Errorf(research.EInvalid, "policy", "Nobody knows what a step of research will bring, so the oracle cannot be played on questions. It can be with --replay, --outcomes and --simulate.")
	}
	for _, dir := range f.suites {
		if strings.HasSuffix(dir, ".jsonl") {
			return o, research.Errorf(research.EInvalid, "suite", "%s is a file of tasks. Record attempts at them with --record FILE, then play policies with --replay FILE.", dir)
		}
		s, err := suite.Load(dir)
		if err != nil {
			return o, err
		}
		o.Suites = append(o.Suites, s)
	}
	return o, nil
}

// checkStreams refuses what no stream can be played with.
func (f benchFlags) checkStreams() error {
	switch split := f.trial.split; {
	case f.seeds < 1 || f.limit < 0:
		return research.Errorf(research.EInvalid, "seeds", "--seeds must be at least 1 and --limit at least 0.")
	case f.first < 0:
		return research.Errorf(research.EInvalid, "first_seed", "--first-seed must be at least 0.")
	case split != "" && split != stats.Development && split != stats.Reported:
		return research.Errorf(research.EInvalid, "split", "--split is development or reported.")
	}
	return nil
}

func (f benchFlags) chosenPolicies() ([]research.Policy, error) {
	if len(f.policies) == 0 {
		return nil, research.Errorf(research.EInvalid, "policies", "Name the policies to compare: --policies fixed-small,progrouter. They are %v.", benchPolicies())
	}
	var out []research.Policy
	for _, p := range f.policies {
		if !slices.Contains(benchPolicies(), research.Policy(p)) {
			return nil, research.Errorf(research.EInvalid, "policy", "The policy %q is not known; the policies are %v.", p, benchPolicies())
		}
		if slices.Contains(out, research.Policy(p)) { // it would learn from its own runs
			return nil, research.Errorf(research.EInvalid, "policy", "The policy %s is named twice.", p)
		}
		out = append(out, research.Policy(p))
	}
	return out, nil
}

// benchPolicies are those of runs, and those that only the evaluation uses.
func benchPolicies() []research.Policy {
	return append(research.Policies(), research.EvaluationPolicies()...)
}

func bench(ctx context.Context, cfg Config, f benchFlags, stdout, stderr io.Writer) (err error) {
	o, err := f.options(cfg, stderr)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "progrouter-bench-")
	if err != nil {
		return fmt.Errorf("temporary folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if cfg.connected, err = f.connected(ctx, cfg); err != nil {
		return err
	}
	h, err := f.hooks()
	if err != nil {
		return err
	}
	cfg.Data, cfg.DatabaseURL = dir, ""
	a, err := newApp(ctx, cfg, slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn})), h)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if f.out != "" {
		sink, cerr := runsFile(f.out)
		if cerr != nil {
			return cerr
		}
		defer func() { err = errors.Join(err, sink.Close()) }()
		o.Runs = sink
	}
	res, err := eval.Bench(ctx, &lab{a}, o)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := res.Write(f.out); err != nil {
			return err
		}
	}
	d, err := res.Document()
	if err != nil {
		return err
	}
	return d.Table(stdout)
}

// connected are the language models that take part, with their calibrations;
// none unless asked for.
func (f benchFlags) connected(ctx context.Context, cfg Config) (modelSections, error) {
	if !f.models {
		return modelSections{}, nil
	}
	out := cfg.connected
	err := readStore(ctx, cfg, func(s *store.Store) error {
		set, err := modelSource{cfg, s}.load(ctx)
		if err != nil {
			return fmt.Errorf("read models: %w", err)
		}
		out = modelSections{providers: set.Providers, models: set.Models}
		return nil
	})
	if research.CodeOf(err) == research.ENotFound { // no data folder: the configuration alone
		err = nil
	}
	if err == nil && len(out.models) == 0 {
		err = research.Errorf(research.EInvalid, "bench_models", "No language model is connected. Name some in progrouter.yaml (--config FILE), or in the settings of the folder given by --data.")
	}
	return out, err
}

// hooks record and replay answers. The same seed goes with every call, so that
// the same question is the same call.
func (f benchFlags) hooks() (hooks, error) {
	if f.answers == "" {
		return hooks{}, nil
	}
	kept, err := replay.Open(f.answers)
	if err != nil {
		return hooks{}, research.Errorf(research.EInvalid, "answers", "The folder %s cannot be used for answers: %v", f.answers, err)
	}
	return hooks{answers: kept, seed: new(int64)}, nil
}

func runsFile(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // results for people
		return nil, research.Errorf(research.EInvalid, "out", "The folder %s cannot be made: %v", dir, err)
	}
	f, err := os.Create(filepath.Join(dir, "runs.jsonl"))
	if err != nil {
		return nil, research.Errorf(research.EInvalid, "out", "The folder %s cannot be written: %v", dir, err)
	}
	return f, nil
}

// lab makes the bench's runs with the program as it is wired for serving.
type lab struct{ app *app }

var _ eval.Lab = (*lab)(nil)

// Prepare puts the suite's pages into a collection of their own.
func (l *lab) Prepare(ctx context.Context, s *suite.Suite) (research.Energy, error) {
	account := energy.NewAccount(0)
	release := l.app.reconcile.Track(account)
	defer release()
	ctx = energy.WithPart(energy.WithAccount(ctx, account), energy.PartRetrieval)
	for _, p := range s.Pages {
		doc, err := l.document(ctx, p)
		if err != nil {
			return research.Energy{}, fmt.Errorf("page %s: %w", p.URL, err)
		}
		if doErr := energy.Do(ctx, func() { err = l.app.library.Add(ctx, s.Name, doc) }); doErr != nil {
			return research.Energy{}, doErr
		}
		if err != nil && research.CodeOf(err) != research.EInvalid { // a page without words is passed over
			return research.Energy{}, fmt.Errorf("page %s: %w", p.URL, err)
		}
	}
	release()
	return l.app.meter.EnergyOf(account), nil
}

// document reads a page as an upload is read: Markdown goes through the same
// extraction, under the suite's own address and title.
func (l *lab) document(ctx context.Context, p suite.Page) (research.Document, error) {
	doc := p.Document()
	if !p.Markdown {
		return doc, nil
	}
	read, no, err := l.app.extractor.Parse(ctx, "page.md", "text/markdown", []byte(p.Text), "")
	if err != nil || no != nil {
		return doc, err
	}
	read.URL, read.SHA256 = doc.URL, research.HashText(read.Text)
	if doc.Title != "" {
		read.Title = doc.Title
	}
	return read, nil
}

// Stream gives the policy and seed a queue and a memory of their own.
func (l *lab) Stream(p research.Policy, seed int, allowance research.Micro) eval.Stream {
	key, score := fmt.Sprintf("bench:%s:%d", p, seed), orchestrator.Scorer(progress.ScoreResearch)
	if p == research.NoScorer {
		score = completionAlone
	}
	return &stream{app: l.app, policy: p, key: key, orch: l.app.orchestrator(key, func() research.Micro { return allowance }, l.app.params(), score)}
}

// completionAlone is progress without the multi-view scorer: the share of the
// milestones reached, and nothing else.
func completionAlone(l *research.Ledger, lim research.Limits) research.ProgressView {
	v := progress.ScoreResearch(l, lim)
	return research.ProgressView{G: v.Completion, Completion: v.Completion}
}

type stream struct {
	app    *app
	policy research.Policy
	key    string
	orch   *orchestrator.Orchestrator
}

// Run works on one question from cold vector caches, and learns from it before
// the next.
func (s *stream) Run(ctx context.Context, su *suite.Suite, q suite.Question, d research.Depth, seed int64) (*research.Ledger, error) {
	s.app.encoder.Reset()
	req := research.Request{
		Question: strings.Join(strings.Fields(q.Question), " "), Language: research.GuessLanguage(q.Question),
		Depth: d, Policy: s.policy, Library: true, Collections: []string{su.Name}, Seed: seed,
	}
	id, err := s.app.store.CreateRunWithoutJob(ctx, req, req.EffectiveBudget(s.app.languageModels()), s.key)
	if err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	if err := s.orch.Work(ctx, id); err != nil {
		return nil, err
	}
	if learns(s.policy) {
		if err := s.app.learner.learn(ctx, s.key); err != nil {
			return nil, err
		}
	}
	return s.app.store.Ledger(ctx, id)
}

// Rank orders the suite's passages for a question with a tier's means.
func (l *lab) Rank(ctx context.Context, t research.Tier, s *suite.Suite, question string, k int) ([]eval.RankedPassage, error) {
	found, err := l.app.library.Find(ctx, question, []string{s.Name})
	if err != nil {
		return nil, fmt.Errorf("find passages: %w", err)
	}
	lang := research.GuessLanguage(question)
	at := level(t)
	if ok, _ := l.app.ranker.Supports(at, lang); !ok {
		at = level(research.Small)
	}
	ranked, err := l.app.ranker.Passages(ctx, at, question, lang, found)
	if err != nil {
		return nil, fmt.Errorf("rank passages: %w", err)
	}
	out := make([]eval.RankedPassage, 0, k)
	for _, p := range ranked[:min(k, len(ranked))] {
		out = append(out, eval.RankedPassage{URL: p.URL, Text: p.Text})
	}
	return out, nil
}
