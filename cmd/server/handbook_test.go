package main

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/docs/handbook"
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/extract"
	"github.com/progrouter/progrouter/router"
	"github.com/progrouter/progrouter/router/whatif"
)

func chapter(t *testing.T, name string) string {
	t.Helper()
	data, err := handbook.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// What the handbook says of limits and defaults is what the program does.
func TestHandbookTellsTheTruth(t *testing.T) {
	t.Parallel()
	words := map[int]string{1: "one", 2: "two", 3: "three", 4: "four", 6: "six", 8: "eight", 20: "twenty", 40: "forty"}
	wants := map[string][]string{
		"budgets.md": nil, "what-progrouter-is.md": nil,
		"how-routing-decides.md": {
			fmt.Sprintf("V is %g unless", router.DefaultParams().V),
			fmt.Sprintf("a standing price of %g, so", router.DefaultParams().QueueFloor),
			map[float64]string{1: "which is 1 unless it is set, so"}[router.DefaultParams().QueueCap],
			fmt.Sprintf("The allowance is %g joules per run", defaultAllowance),
			map[float64]string{0.10: "starts at ten per cent"}[router.DefaultParams().Epsilon0],
			map[float64]string{0.02: "until it reaches two per cent"}[router.DefaultParams().EpsilonMin],
			fmt.Sprintf("which is %g unless it is set", router.DefaultParams().Decay),
			fmt.Sprintf("by less than %g, unless", router.DefaultParams().StallGain),
			map[int]string{30: "fewer than 30 steps count"}[whatif.MinSample],
			map[int]string{100: "after a hundred of its steps"}[progress.ModelStrength],
			fmt.Sprintf("After %d finished steps a predictor", progress.FirstFit),
			fmt.Sprintf("a tenth more steps have finished, %d at least", progress.RefitAfter),
			map[int]string{5000: "on the last 5,000 steps"}[progress.DefaultConfig().Window],
			progress.BasisPrior + " while no step", progress.BasisMixed + " while both", progress.BasisLearned + " once",
		},
		"connecting-sources-and-models.md": {
			"ports 80, 443, 8080 and 8443 only", "at most 10 MB",
			fmt.Sprintf("at most %d MB of text", extract.MaxText>>20), "at most 25 MB each",
			fmt.Sprintf("up to %g billion parameters are proposed as small, of up to %g billion as medium", smallUpTo, mediumUpTo),
			"An Ollama at `" + defaultOllama + "` is found", strings.Join(presetWords()[:len(presetWords())-1], ", ") + " or " + presetWords()[len(presetWords())-1],
		},
		"reading-a-timeline.md": {
			"first chart draws the cumulative joules", "second chart draws the progress score", "third chart shows the share of each tier",
		},
	}
	for _, d := range research.Depths() {
		b, l := research.DefaultBudget(d, false), research.LimitsFor(d)
		wants["budgets.md"] = append(wants["budgets.md"], fmt.Sprintf("| %s | %g | %.2f | %g |", d, b.Joules.Units(), b.Dollars.Units(), *b.Seconds))
		m := research.DefaultBudget(d, true)
		wants["budgets.md"] = append(wants["budgets.md"], fmt.Sprintf("| %s | %.0f | %.2f | %g |", d, m.Joules.Units(), m.Dollars.Units(), *m.Seconds))
		wants["what-progrouter-is.md"] = append(wants["what-progrouter-is.md"],
			fmt.Sprintf("A %s run uses up to %s sub-questions and %s documents, with %s", d, words[l.Subquestions], words[l.Sources], words[l.ReviewRounds]))
	}
	for _, p := range research.Policies() {
		wants["how-routing-decides.md"] = append(wants["how-routing-decides.md"], "**"+string(p)+"**")
	}
	for name, list := range wants {
		text := chapter(t, name)
		for _, want := range list {
			if want == "" || !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
	}
	for _, o := range options() {
		if o.key == "upload_mb" && o.value != 25 || o.key == "cpu_watts" && o.value != 10.0 || o.key == "workers" && o.value != 2 {
			t.Errorf("the handbook names another default of %s than %v", o.key, o.value)
		}
	}
}

// Sentences of the handbook are quoted in reports, so they stand by themselves:
// items of lists are whole sentences, and none leans on the one before.
func TestHandbookCanBeQuoted(t *testing.T) {
	t.Parallel()
	leaning := regexp.MustCompile(`(?:^|[.!?:](?:\*\*)? )(This|It|These|Those|They|That) `)
	err := fs.WalkDir(handbook.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".md") {
			return err
		}
		for i, line := range strings.Split(chapter(t, path), "\n") {
			item, isItem := strings.CutPrefix(line, "- ")
			if isItem && !strings.HasSuffix(strings.TrimSpace(item), ".") {
				t.Errorf("%s:%d: an item that is no sentence: %s", path, i+1, line)
			}
			if m := leaning.FindString(strings.TrimPrefix(item, "**")); m != "" && !strings.Contains(line, "This version of ProgRouter") && !strings.Contains(line, "This handbook") {
				t.Errorf("%s:%d: a sentence leans on the one before (%q): %s", path, i+1, m, line)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The examples of the handbook are read as they stand.
func TestHandbookExamplesOfModels(t *testing.T) {
	t.Parallel()
	text := chapter(t, "connecting-sources-and-models.md")
	_, file, _ := strings.Cut(text, "```yaml\n")
	file, _, _ = strings.Cut(file, "```")
	c, err := withFile(t, file)
	if err != nil {
		t.Fatal(err)
	}
	if p, m := c.modelConfig(); len(p) != 2 || len(m) != 2 || m[1].Price == nil {
		t.Errorf("%d providers, %d models", len(p), len(m))
	}
	_, line, _ := strings.Cut(text, "\n"+envPrefix+"MODELS=")
	line, _, _ = strings.Cut(line, "\n")
	c, err = loaded(t, "--models", line)
	if p, m := c.modelConfig(); err != nil || len(p) != 2 || len(m) != 2 {
		t.Errorf("%d providers, %d models, %v", len(p), len(m), err)
	}
}
