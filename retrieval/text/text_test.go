package text

import (
	"reflect"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"case and marks":     {"The Quick, brown-fox!", []string{"the", "quick", "brown", "fox"}},
		"thousands":          {"41,024,320 digits; 1,2,3; 12,3456", []string{"41024320", "digits", "1", "2", "3", "12", "3456"}},
		"possessive":         {"Euclid's proof and the primes’ list, it's", []string{"euclid", "proof", "and", "the", "primes", "list", "it"}},
		"accents":            {"Phú Yên Erdős ﬁne", []string{"phu", "yen", "erdos", "fine"}},
		"full width":         {"ＡＢＣ １２", []string{"abc", "12"}},
		"korean with digits": {"2024년 서버는", []string{"2024", "년", "서버는"}},
		"japanese":           {"データベースを使う", []string{"データベースを使う"}},
		"link target":        {"see [the page](https://a.b/c-d?e=f) now", []string{"see", "the", "page", "now"}},
		"bare url":           {"at https://a.b/c, then", []string{"at", "then"}},
		"empty":              {"", nil},
		"invalid utf8":       {"a\xffb", []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Tokens(c.in); !reflect.DeepEqual(got, c.want) {
				t.Errorf("Tokens(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestTerms(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"What are the largest known primes?": "largest known prime",
		"discovering discovered discoveries": "discov discov discoveri",
		"서버는 서버":                             "서버 버는 서버",
		"물":                                  "물",
		"東京都 database":                       "東京 京都 databas",
		"RSA-240":                            "rsa 240",
	} {
		if got := IndexTerms(in); got != want {
			t.Errorf("IndexTerms(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestContentWords(t *testing.T) {
	t.Parallel()
	if got := strings.Join(ContentWords("How do the primes behave?"), " "); got != "primes behave" {
		t.Errorf("got %q", got)
	}
}

func sentencesOf(s string) []string {
	var out []string
	for _, sp := range Sentences(s) {
		piece, ok := research.Slice(s, sp.Start, sp.End)
		if !ok {
			piece = "BAD OFFSETS"
		}
		out = append(out, piece)
	}
	return out
}

func TestSentences(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"plain":         {"One is here. Two is there! Is it? Yes.", []string{"One is here.", "Two is there!", "Is it?", "Yes."}},
		"titles":        {"Dr. Smith met Mr. Jones. They spoke.", []string{"Dr. Smith met Mr. Jones.", "They spoke."}},
		"initials":      {"J. R. R. Tolkien wrote it. C. S. Lewis read it.", []string{"J. R. R. Tolkien wrote it.", "C. S. Lewis read it."}},
		"letter at end": {"It is rich in vitamin C. The fruit is sour.", []string{"It is rich in vitamin C.", "The fruit is sour."}},
		"dotted":        {"In the U.S. Senate it passed. It came into force in the U.S. The law stands, e.g. Section 3.", []string{"In the U.S. Senate it passed.", "It came into force in the U.S.", "The law stands, e.g. Section 3."}},
		"decimals":      {"It grew by 3.5 percent. Version 2.1.3 came out.", []string{"It grew by 3.5 percent.", "Version 2.1.3 came out."}},
		"quotes":        {"He said \"Stop.\" Then he left. [3] Done.", []string{"He said \"Stop.\"", "Then he left.", "[3] Done."}},
		"footnotes":     {"It is so.[3][4] Next one.", []string{"It is so.[3][4]", "Next one."}},
		"ellipsis":      {"Wait... and see. Good.", []string{"Wait... and see.", "Good."}},
		"wrapped":       {"A line that\nruns on. New one.\n\nOther paragraph", []string{"A line that\nruns on.", "New one.", "Other paragraph"}},
		"heading":       {"# Title\n\nText here.\n\n## More\nText too.", []string{"Text here.", "Text too."}},
		"setext":        {"Title here\n-----\nText here.", []string{"Text here."}},
		"table":         {"Before it.\na | b | c\n| 1 | 2 |\nAfter it.", []string{"Before it.", "After it."}},
		"list":          {"Intro:\n- first item\n- second one. With two.\n3. third", []string{"Intro:", "first item", "second one.", "With two.", "third"}},
		"fence":         {"Text.\n```\ncode. Here\n```\nMore.", []string{"Text.", "More."}},
		"chinese":       {"这是第一句。这是第二句！是吗？“对。”好", []string{"这是第一句。", "这是第二句！", "是吗？", "“对。”", "好"}},
		"korean":        {"서버를 시작한다. 그리고 멈춘다.", []string{"서버를 시작한다.", "그리고 멈춘다."}},
		"months":        {"On Oct. 12 it rose. By Nov. 3 it fell.", []string{"On Oct. 12 it rose.", "By Nov. 3 it fell."}},
		"nothing":       {"\n\n---\n123\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := sentencesOf(c.in); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestReadable(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"The largest known prime has over forty million digits.": true,
		"Home":                        false,
		"12 | 34 | 56 | 78 | 90 | 12": false,
		"[a](x) [b](y) [c](z) [d](w) and some other words here": false,
		"서버를 시작하면 포트 번호가 화면에 나온다.":                              true,
		"": false,
		"π(x) ~ x / ln(x) + (a/b)^2 = {}[]()/\\|": false,
	} {
		if got := Readable(s); got != want {
			t.Errorf("Readable(%q) = %v", s, got)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	words := func(n int, w string) string { return strings.TrimSpace(strings.Repeat(w+" ", n)) }
	doc := research.Document{
		URL: "u", Title: "Größen",
		Text: "# One\n\n" + words(100, "añb") + "\n\n## Two\n\n" + words(200, "서버는") + "\n\nEnd\n---\n\nlast words",
	}
	ps := Split(doc)
	if len(ps) < 4 {
		t.Fatalf("%d passages", len(ps))
	}
	for i, p := range ps {
		if got, ok := research.Slice(doc.Text, p.Start, p.End); !ok || got != p.Text {
			t.Errorf("passage %d: offsets do not give the text", i)
		}
		if n := len(strings.Fields(p.Text)); n > WindowWords {
			t.Errorf("passage %d has %d words", i, n)
		}
		if p.Ordinal != i || p.URL != "u" || p.Terms == "" || !strings.HasPrefix(p.TitleTerms, "großen") {
			t.Errorf("passage %d: %+v", i, p)
		}
	}
	if ps[0].Heading != "One" || ps[len(ps)-1].Heading != "Two" {
		t.Errorf("headings %q, %q", ps[0].Heading, ps[len(ps)-1].Heading)
	}
	last := ps[len(ps)-1]
	if !strings.HasSuffix(last.Text, "last words") {
		t.Errorf("the end is missing: %q", last.Text)
	}
}

func TestSplitEmptyAndHuge(t *testing.T) {
	t.Parallel()
	if ps := Split(research.Document{Text: " \n "}); len(ps) != 0 {
		t.Errorf("empty text gave %d passages", len(ps))
	}
	for _, p := range Split(research.Document{Text: strings.Repeat("x", 50_000)}) {
		if len(p.Text) > 121*maxUnit {
			t.Errorf("a passage of %d bytes", len(p.Text))
		}
	}
}

func FuzzSplitAndSentences(f *testing.F) {
	f.Add("# a\n\nOne. Two | three\n- x")
	f.Add("日本語。テスト\r\n```\n[a](")
	f.Add("\xff\xfe 1,000,0 ]( http://")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		for _, p := range Split(research.Document{Text: s}) {
			if got, ok := research.Slice(s, p.Start, p.End); !ok || got != p.Text {
				t.Fatalf("passage offsets [%d,%d) of %q", p.Start, p.End, s)
			}
		}
		for _, sp := range Sentences(s) {
			if got, ok := research.Slice(s, sp.Start, sp.End); !ok || strings.TrimSpace(got) != got || got == "" {
				t.Fatalf("sentence offsets [%d,%d) of %q", sp.Start, sp.End, s)
			}
		}
		Terms(s)
	})
}
