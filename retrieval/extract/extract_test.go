package extract

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
)

type fakePDF struct {
	title, text string
	err         error
}

func (f fakePDF) Read(context.Context, []byte) (string, string, error) { return f.title, f.text, f.err }

func TestParsePDF(t *testing.T) {
	t.Parallel()
	data := []byte("%PDF-1.4 anything")
	ours := errors.New("engine broke")
	tests := []struct {
		name string
		pdf  PDF
		code string
		err  error
	}{
		{"good", fakePDF{title: "T", text: para}, "", nil},
		{"encrypted", fakePDF{err: research.Errorf(research.EInvalid, CodeEncryptedPDF, "Locked. Unlock it.")}, CodeEncryptedPDF, nil},
		{"broken", fakePDF{err: research.Errorf(research.EInvalid, CodeBrokenPDF, "Broken. Get it again.")}, CodeBrokenPDF, nil},
		{"scanned", fakePDF{text: "  "}, CodeScannedPDF, nil},
		{"our fault", fakePDF{err: ours}, "", ours},
		{"exhausted", fakePDF{err: energy.ErrExhausted}, "", energy.ErrExhausted},
		{"no reader", nil, CodeNoPDF, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc, no, err := New(tt.pdf).Parse(t.Context(), "paper", "application/octet-stream", data, "")
			switch {
			case !errors.Is(err, tt.err):
				t.Errorf("err %v, want %v", err, tt.err)
			case tt.code != "" && (no == nil || no.Code != tt.code || no.URL != "paper"):
				t.Errorf("discarded %+v, want %s", no, tt.code)
			case tt.code == "" && tt.err == nil && (no != nil || doc.Title != "T" || doc.MediaType != "application/pdf" || doc.URL != "paper"):
				t.Errorf("doc %+v, discarded %+v", doc, no)
			}
		})
	}
}

func TestParseRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, media, data, code, words string }{
		{"binary as html", "text/html", "<html>" + strings.Repeat("\x00\x01\x02", 300), CodeBinary, "text/html"},
		{"picture", "image/png", "\x89PNG\r\n\x1a\n", CodeUnsupportedType, "picture"},
		{"word", "", "PK\x03\x04", CodeUnsupportedType, "ZIP container"},
		{"nothing", "text/plain", "", CodeEmpty, "no readable text"},
		{"only spaces", "text/html", " \n\t ", CodeEmpty, "no readable text"},
		{"too big", "text/plain", strings.Repeat("a", MaxBytes+1), CodeTooBig, "50 MB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, no, err := New(nil).Parse(t.Context(), "file", tt.media, []byte(tt.data), "")
			if err != nil || no == nil || no.Code != tt.code || !strings.Contains(no.Reason, tt.words) {
				t.Errorf("discarded %+v, err %v", no, err)
			}
		})
	}
}

