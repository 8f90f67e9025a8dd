package extract

import (
	"strings"
	"testing"
)

// What a browser does not show is no text of the document, wherever it stands
// and however it is written; what stands around it stays.
func TestMarkdownLeavesOutWhatReadersDoNotSee(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"script", "style", "iframe", "noscript", "template", "SCRIPT", "IFrame"} {
		open, end := "<"+name, "</"+strings.ToLower(name)+">"
		for _, tt := range []struct{ what, source string }{
			{"block", open + ">\nalert(1)\n" + end + "\n\n"},
			{"block with blank lines", open + " a=\"x > y\">\n\nalert(1)\n\n* alert(2)\n\n" + end + "\n\n"},
			{"block on one line", open + ">alert(1)" + end + "\n\n"},
			{"block of a container", "<div>\n" + open + ">\nalert(1)\n" + end + "\n</div>\n\n"},
			{"inline", "Before the word" + open + ">alert(1)" + end + " and behind it.\n\n"},
			{"inline over lines", "Before " + open + "\nid=x>alert(1)\nalert(2) `alert(3)` [alert](http://alert.example/) <http://alert.example/>" + end + "\nand behind it.\n\n"},
			{"inline and marks inside", "Before " + open + ">if (a < b) { alert('*') } // `" + end + " and behind it.\n\n"},
			{"list item", "- Before " + open + ">alert(1)" + end + " and behind it.\n\n"},
			{"quote", "> " + open + ">\n> alert(1)\n> " + end + "\n\n"},
			{"table", "| a | b |\n|---|---|\n| cell | x " + open + ">alert(1)" + end + " |\n\n"},
			{"heading", "## Part " + open + ">alert(1)" + end + "\n\n"},
			{"space in the closing tag", open + ">alert(1)" + strings.TrimSuffix(end, ">") + " >\n\n"},
			{"twice", open + ">alert(1)" + end + " between " + open + ">alert(2)" + end + "\n\n"},
			{"comment around", "<!-- " + open + ">alert(1)\nalert(2) -->\n\n"},
			{"comment in a block", "<div>\n<!-- alert(1)\nalert(2) -->\n</div>\n\n"},
			{"unclosed inline", "Before " + open + ">alert(1)\nalert(2)\n\n"},
		} {
			doc := parseAs(t, "x.md", "text/markdown", "The first paragraph stays as it is.\n\n"+tt.source+"The last paragraph stays as well.\n")
			if strings.Contains(doc.Text, "alert") {
				t.Errorf("%s, %s: hidden text is read: %q", name, tt.what, doc.Text)
			}
			for _, l := range doc.Links {
				if strings.Contains(l, "alert") {
					t.Errorf("%s, %s: a hidden link is followed: %q", name, tt.what, l)
				}
			}
			for _, want := range []string{"The first paragraph stays as it is.", "The last paragraph stays as well."} {
				if !strings.Contains(doc.Text, want) {
					t.Errorf("%s, %s: %q is gone: %q", name, tt.what, want, doc.Text)
				}
			}
			for _, want := range []string{"behind it.", "between"} {
				if strings.Contains(tt.source, want) && !strings.Contains(doc.Text, want) {
					t.Errorf("%s, %s: %q is gone: %q", name, tt.what, want, doc.Text)
				}
			}
		}
	}
}

func TestMarkdownWithAnUnclosedBlock(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"<script>\nalert(1)\n\nalert(2)\n", "<STYLE>\nalert(1)", "<script src=\"x", "<iframe src=x>\nalert(1)\n", "<template>\nalert(1)\n"} {
		doc := parseAs(t, "x.md", "text/markdown", "The first paragraph stays as it is.\n\n"+source)
		if doc.Text != "The first paragraph stays as it is." {
			t.Errorf("%q: %q", source, doc.Text)
		}
	}
}

// A text about these elements is not cut by naming them.
func TestMarkdownKeepsWhatOnlyNamesElements(t *testing.T) {
	t.Parallel()
	source := "Use the `<script>` element to run `alert(1)` in a page.\n\n```html\n<script>alert(2)</script>\n```\n\nThe scripted <b>word</b>, <scripting>kept</scripting>.\n\n" +
		"<iframe src=\"x\"/> Words after an element that closes itself.\n\n<pre>\nfirst line\nlast line</pre>\n\nThe last paragraph stays as well.\n"
	doc := parseAs(t, "x.md", "text/markdown", source)
	for _, want := range []string{"alert(1)", "<script>alert(2)</script>", "scripted word", "kept", "Words after", "last line", "The last paragraph stays as well."} {
		if !strings.Contains(doc.Text, want) {
			t.Errorf("%q is gone: %q", want, doc.Text)
		}
	}
}

// A block with so many marks that they are taken out keeps no programs either.
func TestDenseBlocksLoseTheirPrograms(t *testing.T) {
	t.Parallel()
	program := strings.Repeat("alert[[*1*]];", 300)
	for _, source := range []string{
		"<script>" + program + "</script>",
		"<Script>\n\nvar a;\n\n" + program + "\n\n" + program + "\n\n</script>",
		"<style>" + program,
	} {
		doc := parseAs(t, "x.md", "text/markdown", "The first paragraph stays as it is.\n\n"+source+"\n\nThe last paragraph stays as well.\n")
		if strings.Contains(doc.Text, "alert") || strings.Contains(doc.Text, "var a") {
			t.Errorf("hidden text is read: %.200q", doc.Text)
		}
		if !strings.HasPrefix(doc.Text, "The first") || !strings.HasSuffix(doc.Text, "as well.") {
			t.Errorf("text around is gone: %.200q", doc.Text)
		}
	}
}

func FuzzHidden(f *testing.F) {
	for _, s := range []string{"a <script>b</script> c", "<style>\n\nx\n\n</style> y", "> <template>\n> x", "<iframe/><iframe>", "<!-- <script> --> x", "<script", "</script>", "| <noscript> | a |\n|--|--|\n| b | c |"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := parseMarkdown(input{name: "x.md", data: []byte(s)})
		if len(p.text) > 16*len(s)+1000 {
			t.Errorf("%d bytes became %d", len(s), len(p.text))
		}
		withoutHidden(s, [][2]int{{0, len(s)}})
	})
}
