package export

import (
	"context"
	"errors"
	"flag"
	"mime"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// drawing is left out of golden files: how it looks is package chart's business.
var drawing = regexp.MustCompile(`(?s)<svg class="chart.*</svg>`)

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s differs; look at the change, then run go test ./export -update\n%s", path, firstDifference(string(want), string(got)))
	}
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return "want: " + w[i] + "\ngot:  " + g[i]
		}
	}
	return "one is longer than the other"
}

func TestRenderGolden(t *testing.T) {
	t.Parallel()
	for _, f := range Formats() {
		r, err := Render(context.Background(), sample(), f, "en")
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if _, _, err := mime.ParseMediaType(r.MediaType); err != nil {
			t.Errorf("%s: media type %q: %v", f, r.MediaType, err)
		}
		golden(t, "sample."+string(f), drawing.ReplaceAll(r.Body, []byte("<svg/>")))
	}
	korean, err := Render(context.Background(), sample(), FormatMarkdown, "ko-KR")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "sample.ko.md", korean.Body)
}

func TestRenderEmptyRun(t *testing.T) {
	t.Parallel()
	l := &research.Ledger{Run: research.Run{ID: "r9", Status: research.NoEvidence, StopReason: "Nothing relevant was found."},
		Queries: []research.Query{{Text: "x|y", Provider: "wikipedia", Error: "no network"}}}
	for _, f := range Formats() {
		r, err := Render(context.Background(), l, f, "")
		if err != nil || len(r.Body) == 0 {
			t.Errorf("%s: %v", f, err)
		}
		if !strings.HasPrefix(r.Name, "run-r9") {
			t.Errorf("name %q", r.Name)
		}
	}
	md, _ := Markdown(l, "en")
	for _, want := range []string{"No evidence found", "x\\|y (Wikipedia): 0 results; no network"} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
	if strings.Contains(md, "No language model was used") {
		t.Error("a run without steps says which model it used")
	}
}

func TestRenderUnknownFormat(t *testing.T) {
	t.Parallel()
	_, err := Render(context.Background(), sample(), "docm", "")
	var e *research.Error
	if !errors.As(err, &e) || e.Code != research.EInvalid || e.Field != "format" {
		t.Fatalf("error %v", err)
	}
	for _, f := range Formats() {
		if !strings.Contains(e.Message, string(f)) {
			t.Errorf("%q does not list %s", e.Message, f)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Render(ctx, sample(), FormatHTML, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled context: %v", err)
	}
}

func TestFileName(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Archiving of WAL files": "archiving-of-wal-files.md",
		"../../etc/passwd\x00":   "etc-passwd.md",
		"복구 방법?":                 "복구-방법.md",
		"CON: \"x\" <y>|*":       "con-x-y.md",
		"🗄️!!":                   "run-id.md",
		strings.Repeat("a", 90):  strings.Repeat("a", 48) + ".md",
	} {
		l := &research.Ledger{Run: research.Run{ID: "id"}, Report: research.Report{Title: title}}
		if got := fileName(l, ".md"); got != want {
			t.Errorf("fileName(%q) = %q, want %q", title, got, want)
		}
	}
}

func TestCitationsAreSharedAndOrdered(t *testing.T) {
	t.Parallel()
	var ids []string
	for i, c := range Citations(sample()) {
		if c.Number != i+1 {
			t.Errorf("citation %d has number %d", i, c.Number)
		}
		ids = append(ids, c.Evidence.ID)
	}
	if got := strings.Join(ids, " "); got != "e1 e3 e2" {
		t.Errorf("order %s, want e1 e3 e2 (the summary first, unused evidence left out)", got)
	}
}

// Whoever reads a report in any format learns which language models had a hand in it.
func TestEveryFormatNamesTheModels(t *testing.T) {
	t.Parallel()
	l := sample()
	for i := range l.Steps {
		l.Steps[i].Model = "box/<gpt>"
		l.Steps[i].Actions = append(l.Steps[i].Actions, research.Action{Kind: "call", Call: &research.ModelCall{Model: "box/<gpt>", Tokens: research.Tokens{Output: 9}}})
	}
	page, err := HTML(l, "en")
	if err != nil {
		t.Fatal(err)
	}
	md, err := Markdown(l, "en")
	if err != nil {
		t.Fatal(err)
	}
	for format, body := range map[string]string{"html": page, "md": md} {
		if !strings.Contains(body, "Language models used: box/") || strings.Contains(body, "No language model was used") {
			t.Errorf("%s does not speak of the language models", format)
		}
		if strings.Contains(body, "<gpt>") {
			t.Errorf("%s: the name of a model is markup", format)
		}
	}
}

func TestUsesOnlyEmbedded(t *testing.T) {
	t.Parallel()
	l := sample()
	if !UsesOnlyEmbedded(l) {
		t.Error("an embedded run counts as using a language model")
	}
	l.Steps[1].Model = "gpt"
	if UsesOnlyEmbedded(l) {
		t.Error("a run with a language model counts as embedded")
	}
	if md, _ := Markdown(l, "en"); !strings.Contains(md, "no answer of theirs was used") || strings.Contains(md, "Language models used") {
		t.Errorf("the report names a language model that never answered: %.600s", md)
	}
	l.Steps[1].Actions = append(l.Steps[1].Actions, research.Action{Kind: "call", Call: &research.ModelCall{Model: "gpt", Tokens: research.Tokens{Output: 9}}})
	if md, _ := Markdown(l, "en"); strings.Contains(md, "No language model") {
		t.Error("the report denies its language model")
	} else if !strings.Contains(md, "Language models used: gpt (") || !strings.Contains(md, "The embedded engine took the other steps.") {
		t.Errorf("the report does not name its language model: %.600s", md)
	}
}
