package hosted

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/research"
)

func file(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mini.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, lines ...string) *World {
	t.Helper()
	w, err := Open(file(t, lines...))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

const (
	paid    = `{"id":"q1","prompt":"Translate the following sentence.","models":{"claude-3-haiku":{"score":0.6,"input_tokens":40,"output_tokens":30,"dollars":0.0005},"cheap":{"score":-0.03,"dollars":0.0001,"unknown":1}}}`
	paidToo = `{"id":"q2","prompt":"Which one? A multiple-choice question.","models":{"claude-3-haiku":{"score":0,"dollars":0.0007},"cheap":{"score":0.4,"dollars":0.0001}}}`
	long    = `{"prompt":"How many?","models":{"a":{"correct":true,"output_chars":800},"b":{"correct":false,"output_chars":200}}}`
)

func TestWorldOfDollars(t *testing.T) {
	t.Parallel()
	w := open(t, paid, "", paidToo)
	if w.Unit() != (trial.Unit{Symbol: "m$"}) || w.Name() != "mini" || w.Repeatable() {
		t.Errorf("unit %+v, name %s", w.Unit(), w.Name())
	}
	small, large := w.Models()[0], w.Models()[1]
	if small.Name != "cheap" || small.Tier != research.Small || large.Tier != research.Large {
		t.Errorf("models %+v", w.Models())
	}
	if near(large.Prior.Units, 0.263) != true || near(large.Worst.Units, 0.735) != true {
		t.Errorf("prior %v, worst %v", large.Prior, large.Worst)
	}
	items := w.Items()
	if items[0].Kind != "translation" || items[1].Kind != "choice" || items[0].ID != "q1" || items[0].Suite != "mini" {
		t.Errorf("items %+v", items)
	}
	for _, c := range []struct {
		item          int
		model, saying string
		share, cost   float64
		counted       string
		chance        float64
	}{
		{0, "claude-3-haiku", trial.Passed, 0.6, 0.5, "server", 1},
		{0, "cheap", trial.Wrong, 0, 0.1, "none", 0},
		{1, "cheap", trial.Partly, 0.4, 0.1, "none", 0},
	} {
		out, err := w.Attempt(t.Context(), items[c.item], c.model, 3, "said", nil)
		if err != nil || out.Verdict != c.saying || out.Share != c.share || !near(out.Cost.Units, c.cost) ||
			!near(out.Cost.Dollars, c.cost/1000) || out.Tokens.Counted != c.counted || out.Energy.Joules != nil {
			t.Errorf("%s on %s: %+v, %v", c.model, items[c.item].ID, out, err)
		}
		if p, ok := w.Chance(items[c.item], c.model); !ok || p != c.chance {
			t.Errorf("%s on %s: chance %v, %v", c.model, items[c.item].ID, p, ok)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestWorldOfLength(t *testing.T) {
	t.Parallel()
	w := open(t, long, `{"id":"named","prompt":"x","models":{"a":{"correct":true,"output_chars":0},"b":{"correct":true,"output_chars":0}}}`)
	if w.Unit().Symbol != "kchar" || w.Models()[0].Name != "b" || w.Items()[0].ID != "mini/1" || w.Items()[0].Kind != "answer" {
		t.Errorf("%+v %+v", w.Models(), w.Items())
	}
	out, err := w.Attempt(t.Context(), w.Items()[0], "a", 0, "", nil)
	if err != nil || !out.Solved() || out.Cost != (trial.Cost{Units: 0.8}) {
		t.Errorf("%+v, %v", out, err)
	}
	if m := w.Models(); m[0].Prior != m[1].Prior {
		t.Error("lengths are thought to differ before any was seen")
	}
}

func TestQueriesThatLackAModel(t *testing.T) {
	t.Parallel()
	w := open(t, paid, `{"prompt":"x","models":{"cheap":{"score":1,"dollars":1}}}`)
	if len(w.Items()) != 1 || !strings.Contains(strings.Join(w.Notes(), " "), "1 of 2 queries are left out") {
		t.Errorf("%d items, %v", len(w.Items()), w.Notes())
	}
}

func TestWhoDoesNotExist(t *testing.T) {
	t.Parallel()
	w := open(t, paid)
	if _, err := w.Attempt(t.Context(), w.Items()[0], "other", 0, "", nil); research.CodeOf(err) != research.ENotFound {
		t.Errorf("attempt: %v", err)
	}
	if _, ok := w.Chance(trial.Item{ID: "none"}, "cheap"); ok {
		t.Error("a chance on nothing")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := w.Attempt(ctx, w.Items()[0], "cheap", 0, "", nil); err == nil {
		t.Error("an attempt after the end")
	}
}

func TestOpenNamesThePlace(t *testing.T) {
	t.Parallel()
	swap := func(old, by string) string { return strings.Replace(paidToo, old, by, 1) }
	for name, c := range map[string]struct{ line, want string }{
		"no JSON":       {`{"prompt":`, "line 2"},
		"no prompt":     {swap(`"prompt"`, `"text"`), "line 2"},
		"no models":     {`{"prompt":"x"}`, "line 2"},
		"no score":      {swap(`"score":0,`, ``), "line 2"},
		"a high score":  {swap(`"score":0,`, `"score":7,`), "line 2"},
		"no cost":       {swap(`,"dollars":0.0007`, ``), "line 2"},
		"negative cost": {swap(`0.0007`, `-1`), "line 2"},
		"twice":         {paid, "used twice"},
		"costs mixed":   {swap(`"dollars":0.0007`, `"output_chars":7`), "every answer"},
		"five models":   {`{"prompt":"x","models":{"a":{"score":1,"dollars":1},"b":{"score":1,"dollars":1},"c":{"score":1,"dollars":1},"d":{"score":1,"dollars":1},"e":{"score":1,"dollars":1}}}`, "5 models"},
	} {
		first := paid
		if name == "five models" {
			first = ""
		}
		if _, err := Open(file(t, first, c.line)); research.CodeOf(err) != research.EInvalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, path := range map[string]string{"missing": filepath.Join(t.TempDir(), "none"), "empty": file(t, "")} {
		if _, err := Open(path); research.CodeOf(err) != research.EInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The recorded files are used as they come.
func TestRecordedFiles(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("PROGROUTER_EVAL_DATA")
	if dir == "" {
		t.Skip("PROGROUTER_EVAL_DATA is not set")
	}
	for name, c := range map[string]struct {
		items       int
		unit, small string
	}{
		"routerarena_haiku_flash": {809, "m$", "gemini-2.0-flash"},
		"gsm8k_mixtral_gpt4":      {1319, "kchar", "mistralai/Mixtral-8x7B-Instruct-v0.1"},
	} {
		w, err := Open(filepath.Join(dir, "outcomes", name+".jsonl"))
		if err != nil {
			t.Error(err)
			continue
		}
		if len(w.Items()) != c.items || w.Unit().Symbol != c.unit || w.Models()[0].Name != c.small {
			t.Errorf("%s: %d items in %s, small is %s", name, len(w.Items()), w.Unit().Symbol, w.Models()[0].Name)
		}
		t.Log(strings.Join(w.Notes(), " "))
		kinds := map[string]int{}
		for _, it := range w.Items() {
			kinds[it.Kind]++
		}
		for _, m := range w.Models() {
			solved, units := 0, 0.0
			for _, it := range w.Items() {
				out, err := w.Attempt(t.Context(), it, m.Name, 0, "", nil)
				if err != nil {
					t.Fatal(err)
				}
				if out.Solved() {
					solved++
				}
				units += out.Cost.Units
			}
			t.Logf("%s: solved %.4f at %.4f %s, prior %.3f, worst %.3f; kinds %v", m.Name,
				float64(solved)/float64(c.items), units/float64(c.items), c.unit, m.Prior.Units, m.Worst.Units, kinds)
		}
	}
}
