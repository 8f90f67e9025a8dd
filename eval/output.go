package eval

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
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
	return tw.Flush()
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
	d := r.Document()
	body, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fmt.Errorf("encode bench.json: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bench.json"), append(body, '\n'), 0o644); err != nil { //nolint:gosec // results for people
		return fmt.Errorf("write bench.json: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pareto.svg"), []byte(d.Pareto()), 0o644); err != nil { //nolint:gosec // results for people
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

// Pareto draws quality over joules, one point a policy, as an SVG document.
func (d Document) Pareto() string {
	const w, h, left, top, right, bottom = 760, 440, 64, 24, 140, 52
	maxJ, lowQ, highQ := 1e-9, 1.0, 0.0
	for _, p := range d.Policies {
		maxJ = max(maxJ, p.Joules.Mean)
		lowQ, highQ = min(lowQ, p.Quality.Mean), max(highQ, p.Quality.Mean)
	}
	pad := max(0.01, (highQ-lowQ)*0.15)
	lowQ, highQ = max(0, lowQ-pad), min(1, highQ+pad)
	x := func(j float64) float64 { return left + j/(maxJ*1.05)*(w-left-right) }
	y := func(q float64) float64 { return top + (highQ-q)/(highQ-lowQ)*(h-top-bottom) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12"><title>Quality over joules per run</title><rect width="%d" height="%d" fill="#fff"/>`, w, h, w, h)
	fmt.Fprintf(&b, `<path d="M%d %dV%dH%d" fill="none" stroke="#555"/>`, left, top, h-bottom, w-right)
	for i := range 5 {
		j, q := maxJ*1.05*float64(i)/4, lowQ+(highQ-lowQ)*float64(i)/4
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#555">%.3g</text><text x="%d" y="%.1f" text-anchor="end" fill="#555">%.3f</text>`, x(j), h-bottom+18, j, left-8, y(q)+4, q)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">joules per run</text><text x="16" y="%d" text-anchor="middle" transform="rotate(-90 16 %d)">quality</text>`, (left+w-right)/2, h-12, (top+h-bottom)/2, (top+h-bottom)/2)
	for _, p := range d.Policies {
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="5" fill="#0b6e69"/><text x="%.1f" y="%.1f">%s</text>`, x(p.Joules.Mean), y(p.Quality.Mean), x(p.Joules.Mean)+9, y(p.Quality.Mean)+4, html.EscapeString(string(p.Policy)))
	}
	b.WriteString("</svg>\n")
	return b.String()
}
