package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/progrouter/progrouter/export"
	"github.com/progrouter/progrouter/research"
)

// researchFlags are the flags of the research command, as typed.
type researchFlags struct {
	urls, dirs               []string
	web                      bool
	joules, dollars, seconds string
	policy, depth, lang      string
	follow, format, out      string
}

func researchCommand() *cobra.Command {
	var f researchFlags
	c := &cobra.Command{
		Use:   "research QUESTION",
		Short: "Answer a question and print the report",
		Long: `Answers a question without a browser. Progress goes to standard error, the
report to standard output or to --out.

What is given is all that is searched: --url and --library alone search only
those; with neither, the data folder's library, the bundled handbook and the web
are searched; --web adds the web.

Beside a running server on the same data folder, the server does the work and
this command waits for it.

Exit codes: 0 complete, 1 failed, 2 refused as bad input, 3 partial,
4 no evidence, 130 cancelled.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return research.Errorf(research.EInvalid, "question_args", "Give the question as one argument, in quotes; %d were given.", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := loadConfig(c.Flags())
			if err != nil {
				return err
			}
			return runResearch(c.Context(), cfg, f, args[0], c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	fs := c.Flags()
	fs.StringArrayVar(&f.urls, "url", nil, "address to read; may be repeated")
	fs.StringArrayVar(&f.dirs, "library", nil, "folder of documents to search; may be repeated")
	fs.BoolVar(&f.web, "web", false, "search the web too")
	fs.StringVar(&f.joules, "joules", "", "energy budget in joules")
	fs.StringVar(&f.dollars, "dollars", "", "money budget in dollars")
	fs.StringVar(&f.seconds, "seconds", "", "time budget in seconds")
	fs.StringVar(&f.policy, "policy", "", policyHelp())
	fs.StringVar(&f.depth, "depth", "", "quick, standard or deep (default standard)")
	fs.StringVar(&f.lang, "lang", "", "language of the question: en, ko, ja, zh … (default: guessed)")
	fs.StringVar(&f.follow, "follow", "", "follow links of the given addresses on the same site, this deep (0 to 2)")
	fs.StringVar(&f.format, "format", "md", "md, html, json, cost.csv or cost.json")
	fs.StringVar(&f.out, "out", "", "file for the report instead of standard output")
	return c
}

// policyHelp lists the policies that a run can select.
func policyHelp() string {
	all := research.Policies()
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = string(p)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last] + " (default " + names[0] + ")"
}

func (f researchFlags) request(question string) (research.Request, error) {
	for flag, values := range map[string][]string{"--url": f.urls, "--library": f.dirs} {
		for _, v := range values {
			if strings.TrimSpace(v) == "" { // an unset shell variable must not widen the search
				return research.Request{}, research.Errorf(research.EInvalid, "empty_flag", "%s was given without a value. Give one, or leave the flag out.", flag)
			}
		}
	}
	in := research.RequestInput{
		Question: question, URLs: f.urls, Joules: f.joules, Dollars: f.dollars, Seconds: f.seconds,
		Policy: f.policy, Depth: f.depth, Lang: f.lang, Follow: f.follow,
	}
	yes := true
	if len(f.dirs) > 0 {
		in.Library = &yes
	}
	if f.web && len(f.urls)+len(f.dirs) > 0 { // alone it would change nothing
		in.Web = &yes
	}
	req, faults := research.ParseRequest(in)
	if len(faults) > 0 {
		return req, faults
	}
	return req, nil
}

func runResearch(ctx context.Context, cfg Config, f researchFlags, question string, stdout, stderr io.Writer) (err error) {
	format := export.Format(f.format)
	if !slices.Contains(export.Formats(), format) {
		return research.Errorf(research.EInvalid, "format", "The format %q is not known; the formats are %s.", f.format, formatNames())
	}
	if err := checkOut(f.out); err != nil {
		return err
	}
	req, err := f.request(question)
	if err != nil {
		return err
	}
	if !loudly(cfg) {
		cfg.LogLevel = "warn" // progress lines are enough
	}
	a, err := newApp(ctx, cfg, logger(cfg, stderr), hooks{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	notices, err := a.prepareLibrary(ctx, &req, f.dirs, stderr)
	if err != nil {
		return err
	}
	id, err := checkedRuns{a.store, a}.CreateRun(ctx, req, req.EffectiveBudget(a.languageModels()))
	if err != nil {
		return err
	}
	for _, n := range notices {
		if err := a.store.AddNotice(ctx, id, n); err != nil {
			return fmt.Errorf("note what was not used: %w", err)
		}
	}
	l, err := a.workOn(ctx, id, stderr)
	if err != nil {
		return err
	}
	// An interrupt ends the run, not the report of what it found.
	if err := write(context.WithoutCancel(ctx), l, format, f.out, stdout, stderr); err != nil {
		return err
	}
	return exitOf(l.Run.Status)
}

func formatNames() string {
	var names []string
	for _, f := range export.Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// checkOut proves before the work that the report can be written after it.
func checkOut(path string) error {
	if path == "" {
		return nil
	}
	_, statErr := os.Stat(path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644) //nolint:gosec // a report for people to read
	if err != nil {
		return research.Errorf(research.EInvalid, "out", "The report cannot be written to %s: %v. Choose another file with --out.", path, err)
	}
	err = f.Close()
	if errors.Is(statErr, fs.ErrNotExist) {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

func loudly(cfg Config) bool { return cfg.LogLevel == "debug" }

// prepareLibrary makes the documents the request searches available. Files that
// are not used are named in the request and on stderr; notices say where there
// were too many of them to name.
func (a *app) prepareLibrary(ctx context.Context, req *research.Request, dirs []string, stderr io.Writer) (notices []research.Note, err error) {
	for _, dir := range dirs {
		collection, skipped, err := a.loadFolder(ctx, dir)
		if err != nil {
			return nil, err
		}
		for _, s := range skipped.list() {
			fmt.Fprintf(stderr, "skipped %s: %s\n", s.URL, s.Reason)
		}
		if skipped.more > 0 {
			notices = append(notices, skipped.notice())
		}
		req.Skipped = append(req.Skipped, skipped.list()...)
		req.Collections = append(req.Collections, collection)
	}
	if len(dirs) == 0 && req.Library {
		return nil, a.loadHandbook(ctx)
	}
	return notices, nil
}

func write(ctx context.Context, l *research.Ledger, format export.Format, out string, stdout, stderr io.Writer) error {
	r, err := export.Render(ctx, l, format, l.Run.Language)
	if err != nil {
		return err
	}
	if out == "" {
		_, err = stdout.Write(r.Body)
		return err
	}
	if err := os.WriteFile(out, r.Body, 0o644); err != nil { //nolint:gosec // a report for people to read
		return research.Errorf(research.EInvalid, "out", "The report cannot be written to %s: %v. The run is kept; write it again with: progrouter export %s --format %s --out FILE", out, err, l.Run.ID, format)
	}
	fmt.Fprintln(stderr, "wrote", out)
	return nil
}

func exitOf(s research.Status) error {
	switch s {
	case research.Complete:
		return nil
	case research.Partial:
		return exit{exitPartial}
	case research.NoEvidence:
		return exit{exitNoEvidence}
	case research.Cancelled:
		return exit{exitCancelled}
	}
	return exit{exitFailed}
}
