package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

// Beside a running server the command prints every step that the server takes,
// each once, and hands out the same report.
func TestResearchBesideAServer(t *testing.T) {
	t.Parallel()
	s := startSite(t, nil)
	code, out, msg := cli(t, "research", handbookAsk, "--data", s.data, "--policy", "fixed-small", "--depth", "quick", "--wikipedia=false", "--format", "json")
	var d research.RunDocument
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != exitOK {
		t.Fatalf("exit %d, %v\n%s", code, err, msg)
	}
	if strings.Count(msg, "A running server has this data folder") != 1 {
		t.Errorf("not handed over: %s", msg)
	}
	for _, step := range d.Steps {
		if n := strings.Count(msg, step.Note); step.Note != "" && n < 1 {
			t.Errorf("step %d is not shown: %q", step.Index, step.Note)
		}
	}
	if n := strings.Count(msg, "embedded/small"); n != len(d.Steps) {
		t.Errorf("%d steps shown, %d taken\n%s", n, len(d.Steps), msg)
	}
}
