package eval

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Table prints the result for people.
func (d Document) Table(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "allowance %.1f J per run, %d seed(s)\n", d.Allowance, d.Seeds)
	fmt.Fprintln(tw, "policy\tsuite\truns\tquality\t95 %\tstatement\tcitation\tgold pages\tpage@5\tpage@10\tjoules\t(low–high)\tseconds\tshares\tkept\toverruns")
	for _, p := range d.Policies {
		line(tw, string(p.Policy), "all", p)
		for _, s := range d.Suites {
			line(tw, "", s, *p.BySuite[s])
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	return d.stands(w)
}

// stands says where each policy stands among the others.
func (d Document) stands(w io.Writer) error {
	var b strings.Builder
	for _, p := range d.Policies {
		if p.Standing == nil {
			continue
		}
		fmt.Fprintf(&b, "%s:", p.Policy)
		if s := p.Standing.OfLarge; s != nil {
			fmt.Fprintf(&b, " %.1f %% of fixed-large's quality at %.1f %% of its joules;", 100*s.Quality.Mean, 100*s.Units.Mean)
		}
		if a := p.Standing.AboveLine; a != nil {
			fmt.Fprintf(&b, " %+.4f (%+.4f to %+.4f) above the line of the fixed tiers;", a.Mean, a.Low, a.High)
		}
		fmt.Fprintf(&b, " steady state %.3f at %.2f J", p.Steady.Quality.Mean, p.Steady.Units.Mean)
		if len(p.Standing.BeatenBy) > 0 {
			fmt.Fprintf(&b, "; significantly better within the allowance: %v", p.Standing.BeatenBy)
		}
		b.WriteByte('\n')
		if p.Predictor != nil && p.Predictor.Paths != nil && needsAllowance(p.Policy) {
			e := p.Predictor.Paths
			fmt.Fprintf(&b, "  error of predictions over %d steps: structured %.4f, semantic %.4f, mean of both %.4f, gate %.4f\n",
				e.Steps, e.Structured.Mean, e.Semantic.Mean, e.Mean.Mean, e.Gate.Mean)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func line(w io.Writer, policy, suite string, p PolicyDocument) {
	fmt.Fprintf(w, "%s\t%s\t%d\t%.3f\t%.3f–%.3f\t%.3f\t%.3f\t%.3f\t%s\t%s\t%.2f\t(%.2f–%.2f)\t%.2f\t%s\t%t\t%d\n",
		policy, suite, p.Runs, p.Quality.Mean, p.Quality.Low, p.Quality.High, p.StatementRecall, p.CitationPrecision,
		p.GoldPageRecall, optional(p.PageRecall5), optional(p.PageRecall10), p.Joules.Mean, p.Joules.Low, p.Joules.High,
		p.Seconds, shareText(p.Shares), p.AllowanceKept, p.BudgetOverruns)
}

func optional(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", *v)
}

func shareText(m map[string]float64) string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var out []string
	for _, k := range keys {
		out = append(out, fmt.Sprintf("%s %.0f %%", strings.TrimPrefix(k, "embedded/"), m[k]))
	}
	return strings.Join(out, ", ")
}

// Write puts bench.json, bench.csv and pareto.svg into dir.
func (r *Result) Write(dir string) error {
	d, err := r.Document()
	if err != nil {
		return err
	}
	body, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fmt.Errorf("encode bench.json: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bench.json"), append(body, '\n'), 0o644); err != nil { //nolint:gosec // results for people
		return fmt.Errorf("write bench.json: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pareto.svg"), []byte(d.Pareto), 0o644); err != nil { //nolint:gosec // results for people
		return fmt.Errorf("write pareto.svg: %w", err)
	}
	return r.writeCSV(filepath.Join(dir, "bench.csv"))
}

func (r *Result) writeCSV(path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write bench.csv: %w", err)
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	w := csv.NewWriter(f)
	rows := [][]string{{"policy", "seed", "suite", "question", "status", "quality", "statement_recall", "citation_precision", "source_precision",
		"gold_page_recall", "page_recall_5", "page_recall_10", "joules", "joules_low", "joules_high", "method", "dollars", "seconds", "overrun"}}
	for _, x := range r.Rows {
		rows = append(rows, []string{string(x.Policy), strconv.Itoa(x.Seed), x.Suite, x.QuestionID, string(x.Status), num(x.Quality), num(x.StatementRecall),
			num(x.CitationPrecision), num(x.SourcePrecision), num(x.GoldPageRecall), numOr(x.PageRecall5), numOr(x.PageRecall10),
			num(x.Joules), num(x.Low), num(x.High), x.Method, num(x.Dollars), num(x.Seconds), strconv.FormatBool(x.Overrun)})
	}
	if err := w.WriteAll(rows); err != nil {
		return fmt.Errorf("write bench.csv: %w", err)
	}
	return nil
}

func num(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }

func numOr(v *float64) string {
	if v == nil {
		return ""
	}
	return num(*v)
}
