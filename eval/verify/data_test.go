//go:build linux && (amd64 || arm64)

package verify

import (
	"os"
	"path/filepath"
	"testing"
)

// The published suites load, and an answer that says nothing solves none of
// their tasks.
func TestSuites(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("PROGROUTER_EVAL_DATA")
	if dir == "" {
		t.Skip("PROGROUTER_EVAL_DATA is not set")
	}
	v := newVerifier(t)
	for suite, want := range map[string]int{"humaneval": 100, "mbpp": 150, "math500": 150, "gsm8k": 150} {
		tasks, err := Load(filepath.Join(dir, "tasks", suite+".jsonl"))
		if err != nil || len(tasks) != want {
			t.Fatalf("%s: %d tasks, %v", suite, len(tasks), err)
		}
		counts := map[string]int{}
		for _, task := range tasks {
			text := `\boxed{-987654321}`
			if task.Kind == Code {
				if task.function() == "" {
					t.Errorf("%s: no function", task.ID)
				}
				text = fenced("def " + task.function() + "(*args):\n    return object()")
			}
			got := check(t, v, task, text)
			counts[got.Code]++
			if got.Code == Passed || got.Code == Syntax || got.Code == Timeout || got.Said == "" {
				t.Errorf("%s: got %+v", task.ID, got)
			}
		}
		t.Log(suite, counts)
	}
}
