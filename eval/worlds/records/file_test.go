package records

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/research"
)

// attempt is a valid record to vary.
func attempt(task, model string, n int, verdict string) Record {
	r := Record{
		Task: task, Suite: "mini", Kind: "code", Model: model, Tier: research.Small, Attempt: n, Seed: int64(n),
		Verdict: verdict, Tokens: Tokens{Input: 100, Output: 50}, Joules: 10, Low: 5, High: 20,
		Method: research.MethodCPU, Seconds: 2, CPUSeconds: 1, Said: "<assert> failed",
	}
	if verdict == trial.Passed {
		r.Share = 1
	}
	return r
}

func file(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.jsonl")
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func appended(t *testing.T, path string, list ...Record) *Writer {
	t.Helper()
	w, err := OpenAppend(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestAppendAndRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "r.jsonl")
	a, b := attempt("one", "m", 0, trial.Passed), attempt("one", "m", 1, trial.Wrong)
	appended(t, path, a)
	if w := appended(t, path, b); w.Dropped() != 0 {
		t.Errorf("%d bytes dropped from a whole file", w.Dropped())
	}
	for range 2 { // plain, then compressed
		got, err := Read(path)
		if err != nil || len(got) != 2 || got[0] != a || got[1] != b {
			t.Fatalf("read %+v, %v", got, err)
		}
		if strings.HasSuffix(path, gz) {
			break
		}
		if path, err = Compress(path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := OpenAppend(path); research.CodeOf(err) != research.EInvalid {
		t.Errorf("appending to a compressed file: %v", err)
	}
}

func TestCompressIsDeterministic(t *testing.T) {
	t.Parallel()
	var seen []byte
	for range 2 {
		path := filepath.Join(t.TempDir(), "r.jsonl")
		appended(t, path, attempt("one", "m", 0, trial.Passed))
		to, err := Compress(path)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(to)
		if err != nil || seen != nil && string(b) != string(seen) {
			t.Fatalf("other bytes, %v", err)
		}
		seen = b
	}
}

func TestAppendRefusesWhatReadWould(t *testing.T) {
	t.Parallel()
	w, err := OpenAppend(filepath.Join(t.TempDir(), "r.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r := attempt("one", "m", 0, trial.Passed)
	r.Verdict = "fine"
	if err := w.Append(r); research.CodeOf(err) != research.EInvalid {
		t.Errorf("appended: %v", err)
	}
}

// A kill may tear the last line anywhere.
func TestTornLine(t *testing.T) {
	t.Parallel()
	whole := file(t, "")
	appended(t, whole, attempt("one", "m", 0, trial.Passed), attempt("two", "m", 0, trial.Wrong))
	b, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	first := strings.IndexByte(string(b), '\n') + 1
	for cut := first; cut <= len(b); cut++ {
		path := file(t, string(b[:cut]))
		want, lost := 1, cut-first
		if cut >= len(b)-1 { // at most the end of the line is missing
			want, lost = 2, 0
		}
		if got, err := Read(path); err != nil || len(got) != want {
			t.Fatalf("cut at %d: %d records, %v", cut, len(got), err)
		}
		if w := appended(t, path, attempt("three", "m", 0, trial.Broken)); w.Dropped() != lost {
			t.Fatalf("cut at %d: dropped %d, not %d", cut, w.Dropped(), lost)
		}
		if got, err := Read(path); err != nil || len(got) != want+1 || got[want].Task != "three" {
			t.Fatalf("cut at %d, appended: %d records, %v", cut, len(got), err)
		}
	}
}

func TestReadNamesThePlace(t *testing.T) {
	t.Parallel()
	good := `{"task":"a","suite":"s","kind":"code","model":"m","tier":"small","verdict":"passed","share":1}`
	for name, bad := range map[string]string{
		"no JSON":         `{"task":`,
		"no task":         strings.Replace(good, `"a"`, `""`, 1),
		"no suite":        strings.Replace(good, `"s"`, `""`, 1),
		"no kind":         strings.Replace(good, `"code"`, `""`, 1),
		"no model":        strings.Replace(good, `"m"`, `""`, 1),
		"unknown tier":    strings.Replace(good, `small`, `tiny`, 1),
		"unknown verdict": strings.Replace(good, `passed`, `fine`, 1),
		"passed in part":  strings.Replace(good, `:1}`, `:0.5}`, 1),
		"share above one": strings.Replace(good, `"passed","share":1`, `"wrong","share":2`, 1),
		"negative":        strings.Replace(good, `"share"`, `"joules":-1,"share"`, 1),
	} {
		_, err := Read(file(t, good+"\n"+bad+"\n"+good+"\n"))
		if research.CodeOf(err) != research.EInvalid || !strings.Contains(err.Error(), "r.jsonl line 2") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none.jsonl")); research.CodeOf(err) != research.EInvalid {
		t.Errorf("a missing file: %v", err)
	}
	path := file(t, "no gzip")
	if err := os.Rename(path, path+gz); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path + gz); research.CodeOf(err) != research.EInvalid {
		t.Errorf("a file that is not compressed: %v", err)
	}
}
