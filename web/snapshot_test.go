package web_test

import (
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
	"github.com/progrouter/progrouter/web/internal/fixture"
)

// stored renders a stored text; quoted are the stretches that evidence quotes.
func stored(t *testing.T, text string, quoted ...string) (html string, headings []string, marks []string) {
	t.Helper()
	l := fixture.Complete()
	l.Sources[0].Text, l.Evidence = text, nil
	for i, q := range quoted {
		at := strings.Index(text, q)
		if at < 0 {
			t.Fatalf("%q is not in the text", q)
		}
		start := len([]rune(text[:at]))
		l.Evidence = append(l.Evidence, research.Evidence{ID: "e" + string(rune('1'+i)), SourceID: "s1", Start: start, End: start + len([]rune(q)), Quote: q})
	}
	v, ok := web.NewSnapshotView(page(t, "en"), l, "s1")
	if !ok {
		t.Fatal("no such source")
	}
	_, doc := render(t, web.SnapshotPage(v))
	body := doc.Find(".snapshot-text")
	for _, h := range body.Find("h2, h3, h4, h5, h6").EachIter() {
		headings = append(headings, h.Nodes[0].Data+" "+h.Text())
	}
	for _, m := range body.Find("mark").EachIter() {
		marks = append(marks, m.AttrOr("id", "-")+" "+m.Text())
	}
	return body.Text(), headings, marks
}

func TestSnapshotHeadings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"nested", "# 하나\n\ntext\n\n## Two\n\ntext\n\n# Three\n\ntext", "h2 하나|h3 Two|h2 Three"},
		{"a level is skipped", "## One\n\ntext\n\n#### Two\n\ntext", "h2 One|h3 Two"},
		{"deep", "# a\n\n## b\n\n### c\n\n#### d\n\n##### e\n\n###### f", "h2 a|h3 b|h4 c|h5 d|h6 e|h6 f"},
		{"a script's comment", "run it:\n# first step\nmake\n\n# A heading\n\nend", "h2 A heading"},
		{"no space", "#hashtag\n\n####### seven", ""},
		{"only hashes", "##\n\n## ", ""},
		{"end of the text", "text\n\n## Last\n", "h2 Last"},
		{"empty", "", ""},
	} {
		text, headings, _ := stored(t, tt.text)
		if got := strings.Join(headings, "|"); got != tt.want {
			t.Errorf("%s: headings %q, want %q", tt.name, got, tt.want)
		}
		if tt.want != "" && strings.Contains(text, "\n# ") != strings.Contains(tt.name, "script") {
			t.Errorf("%s: marks are left:\n%s", tt.name, text)
		}
	}
}

func TestSnapshotQuotesAcrossHeadings(t *testing.T) {
	t.Parallel()
	text := "Intro.\n\n## 제목 하나\n\nFirst 문장. Second.\n\n## Next\n\nEnd."
	_, _, marks := stored(t, text, "제목 하나", "Second.\n\n## Next\n\nEnd.")
	if got, want := strings.Join(marks, "|"), "e1 제목 하나|e2 Second.|- Next|- End."; got != want {
		t.Errorf("marks %q, want %q", got, want)
	}
	if _, _, marks = stored(t, text, "## 제목"); strings.Join(marks, "|") != "e1 제목" {
		t.Errorf("a quote with the heading's mark: %q", marks)
	}
}
