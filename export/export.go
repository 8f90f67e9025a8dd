// Package export turns a run's ledger into files people keep: the report as
// Markdown, a self-contained HTML page and JSON, and what it cost as CSV and
// JSON. Everything here is a pure function of the ledger; it must not know
// HTTP, storage or how a run is worked on.
package export

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/progrouter/progrouter/research"
)

// Format names a kind of file, as users type it.
type Format string

// The formats.
const (
	FormatMarkdown Format = "md"
	FormatHTML     Format = "html"
	FormatJSON     Format = "json"
	FormatCostCSV  Format = "cost.csv"
	FormatCostJSON Format = "cost.json"
)

// Rendered is a finished file.
type Rendered struct {
	Name      string // a file name safe on every system
	MediaType string
	Body      []byte
}

type renderer struct {
	format    Format
	mediaType string
	suffix    string
	render    func(*research.Ledger, string) ([]byte, error)
}

func renderers() []renderer {
	text := func(f func(*research.Ledger, string) (string, error)) func(*research.Ledger, string) ([]byte, error) {
		return func(l *research.Ledger, lang string) ([]byte, error) {
			s, err := f(l, lang)
			return []byte(s), err
		}
	}
	return []renderer{
		{FormatMarkdown, "text/markdown; charset=utf-8", ".md", text(Markdown)},
		{FormatHTML, "text/html; charset=utf-8", ".html", text(HTML)},
		{FormatJSON, "application/json", ".json", JSON},
		{FormatCostCSV, "text/csv; charset=utf-8", "-cost.csv", CostCSV},
		{FormatCostJSON, "application/json", "-cost.json", CostJSON},
	}
}

// Formats lists every format that Render knows.
func Formats() []Format {
	var out []Format
	for _, r := range renderers() {
		out = append(out, r.format)
	}
	return out
}

// Render makes one file. lang chooses the language of the headings around the
// report (en or ko; empty: the run's own language); quotes stay as they are. An
// unknown format is an EInvalid error that lists the known ones.
func Render(ctx context.Context, l *research.Ledger, format Format, lang string) (Rendered, error) {
	if err := ctx.Err(); err != nil {
		return Rendered{}, err
	}
	for _, r := range renderers() {
		if r.format != format {
			continue
		}
		body, err := r.render(l, lang)
		if err != nil {
			return Rendered{}, fmt.Errorf("export %s of run %s: %w", format, l.Run.ID, err)
		}
		return Rendered{Name: fileName(l, r.suffix), MediaType: r.mediaType, Body: body}, nil
	}
	return Rendered{}, unknownFormat(format, Formats())
}

func unknownFormat(format Format, all []Format) error {
	var names []string
	for _, f := range all {
		names = append(names, string(f))
	}
	known := strings.Join(names, ", ")
	shown := []rune(string(format))
	if len(shown) > 40 {
		shown = append(shown[:39], '…')
	}
	return research.Errorf(research.EInvalid, "format_unknown", "format: %q is not known. Choose one of %s.", string(shown), known).
		At("format").With(map[string]any{"Value": string(shown), "Known": known})
}

// fileName makes a name from the title: letters and digits of any script, the
// rest becomes single hyphens.
func fileName(l *research.Ledger, suffix string) string {
	var b strings.Builder
	n, gap := 0, false
	for _, r := range strings.ToLower(titleOf(l)) {
		if n >= 48 {
			break
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && (!unicode.IsMark(r) || n == 0 || gap) {
			gap = n > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
		n++
	}
	if b.Len() == 0 {
		return "run-" + l.Run.ID + suffix
	}
	return b.String() + suffix
}

func titleOf(l *research.Ledger) string {
	if t := oneLine(l.Report.Title); t != "" {
		return t
	}
	return oneLine(l.Run.Question)
}

// oneLine collapses whitespace and drops control characters, which no format
// can show.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}
