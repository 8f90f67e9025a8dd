package pdf

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/extract"
)

var _ extract.PDF = (*Reader)(nil)

// shared is one reader for all tests: starting the engine takes seconds.
var shared = func() *Reader {
	dir := filepath.Join(os.TempDir(), "progrouter-test-pdf")
	return New(Config{CacheDir: dir, Idle: time.Hour})
}()

func TestMain(m *testing.M) {
	code := m.Run()
	shared.Close()
	os.Exit(code)
}

func read(t *testing.T, data []byte) (title, text string) {
	t.Helper()
	title, text, err := shared.Read(t.Context(), data)
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	return title, text
}

func TestReadJoinsLinesToParagraphs(t *testing.T) {
	title, text := read(t, document("A study of bridges",
		[]text{
			{72, 760, 24, "Bridges"},
			{72, 720, 10, "A bridge is a structure built to span a physical obstacle without blocking the way underneath it,"},
			{72, 708, 10, "and it is constructed for the purpose of providing passage over the obstacle, which is usually some-"},
			{72, 696, 10, "thing that would be difficult to cross."},
			{72, 672, 10, "The first bridges made by humans were probably spans of cut wooden logs or planks, and eventually"},
			{72, 660, 10, "stones."},
			{72, 636, 14, "Kinds of bridges"},
			{72, 612, 10, "\x95 Beam bridges are the oldest kind."},
			{72, 600, 10, "\x95 Arch bridges carry loads outward."},
		}))
	if title != "A study of bridges" {
		t.Errorf("title %q", title)
	}
	want := []string{
		"# Bridges",
		"A bridge is a structure built to span a physical obstacle without blocking the way underneath it, and it is constructed for the purpose of providing passage over the obstacle, which is usually something that would be difficult to cross.",
		"The first bridges made by humans were probably spans of cut wooden logs or planks, and eventually stones.",
		"## Kinds of bridges",
		"- Beam bridges are the oldest kind.",
		"- Arch bridges carry loads outward.",
	}
	if got := strings.Split(text, "\n\n"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("text:\n%q\nwant\n%q", got, want)
	}
}

func TestReadDropsRunningHeads(t *testing.T) {
	var pages [][]text
	for i := range 5 {
		pages = append(pages, []text{
			{72, 800, 9, "Annual report of the harbour"},
			{72, 700, 10, fmt.Sprintf("Ship number %d entered the harbour in the morning and left it before the tide went out again.", i+1)},
			{290, 40, 9, fmt.Sprintf("%d", i+1)},
		})
	}
	_, text := read(t, document("", pages...))
	if strings.Contains(text, "Annual report") || !strings.Contains(text, "Ship number 5") {
		t.Errorf("text: %q", text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if rxPageNumber.MatchString(line) && line != "" {
			t.Errorf("page number left: %q", line)
		}
	}
}

func TestReadContinuesOverPages(t *testing.T) {
	_, text := read(t, document("",
		[]text{{72, 60, 10, "The committee decided in the spring of that year that the old harbour wall should not be repaired but"}},
		[]text{{72, 780, 10, "replaced by a new one. It was finished two years later by the same company that had built the old."}},
	))
	if want := "should not be repaired but replaced by a new one."; !strings.Contains(text, want) {
		t.Errorf("text %q lacks %q", text, want)
	}
}

func TestReadKorean(t *testing.T) {
	_, text := read(t, korean("서울은 대한민국의 수도이다.", "한강은 서울을 지난다."))
	for _, want := range []string{"서울은 대한민국의 수도이다.", "한강은 서울을 지난다."} {
		if !strings.Contains(text, want) {
			t.Errorf("text %q lacks %q", text, want)
		}
	}
}

func TestReadRefusals(t *testing.T) {
	whole := document("", []text{{72, 700, 10, "This page is complete and says so in one sentence."}})
	tests := []struct {
		name string
		data []byte
		key  string
	}{
		{"password", encrypted("secret", []text{{72, 700, 10, "hidden"}}), KeyEncrypted},
		{"cut off", whole[:90], KeyBroken},
		{"only a mark", []byte("%PDF-1.7\n"), KeyBroken},
		{"not one", []byte("plain words"), KeyBroken},
		{"no pages", (&builder{}).finish(1, nil), KeyBroken},
		{"empty", nil, KeyBroken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := shared.Read(t.Context(), tt.data)
			var e *research.Error
			if !errors.As(err, &e) || e.Code != research.EInvalid || e.Key != tt.key {
				t.Fatalf("err = %v, want key %s", err, tt.key)
			}
		})
	}
	if title, text := read(t, whole); !strings.Contains(text, "complete") || title != "" {
		t.Errorf("after refusals: %q %q", title, text)
	}
}

func TestReadOpensEmptyPassword(t *testing.T) {
	_, text := read(t, encrypted("", []text{{72, 700, 10, "Readable although it forbids printing."}}))
	if !strings.Contains(text, "Readable although") {
		t.Errorf("text %q", text)
	}
}

