package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/progrouter/progrouter/llm/calibrate"
	"github.com/progrouter/progrouter/research"
)

// workbench is what calibrating needs of the program.
type workbench interface {
	// CalibrationTargets are the configured models on this machine that can be
	// measured, and a sentence for each of the others that says why not.
	CalibrationTargets(ctx context.Context) (targets []calibrate.Target, left []string, err error)
	SaveCoefficients(ctx context.Context, model string, c research.Coefficients) error
}

type calibrateFlags struct {
	models []string
	calls  int
	out    string
	dry    bool
}

// calibrateCommand measures local models. open gives what it works with, and
// closes that after use.
func calibrateCommand(open func(ctx context.Context, cfg Config, log *slog.Logger, use func(workbench) error) error) *cobra.Command {
	var f calibrateFlags
	c := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure what calls of local language models take",
		Long: "Asks each configured model on this machine a number of prompts, measures its server, and keeps\n" +
			"the joules and seconds per call, per token read and per token written, by which its later calls\n" +
			"are estimated. The machine should be idle otherwise; a small model takes a minute, a large one on\n" +
			"a processor ten.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.calls < calibrate.LeastCalls || f.calls > calibrate.MostCalls {
				return research.Errorf(research.EInvalid, "calls", "--calls must be from %d to %d.", calibrate.LeastCalls, calibrate.MostCalls)
			}
			cfg, err := loadConfig(c.Flags())
			if err != nil {
				return err
			}
			return open(c.Context(), cfg, logger(cfg, c.ErrOrStderr()), func(w workbench) error {
				return f.run(c.Context(), w, c.OutOrStdout(), c.ErrOrStderr())
			})
		},
	}
	c.Flags().StringArrayVar(&f.models, "model", nil, "measure only this model, by its name (repeatable)")
	c.Flags().IntVar(&f.calls, "calls", calibrate.DefaultCalls, "measured calls per model")
	c.Flags().StringVar(&f.out, "out", "", "also write coefficients and every measured call to this JSON file")
	c.Flags().BoolVar(&f.dry, "dry-run", false, "measure and print, but keep nothing")
	return c
}

func (f calibrateFlags) run(ctx context.Context, w workbench, stdout, stderr io.Writer) error {
	targets, left, err := w.CalibrationTargets(ctx)
	if err != nil {
		return err
	}
	if targets, err = f.choose(targets, left); err != nil {
		return err
	}
	if len(f.models) == 0 {
		for _, l := range left {
			fmt.Fprintln(stderr, l)
		}
	}
	results, failed := f.measure(ctx, w, targets, stderr)
	if len(results) > 0 {
		if err := printCalibrations(stdout, results); err != nil {
			return err
		}
		if err := f.write(results); err != nil {
			return err
		}
	}
	return failed
}

// measure goes on with the next model when one fails and returns the last
// failure; the others' are printed.
func (f calibrateFlags) measure(ctx context.Context, w workbench, targets []calibrate.Target, stderr io.Writer) (results []calibrate.Result, failed error) {
	for _, t := range targets {
		name := t.Model.Name
		r, err := calibrate.Model(ctx, t, calibrate.Options{Calls: f.calls, Step: func(done, all int) {
			fmt.Fprintf(stderr, "%s: call %d of %d\n", name, done+1, all)
		}})
		if err == nil && !f.dry {
			err = w.SaveCoefficients(ctx, name, r.Coefficients)
		}
		if ctx.Err() != nil {
			return results, ctx.Err()
		}
		if err != nil {
			if failed != nil {
				fmt.Fprintln(stderr, "progrouter:", message(failed))
			}
			failed = err
			continue
		}
		results = append(results, r)
	}
	return results, failed
}

func (f calibrateFlags) choose(targets []calibrate.Target, left []string) ([]calibrate.Target, error) {
	if len(f.models) > 0 {
		for _, name := range f.models {
			if !slices.ContainsFunc(targets, func(t calibrate.Target) bool { return t.Model.Name == name }) {
				return nil, research.Errorf(research.ENotFound, "calibrate_model", "There is no model %q that can be measured on this machine.%s", name, reasons(targets, left))
			}
		}
		targets = slices.DeleteFunc(slices.Clone(targets), func(t calibrate.Target) bool { return !slices.Contains(f.models, t.Model.Name) })
	}
	if len(targets) == 0 {
		return nil, research.Errorf(research.ENotFound, "calibrate_none", "There is no language model on this machine that can be measured. Connect one in the settings or in progrouter.yaml and start its server.%s", reasons(nil, left))
	}
	return targets, nil
}

func reasons(targets []calibrate.Target, left []string) string {
	var b strings.Builder
	if len(targets) > 0 {
		b.WriteString(" There is")
		for i, t := range targets {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(" " + t.Model.Name)
		}
		b.WriteByte('.')
	}
	for _, l := range left {
		b.WriteString(" " + l)
	}
	return b.String()
}

func (f calibrateFlags) write(results []calibrate.Result) error {
	if f.out == "" {
		return nil
	}
	b, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	if err := os.WriteFile(f.out, append(b, '\n'), 0o600); err != nil {
		return research.Errorf(research.EInvalid, "out", "Cannot write %s: %v. Choose another file with --out.", f.out, err)
	}
	return nil
}

func printCalibrations(w io.Writer, results []calibrate.Result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "model\tload J\tcall J\tread J/token\twrite J/token\tread s/token\twrite s/token\tmethod\tcalls\terror median\t90 %")
	for _, r := range results {
		c := r.Coefficients
		load := "not measured"
		if c.Load > 0 {
			load = fmt.Sprintf("%.3g", c.Load)
		}
		fmt.Fprintf(t, "%s\t%s\t%.3g\t%.3g\t%.3g\t%.3g\t%.3g\t%s\t%d\t%.1f %%\t%.1f %%\n", r.Model, load, c.Call, c.Prefill, c.Decode,
			c.Seconds.Prefill, c.Seconds.Decode, c.Method, c.Samples, 100*c.Median, 100*c.P90)
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("print calibrations: %w", err)
	}
	for _, r := range results {
		fmt.Fprintf(w, "%s: %s; %s", r.Model, r.Coefficients.Device, r.Coefficients.Note)
		if r.Failed > 0 {
			fmt.Fprintf(w, " %d calls failed or could not be measured.", r.Failed)
		}
		fmt.Fprintln(w)
	}
	return nil
}
