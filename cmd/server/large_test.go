//go:build !race

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

// The race detector makes the database's search of so large a library about ten
// times dearer, and what a search costs is not bounded beforehand, so this test is
// run without it (see scripts/test.sh).

// TestLargeDocumentsDoNotOverrunTheBudget works on pages of several megabytes
// with the real engine and little energy.
func TestLargeDocumentsDoNotOverrunTheBudget(t *testing.T) {
	t.Parallel()
	dir, data := t.TempDir(), t.TempDir()
	line := "Copper kettles are polished with a paste of salt and vinegar, as the keeper of kettle number %d found. "
	for n := range 3 {
		var b strings.Builder
		for i := 0; b.Len() < 5<<20; i++ {
			fmt.Fprintf(&b, line, i*7+n)
			if i%8 == 7 {
				b.WriteString("\n\n")
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("big%d.txt", n)), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, out, msg := cli(t, "research", "How are copper kettles polished?", "--library", dir, "--data", data, "--policy", "fixed-small", "--joules", "15", "--format", "json")
	var d research.RunDocument
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	if d.Totals.Joules > *d.Budget.Joules {
		t.Errorf("spent %s J of %s\n%s", d.Totals.Joules, *d.Budget.Joules, msg)
	}
}
