package trial

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/progrouter/progrouter/eval/stats"
	"github.com/progrouter/progrouter/research"
)

// Table prints the result for people: the whole stream of each policy, its steady
// state, and its suites where there are several.
func (d Document) Table(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "%s%s: %d tasks, seed(s) %s, allowance %.4g %s per run\n", d.prefix("simulated: "), d.World, d.Items, joined(d.SeedList), d.Allowance, d.Unit.Symbol)
	fmt.Fprintf(tw, "policy\tof\truns\tquality\t95 %%\t%s\t95 %%\tvs fixed line\tregret\theadroom\tattempts\tseconds\tdollars\tshares\tkept\toverruns\tAIQ\tAPGR\n", d.Unit.Symbol)
	for _, p := range d.Policies {
		d.line(tw, string(p.Policy), "whole stream", p.Figures, optional(p.AIQ), optional(p.APGR))
		d.line(tw, "", "steady state", *p.Steady, "", "")
		if len(d.Suites) < 2 {
			continue
		}
		for _, s := range d.Suites {
			d.line(tw, "", s, p.BySuite[s].Figures, "", "")
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	return d.remarks(w)
}

func (d Document) line(w io.Writer, policy, of string, f Figures, aiq, apgr string) {
	regret := "–"
	if f.Regret != nil {
		regret = fmt.Sprintf("%+.3f", f.Regret.Quality.Mean)
	}
	kept := fmt.Sprintf("%s, %d/%d", map[bool]string{true: "yes", false: "no"}[f.KeptOnAverage], f.StreamsKept, d.Seeds)
	fmt.Fprintf(w, "%s\t%s\t%d\t%.3f\t%.3f–%.3f\t%.4g\t%.4g–%.4g\t%s\t%s\t%s\t%.2f\t%.2f\t%.4g\t%s\t%s\t%d\t%s\t%s\n",
		policy, of, f.Runs, f.Quality.Mean, f.Quality.Low, f.Quality.High, f.Units.Mean, f.Units.Low, f.Units.High,
		signed(f.AboveLine), regret, share(f.Headroom), f.Attempts, f.Seconds, f.Dollars, d.shares(f.Shares), kept, f.Overruns, aiq, apgr)
}

// remarks follow the table: what was not played, how well gains were foreseen,
// and who was better than whom.
func (d Document) remarks(w io.Writer) error {
	var b strings.Builder
	for _, p := range d.Policies {
		if p.Predictor == nil || p.Predictor.Paths == nil {
			continue
		}
		e := p.Predictor.Paths
		fmt.Fprintf(&b, "%s: mean error of predictions over %d steps: structured %.4f, semantic %.4f, mean of both %.4f, gate %.4f (below the mean of both by %s)\n",
			p.Policy, e.Steps, e.Structured.Mean, e.Semantic.Mean, e.Mean.Mean, e.Gate.Mean, signed(&e.GateVsMean))
	}
	for _, p := range d.Policies {
		if k := markOf(p.Policy); k != stats.MarkMain && k != stats.MarkOther {
			continue // the JSON has them too
		}
		if len(p.BeatenBy) > 0 {
			fmt.Fprintf(&b, "%s: significantly better within the allowance: %s\n", p.Policy, joined(p.BeatenBy))
		}
		if len(p.DominatedBy) > 0 {
			fmt.Fprintf(&b, "%s: no worse and no dearer: %s\n", p.Policy, joined(p.DominatedBy))
		}
	}
	for _, p := range slices.Sorted(keys(d.Skipped)) {
		fmt.Fprintf(&b, "%s was not played: %s.\n", p, d.Skipped[p])
	}
	for _, n := range d.Notes {
		fmt.Fprintln(&b, n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func keys(m map[research.Policy]string) func(func(research.Policy) bool) {
	return func(yield func(research.Policy) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// prefix labels what was simulated, unless the world's name does already.
func (d Document) prefix(label string) string {
	if !d.Unit.Simulated || strings.HasPrefix(strings.ToLower(d.World), "simulated") {
		return ""
	}
	return label
}

func joined[T any](list []T) string {
	var out []string
	for _, x := range list {
		out = append(out, fmt.Sprint(x))
	}
	return strings.Join(out, ", ")
}

func signed(i *stats.Interval) string {
	if i == nil {
		return "–"
	}
	at := func(x float64) float64 { return math.Round(x*1000)/1000 + 0 } // no −0.000
	return fmt.Sprintf("%+.3f (%+.3f to %+.3f)", at(i.Mean), at(i.Low), at(i.High))
}

func share(i *stats.Interval) string {
	if i == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*i.Mean)
}

func optional(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", *v)
}

func (d Document) shares(m map[string]float64) string {
	var out []string
	for _, model := range d.Models {
		if m[model.Name] > 0 {
			out = append(out, fmt.Sprintf("%s %.0f %%", model.Name, m[model.Name]))
		}
	}
	return strings.Join(out, ", ")
}

// Write puts bench.json, bench.csv (a line per run), attempts.csv (a line per
// attempt) and pareto.svg into dir.
func (r *Result) Write(dir string) error {
	d, err := r.Document()
	if err != nil {
		return err
	}
	body, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fmt.Errorf("encode bench.json: %w", err)
	}
	for file, b := range map[string][]byte{"bench.json": append(body, '\n'), "pareto.svg": []byte(d.Picture().Draw())} {
		if err := os.WriteFile(filepath.Join(dir, file), b, 0o644); err != nil { //nolint:gosec // results for people
			return fmt.Errorf("write %s: %w", file, err)
		}
	}
	if err := writeCSV(filepath.Join(dir, "bench.csv"), r.runTable()); err != nil {
		return err
	}
	return writeCSV(filepath.Join(dir, "attempts.csv"), r.attemptTable())
}

func writeCSV(path string, rows [][]string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	if err := csv.NewWriter(f).WriteAll(rows); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}

func (r *Result) runTable() [][]string {
	rows := [][]string{{"policy", "seed", "position", "steady", "suite", "item", "kind", "solved", "share", "stopped", "attempts", "models",
		"units", "units_low", "units_high", "unit", "dollars", "seconds", "overrun", "beyond_worst", "queue_after"}}
	for _, x := range r.Rows {
		var models []string
		for _, s := range x.Steps {
			models = append(models, s.Model)
		}
		rows = append(rows, []string{string(x.Policy), strconv.Itoa(x.Seed), strconv.Itoa(x.Position), strconv.FormatBool(x.Steady), x.Suite, x.Item, x.Kind,
			strconv.FormatBool(x.Solved), num(x.Share), x.Stopped, strconv.Itoa(len(x.Steps)), strings.Join(models, " "),
			num(x.Units), num(x.Low), num(x.High), r.Unit.Symbol, num(x.Dollars), num(x.Seconds), strconv.FormatBool(x.Overrun), strconv.Itoa(x.Beyond), num(x.Queue)})
	}
	return rows
}

func (r *Result) attemptTable() [][]string {
	rows := [][]string{{"policy", "seed", "suite", "item", "attempt", "model", "verdict", "explored", "structured", "semantic", "semantic_trust", "predicted", "realised", "expected_units", "units"}}
	for _, x := range r.Rows {
		for i, s := range x.Steps {
			rows = append(rows, []string{string(x.Policy), strconv.Itoa(x.Seed), x.Suite, x.Item, strconv.Itoa(i), s.Model, s.Verdict, strconv.FormatBool(s.Explored),
				numOr(s.Predicted.Structured), numOr(s.Predicted.Semantic), numOr(s.Predicted.Gate), num(s.Predicted.Gain), num(s.Gain), num(s.Expected), num(s.Units)})
		}
	}
	return rows
}

func num(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }

func numOr(v *float64) string {
	if v == nil {
		return ""
	}
	return num(*v)
}

// Picture is the plane of quality over cost, whole stream.
func (d Document) Picture() stats.Picture {
	unit := d.Unit.Symbol
	p := stats.Picture{
		Title: fmt.Sprintf("%s: quality over %s per run", d.World, unit), X: unit + " per run", Y: Metric,
		Subtitle: fmt.Sprintf("%d tasks, %d seed(s), whole stream with the cold start", d.Items, d.Seeds),
		Line:     d.FixedLine, LineName: "mixtures of the fixed tiers", Hull: d.Hull, HullName: "front of all policies but the oracle",
		Limit: d.Allowance, LimitName: fmt.Sprintf("allowance %.4g %s", d.Allowance, unit),
	}
	if d.Unit.Simulated {
		p.Title = d.prefix("Simulated: ") + p.Title
		p.Subtitle += "; simulated figures, nothing was measured"
	}
	if len(d.Policies) > 0 {
		p.Y = d.Policies[0].Quality.Metric
	}
	kinds := map[stats.MarkKind]bool{}
	for _, x := range d.Policies {
		kinds[markOf(x.Policy)] = true
		p.Marks = append(p.Marks, stats.Mark{
			Point: stats.Point{Label: string(x.Policy), Cost: x.Units.Mean, Quality: x.Quality.Mean},
			Low:   x.Quality.Low, High: x.Quality.High, Kind: markOf(x.Policy),
		})
	}
	for _, k := range []stats.KindName{
		{Kind: stats.MarkMain, Name: "ProgRouter"}, {Kind: stats.MarkVariant, Name: "with a part left out"}, {Kind: stats.MarkOther, Name: "other policies"},
		{Kind: stats.MarkFixed, Name: "always the same tier"}, {Kind: stats.MarkBound, Name: "knows what cannot be known"},
	} {
		if kinds[k.Kind] {
			p.Kinds = append(p.Kinds, k)
		}
	}
	return p
}

func markOf(p research.Policy) stats.MarkKind {
	if _, ok := p.FixedTier(); ok {
		return stats.MarkFixed
	}
	switch {
	case p == research.ProgRouter:
		return stats.MarkMain
	case p == research.Oracle:
		return stats.MarkBound
	case strings.HasPrefix(string(p), string(research.ProgRouter)+"-"):
		return stats.MarkVariant
	}
	return stats.MarkOther
}