func TestReadStopsAtLimits(t *testing.T) {
	var pages [][]text
	for i := range 6 {
		pages = append(pages, []text{{72, 700, 10, fmt.Sprintf("Page %d holds this sentence.", i+1)}})
	}
	data := document("", pages...)
	few := &Reader{cfg: shared.cfg, engine: shared.engine, turn: make(chan struct{}, 1)}
	few.cfg.MaxPages = 2
	if _, text, err := few.Read(t.Context(), data); err != nil || strings.Contains(text, "Page 3") || !strings.Contains(text, "Page 2") {
		t.Errorf("MaxPages: %q %v", text, err)
	}
	small := &Reader{cfg: shared.cfg, engine: shared.engine, turn: make(chan struct{}, 1)}
	small.cfg.MaxText = 30
	if _, text, err := small.Read(t.Context(), data); err != nil || strings.Contains(text, "Page 4") {
		t.Errorf("MaxText: %q %v", text, err)
	}
}

func TestReadEndsWithContextAndAccount(t *testing.T) {
	data := document("", []text{{72, 700, 10, "words"}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := shared.Read(ctx, data); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	account := energy.NewAccount(0)
	if _, _, err := shared.Read(energy.WithAccount(t.Context(), account), data); err != nil {
		t.Fatal(err)
	}
	if account.CPU(energy.PartRetrieval) <= 0 {
		t.Error("no CPU time was charged to retrieval")
	}
	spent := energy.NewAccount(time.Nanosecond)
	spent.Charge(energy.PartRouter, time.Second)
	if _, _, err := shared.Read(energy.WithAccount(t.Context(), spent), data); !errors.Is(err, energy.ErrExhausted) {
		t.Errorf("exhausted: %v", err)
	}
}

func TestEngineIsLetGo(t *testing.T) {
	r := New(Config{CacheDir: shared.cfg.CacheDir, Idle: time.Millisecond})
	if r.engine.running() {
		t.Fatal("started before the first file")
	}
	data := document("", []text{{72, 700, 10, "words in a file"}})
	for range 2 { // it starts again after it was let go
		if _, _, err := r.Read(t.Context(), data); err != nil {
			t.Fatal(err)
		}
		deadline := time.Now().Add(10 * time.Second)
		for r.engine.running() && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		if r.engine.running() {
			t.Fatal("still running after idle time")
		}
	}
	r.Close()
	if _, _, err := r.Read(t.Context(), data); err == nil {
		t.Error("a closed reader read")
	}
}

func TestPickTitle(t *testing.T) {
	t.Parallel()
	page := [][]line{{
		{text: "Working paper 12", size: 9, known: true, y: 800},
		{text: "The Long Title of a", size: 20, known: true, y: 700},
		{text: "Paper in Two Lines", size: 20, known: true, y: 676},
		{text: strings.Repeat("running text ", 30), size: 10, known: true, y: 600},
	}}
	for meta, want := range map[string]string{
		"":                           "The Long Title of a Paper in Two Lines",
		"Microsoft Word - draft.doc": "The Long Title of a Paper in Two Lines",
		"paper_final.tex":            "The Long Title of a Paper in Two Lines",
		"Untitled":                   "The Long Title of a Paper in Two Lines",
		"On  Bridges":                "On Bridges",
	} {
		if got := pickTitle(meta, page); got != want {
			t.Errorf("%q: %q, want %q", meta, got, want)
		}
	}
}

func TestMend(t *testing.T) {
	t.Parallel()
	c := composer{words: map[string]bool{"well-known": true, "something": true, "word-by-word": true, "long": true, "term": true}}
	for in, want := range map[string]string{
		"some\x02thing":       "something",
		"a well\x02known one": "a well-known one",
		"word-by\x02 word":    "word-by-word",
		"long\x02term":        "longterm"[:4] + "-term",
		"unseen\x02ness":      "unseenness",
		"stray\x02":           "stray",
		"plain":               "plain",
	} {
		if got := c.mend(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestPageNumbers(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{"12": true, "- 4 -": true, "Page 3 of 10": true, "xiv": true, "3 / 9": true, "In 1999": false, "civil": false, "Chapter 2": false} {
		if got := rxPageNumber.MatchString(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

// The keys are the codes that extraction knows.
func TestKeysAreCodes(t *testing.T) {
	t.Parallel()
	if KeyEncrypted != extract.CodeEncryptedPDF || KeyBroken != extract.CodeBrokenPDF || KeySlow != extract.CodeSlowPDF {
		t.Error("keys and codes differ")
	}
}

func TestExtractPDF(t *testing.T) {
	data := document("A study of bridges", []text{{72, 700, 10, "The bridge was finished in the spring of that year."}})
	doc, no, err := extract.New(shared).Parse(t.Context(), "download", "text/html", data, "https://example.org/download")
	if err != nil || no != nil {
		t.Fatal(no, err)
	}
	if doc.Title != "A study of bridges" || doc.MediaType != "application/pdf" || !strings.Contains(doc.Text, "finished in the spring") {
		t.Errorf("%+v", doc)
	}
	if _, no, err := extract.New(shared).Parse(t.Context(), "scan.pdf", "", document("", []text{}), ""); err != nil || no == nil || no.Code != extract.CodeScannedPDF {
		t.Errorf("a page without text: %+v %v", no, err)
	}
}

func BenchmarkRead(b *testing.B) {
	var pages [][]text
	for range 20 {
		var p []text
		for i := range 45 {
			p = append(p, text{72, 780 - float64(i)*15, 10, "This line of a page is about as long as lines in reports usually are, that is ninety characters."})
		}
		pages = append(pages, p)
	}
	data := document("", pages...)
	for b.Loop() {
		if _, _, err := shared.Read(b.Context(), data); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*20)/b.Elapsed().Seconds(), "pages/s")
}