func TestParseContextAndMeter(t *testing.T) {
	t.Parallel()
	data := []byte(article("<h1>T</h1>" + strings.Repeat("<p>"+para+"</p>", 2000)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := New(nil).Parse(ctx, "p", "text/html", data, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	account := energy.NewAccount(0)
	if _, _, err := New(nil).Parse(energy.WithAccount(t.Context(), account), "p", "text/html", data, ""); err != nil {
		t.Fatal(err)
	}
	if account.CPU(energy.PartRetrieval) <= 0 || account.CPU(energy.PartAgent) != 0 {
		t.Errorf("retrieval %v, agent %v", account.CPU(energy.PartRetrieval), account.CPU(energy.PartAgent))
	}
	spent := energy.NewAccount(time.Nanosecond)
	spent.Charge(energy.PartRouter, time.Second)
	if _, _, err := New(nil).Parse(energy.WithAccount(t.Context(), spent), "p", "text/html", data, ""); !errors.Is(err, energy.ErrExhausted) {
		t.Errorf("exhausted: %v", err)
	}
	little := energy.NewAccount(3 * time.Millisecond)
	_, no, err := New(nil).Parse(energy.WithAccount(t.Context(), little), "p", "text/html", data, "")
	if err != nil || no == nil || no.Code != CodeTooBig || little.Metered() > 0 {
		t.Errorf("larger than what is left: %v, %v, %v used", err, no, little.Metered())
	}
}

func TestParseIsDeterministic(t *testing.T) {
	t.Parallel()
	data := article("<h1>T</h1><p>" + para + "</p><ul><li>a</li><li>b</li></ul>")
	first := parse(t, data, "https://example.org/")
	for range 5 {
		if again := parse(t, data, "https://example.org/"); again.SHA256 != first.SHA256 {
			t.Fatal("the same bytes gave another text")
		}
	}
}

func TestCodesAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range Codes() {
		if seen[c] || c == "" {
			t.Errorf("code %q", c)
		}
		seen[c] = true
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		article("<h1>T</h1><p>" + para + "</p>"), "# T\n\n- a\n  - b\n\n|a|\n|-|\n", "plain\n\nwords", "<table><tr><td><table>", "<p>\xff\xfe",
		"\xff\xfe<\x00p\x00", "---\na: b\n---\n", "<math><annotation>x", strings.Repeat("<ul><li>", 600), "[![x](y)](z)", "\x1b$B", "<meta charset=utf-16>x",
		"<pre>\n\n\n</pre><sup><a>1</a></sup>", "<base href='://'>", "<script type=application/ld+json>[[[", "<body><form><form>", "", "\x00",
	} {
		f.Add("text/html", []byte(s))
		f.Add("text/markdown; charset=euc-kr", []byte(s))
		f.Add("", []byte(s))
	}
	x := New(fakePDF{text: para})
	f.Fuzz(func(t *testing.T, media string, data []byte) {
		doc, no, err := x.Parse(t.Context(), "name", media, data, "https://example.org/a")
		if err != nil {
			t.Fatal(err)
		}
		if no != nil {
			if no.Code == "" || no.Reason == "" || doc.Text != "" {
				t.Errorf("discarded without a reason or with text: %+v", no)
			}
			return
		}
		switch {
		case !utf8.ValidString(doc.Text) || !utf8.ValidString(doc.Title):
			t.Error("text is not UTF-8")
		case doc.SHA256 != research.HashText(doc.Text):
			t.Error("hash of another text")
		case strings.Contains(doc.Text, "\n\n\n") || strings.TrimSpace(doc.Text) == "" || bytes.ContainsAny([]byte(doc.Text), "\x00\r\x7f"):
			t.Errorf("text is not in the format: %q", doc.Text)
		case doc.Title == "" || strings.Contains(doc.Title, "\n"):
			t.Errorf("title %q", doc.Title)
		}
	})
}

// Input made to keep a parser busy ends in a document or a reason; without the
// bounds some of these run for minutes.
func TestHostileInput(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, media, data string }{
		{"unclosed boxes", "text/html", strings.Repeat("<div><a href=1>x</a>", 4_000)},
		{"deep boxes", "text/html", "<html><body>" + strings.Repeat("<div class=nav>", 480) + strings.Repeat("<p class=menu>some words here</p>", 1_000)},
		{"many rows", "text/html", "<html><table>" + strings.Repeat("<tr><td>a<td>b<td>c</tr>", 3_000)},
		{"open links", "text/markdown", "# a\n\n" + strings.Repeat("[a](", 15_000)},
		{"open emphasis", "text/markdown", "# a\n\n" + strings.Repeat("*a **b ", 15_000)},
		{"nested quotes", "text/markdown", strings.Repeat(">", 50_000) + "a"},
		{"nested lists", "text/markdown", strings.Repeat("- ", 5_000) + "a word"},
		{"one line", "text/plain", strings.Repeat("word ", 200_000)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc, no, err := New(nil).Parse(t.Context(), "x", tt.media, []byte(tt.data), "https://example.org/x")
			if err != nil || (no == nil) == (doc.Text == "") {
				t.Errorf("%d bytes, %+v, %v", len(doc.Text), no, err)
			}
		})
	}
}
