package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mini")
	for name, body := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	okQuestion = `{"id":"a","question":"Why?","gold_urls":["u"],"answer":"Because."}`
	okPage     = `{"url":"u","title":"T","text":"Body."}`
)

func TestLoad(t *testing.T) {
	t.Parallel()
	s, err := Load(write(t, map[string]string{
		"questions.jsonl": okQuestion + "\n\n" + `{"id":"b","question":"Who?","type":"summary","gold_urls":["u","v"],"gold_statements":["One.","Two."]}` + "\n",
		"pages.jsonl":     okPage + "\n" + `{"url":"v","title":"V","file":"pages/1.md"}`,
		"pages/1.md":      "# V\n\nText \xff.",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "mini" || len(s.Questions) != 2 || len(s.Pages) != 2 {
		t.Fatalf("%+v", s)
	}
	if p := s.Pages[1]; !p.Markdown || p.Text != "# V\n\nText \uFFFD." {
		t.Errorf("page from a file: %+v", p)
	}
	if d := s.Pages[0].Document(); d.SHA256 != research.HashText("Body.") || d.URL != "u" || d.Title != "T" {
		t.Errorf("document: %+v", d)
	}
}

func TestLoadSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no questions file": {map[string]string{"pages.jsonl": okPage}, "questions.jsonl"},
		"no pages file":     {map[string]string{"questions.jsonl": okQuestion}, "pages.jsonl"},
		"no question":       {map[string]string{"questions.jsonl": "\n", "pages.jsonl": okPage}, "no question"},
		"no page":           {map[string]string{"questions.jsonl": okQuestion, "pages.jsonl": ""}, "no page"},
		"bad json":          {map[string]string{"questions.jsonl": okQuestion + "\n{", "pages.jsonl": okPage}, "line 2"},
		"no id":             {map[string]string{"questions.jsonl": `{"question":"x"}`, "pages.jsonl": okPage}, `"id"`},
		"no text":           {map[string]string{"questions.jsonl": `{"id":"x"}`, "pages.jsonl": okPage}, `"question"`},
		"no gold":           {map[string]string{"questions.jsonl": `{"id":"x","question":"q","answer":"a"}`, "pages.jsonl": okPage}, `"gold_urls"`},
		"no answer":         {map[string]string{"questions.jsonl": `{"id":"x","question":"q","gold_urls":["u"]}`, "pages.jsonl": okPage}, `"short_answers"`},
		"same id":           {map[string]string{"questions.jsonl": okQuestion + "\n" + okQuestion, "pages.jsonl": okPage}, "twice"},
		"same url":          {map[string]string{"questions.jsonl": okQuestion, "pages.jsonl": okPage + "\n" + okPage}, "twice"},
		"page without url":  {map[string]string{"questions.jsonl": okQuestion, "pages.jsonl": `{"text":"x"}`}, `"url"`},
		"page without text": {map[string]string{"questions.jsonl": okQuestion, "pages.jsonl": `{"url":"x"}`}, `"file"`},
		"file missing":      {map[string]string{"questions.jsonl": okQuestion, "pages.jsonl": `{"url":"x","file":"nope.md"}`}, "cannot be read"},
		"file outside":      {map[string]string{"questions.jsonl": okQuestion, "pages.jsonl": `{"url":"x","file":"../../etc/passwd"}`}, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Load(write(t, c.files))
			if err == nil || research.CodeOf(err) != research.EInvalid || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one naming %q", err, c.want)
			}
		})
	}
}

func TestLoadNoFolder(t *testing.T) {
	t.Parallel()
	if _, err := Load(filepath.Join(t.TempDir(), "nope")); research.CodeOf(err) != research.EInvalid {
		t.Errorf("error %v", err)
	}
}

func TestLoadRealSuites(t *testing.T) {
	t.Parallel()
	root := os.Getenv("PROGROUTER_EVAL_DATA")
	if root == "" {
		t.Skip("PROGROUTER_EVAL_DATA is not set")
	}
	for dir, want := range map[string][2]int{"wildgraph/mathematics": {31, 49}, "wildgraph/nature": {28, 71}, "quotesum": {91, 278}} {
		s, err := Load(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Questions) != want[0] || len(s.Pages) != want[1] {
			t.Errorf("%s: %d questions, %d pages", dir, len(s.Questions), len(s.Pages))
		}
	}
}
