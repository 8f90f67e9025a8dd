package records

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

// The records that come with the project can be read and played, and hold what
// docs/evaluation.md says of them.
func TestOurRecords(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("data/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no records: %v", err)
	}
	for _, f := range files {
		list, err := Read(f)
		if err != nil {
			t.Fatal(err)
		}
		w, err := New(list, Config{})
		if err != nil {
			t.Fatal(err)
		}
		tasks := 40
		if strings.HasPrefix(filepath.Base(f), "math500") {
			tasks = 16 // of the large model, which takes minutes for one
		}
		if len(w.Models()) != 3 || len(w.Items()) < tasks || w.Unit().Method != research.MethodCPU {
			t.Errorf("%s: %d models, %d tasks, %+v", f, len(w.Models()), len(w.Items()), w.Unit())
		}
		tokens, cpu := 0, 0.0
		for _, r := range list {
			tokens += r.Tokens.Output
			cpu += r.CPUSeconds
			if r.Joules <= 0 || r.Tokens.Input == 0 {
				t.Errorf("%s by %s, attempt %d: %+v", r.Task, r.Model, r.Attempt, r)
			}
		}
		if tokens == 0 || cpu == 0 {
			t.Errorf("%s: %d tokens, %g CPU seconds", f, tokens, cpu)
		}
	}
}
