//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/progrouter/progrouter/research"
)

const kettles = "# Copper kettles\n\nCopper kettles are polished with a paste of salt and vinegar once a month.\n"

// fill writes files below dir; a text that starts with "-> " makes a link.
func fill(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		err := error(nil)
		if to, link := strings.CutPrefix(text, "-> "); link {
			err = os.Symlink(to, path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever lies in a folder and is not used is named with its reason, in the
// run and in its report, and nothing outside the folder is read.
func TestFolderNamesWhatItDoesNotUse(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	fill(t, outside, map[string]string{"secret.md": "# Copper kettles\n\nThe secret way to polish copper kettles is known to one person.\n"})
	fill(t, dir, map[string]string{
		"kettles.md":    kettles,
		"sub/pots.md":   "# Pots\n\nCopper pots are polished like copper kettles, with salt and vinegar.\n",
		".hidden/v1.md": "# Pans\n\nCopper pans are polished with lemon and salt, as kettles are.\n",
		"picture.zip":   "PK\x03\x04\x00\x00\x00\x00binary\x00\x01\x02",
		"empty.md":      "",
		"locked.md":     kettles,
		"broken":        "-> nowhere",
		"loop":          "-> loop",
		"out.md":        "-> " + filepath.Join(outside, "secret.md"),
		"outdir":        "-> " + outside,
		"etc":           "-> ../../../../../../etc/passwd",
		"again.md":      "-> sub/pots.md",
		"folder":        "-> sub",
		"mounted.md":    "-> .hidden/v1.md",
		"twice.md":      "-> " + filepath.Join(dir, ".hidden/v1.md"),
	})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "locked.md"), 0); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"picture.zip": "unsupported_type", "empty.md": "empty", "broken": skipLinkBroken, "loop": skipLinkBroken, "out.md": skipLinkOutside,
		"outdir": skipLinkOutside, "etc": skipLinkOutside, "again.md": skipLinkTwice, "folder": skipLinkFolder,
		"twice.md": skipLinkTwice, "pipe": skipNoFile,
	}
	if os.Geteuid() != 0 { // root may read everything
		want["locked.md"] = skipUnreadable
	}
	data := t.TempDir()
	code, out, msg := cli(t, "research", "How are copper kettles polished?", "--library", dir, "--data", data, "--policy", "fixed-small", "--format", "json")
	var d research.RunDocument
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != exitOK {
		t.Fatalf("exit %d, %v\n%s", code, err, msg)
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, x := range d.Discarded {
		if name, ok := strings.CutPrefix(x.URL, libraryScheme+root+"/"); ok && x.StepIndex == -1 {
			got[name] = x.Code
			if x.Reason == "" || !strings.Contains(msg, x.URL) {
				t.Errorf("%s: reason %q, or missing on stderr", name, x.Reason)
			}
		}
	}
	for name, code := range want {
		if got[name] != code {
			t.Errorf("%s: %q, want %q", name, got[name], code)
		}
	}
	if len(got) != len(want) {
		t.Errorf("named %v, want %v", got, want)
	}
	if strings.Contains(out, "secret way") {
		t.Error("a file outside the folder was read")
	}
	if !slices.ContainsFunc(d.Sources, func(s research.Source) bool { return strings.HasSuffix(s.URL, "/mounted.md") }) {
		t.Error("a link to a hidden file of the folder was not followed")
	}
	_, md, _ := cli(t, "export", d.ID, "--data", data, "--format", "md")
	for name := range want {
		if !strings.Contains(md, root+"/"+name) {
			t.Errorf("the report does not name %s", name)
		}
	}
}

// A link may be given as the folder itself.
func TestFolderGivenByALink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fill(t, dir, map[string]string{"real/kettles.md": kettles, "link": "-> real"})
	code, _, msg := cli(t, "research", "How are copper kettles polished?", "--library", filepath.Join(dir, "link"), "--data", t.TempDir(), "--policy", "fixed-small")
	if code != exitOK {
		t.Errorf("exit %d\n%s", code, msg)
	}
}

// However many files are unusable, the run names a bounded number of them and
// says how many more there are.
func TestFolderOfUnusableFilesStaysSmall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := map[string]string{"kettles.md": kettles}
	for i := range maxSkipped + 50 {
		files[fmt.Sprintf("gone%04d.md", i)] = "-> nowhere"
	}
	fill(t, dir, files)
	code, out, msg := cli(t, "research", "How are copper kettles polished?", "--library", dir, "--data", t.TempDir(), "--policy", "fixed-small", "--format", "json")
	var d research.RunDocument
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != exitOK {
		t.Fatalf("exit %d, %v\n%s", code, err, msg)
	}
	if len(d.Discarded) != maxSkipped+1 || strings.Count(msg, "skipped ") != maxSkipped+1 {
		t.Errorf("%d discarded, want %d", len(d.Discarded), maxSkipped+1)
	}
	last := d.Discarded[len(d.Discarded)-1]
	if last.Code != skipMore || !strings.Contains(last.Reason, "50 more") || !slices.ContainsFunc(d.Notices, func(n string) bool { return strings.Contains(n, "50 more") }) {
		t.Errorf("last %+v, notices %v", last, d.Notices)
	}
}
