package verify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/research"
)

func TestCodesAreTheTrials(t *testing.T) {
	t.Parallel()
	for ours, theirs := range map[string]string{Passed: trial.Passed, Partly: trial.Partly, Wrong: trial.Wrong, Broken: trial.Broken, Syntax: trial.Syntax, Timeout: trial.Timeout, Missing: trial.Missing} {
		if ours != theirs {
			t.Errorf("%q is not %q", ours, theirs)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mine.jsonl")
	lines := `{"id":"a","prompt":"p","entry_point":"f","test":"def check(c): pass"}

{"id":"b","prompt":"p","tests":["assert f(1)"],"setup":"x = 1"}
{"id":"c","prompt":"p","answer":"\\pi","level":2,"subject":"Algebra"}
{"id":"d","prompt":"p","answer":"12"}
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil || len(got) != 4 {
		t.Fatalf("%v, %v", got, err)
	}
	for i, kind := range []string{Code, Code, Mathematics, Mathematics} {
		if got[i].Kind != kind || got[i].Suite != "mine" {
			t.Errorf("got %+v", got[i])
		}
	}
	if got[1].function() != "f" || got[1].Entry != "" || got[1].Setup != "x = 1" || got[2].Level != 2 || got[3].Answer != "12" {
		t.Errorf("got %+v", got)
	}
}

func TestLoadNamesTheFault(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, says string }{
		"empty":        {"\n", "there is no task"},
		"not JSON":     {"{\"id\":\"a\",\"prompt\":\"p\",\"answer\":\"1\"}\nnonsense", "line 2: not a task"},
		"no id":        {`{"prompt":"p","answer":"1"}`, `line 1: "id" is missing`},
		"no prompt":    {`{"id":"a","answer":"1"}`, `"prompt" is missing`},
		"no form":      {`{"id":"a","prompt":"p","entry_point":"f"}`, `"entry_point" with "test"`},
		"empty answer": {`{"id":"a","prompt":"p","answer":" "}`, `"answer" is empty`},
		"no number":    {`{"id":"a","prompt":"p","answer":"many"}`, `"answer" is no number`},
		"twice":        {"{\"id\":\"a\",\"prompt\":\"p\",\"answer\":\"1\"}\n{\"id\":\"a\",\"prompt\":\"p\",\"answer\":\"1\"}", "line 2: the id \"a\" is used twice"},
	} {
		path := filepath.Join(t.TempDir(), "t.jsonl")
		if err := os.WriteFile(path, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		if research.CodeOf(err) != research.EInvalid || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.jsonl")); research.CodeOf(err) != research.EInvalid {
		t.Errorf("got %v", err)
	}
}

func TestFunctionOfTests(t *testing.T) {
	t.Parallel()
	for want, tests := range map[string][]string{
		"f":      {"assert f(1) == 2", "assert f(g(2)) == 3"},
		"common": {"assert set(common([1], (2))) == set([1])", "assert set(common('f(', [3])) == {4}"},
		"near":   {"assert abs(near(2) - 1.5) < 1e-9", "assert not near(3)"},
		"sum":    {"assert sum([1], 2) == 3", "assert sum([], 0) == 0"},
		"g":      {"assert math.isclose(g(2.5), 3)", "assert x.f(g(1)) == (f(2))"},
		"":       {"assert 1 == 1"},
	} {
		if got := (Task{Tests: tests}).function(); got != want {
			t.Errorf("%v: got %q, want %q", tests, got, want)
		}
	}
}
