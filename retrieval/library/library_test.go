package library

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/rank"
)

func setup(t *testing.T) *Library {
	t.Helper()
	l := New(NewMemory(), rank.New(nil, nil, nil))
	for url, d := range map[string][2]string{
		"library:primes.md": {"Prime numbers", "# Mersenne\n\nA Mersenne prime is one less than a power of two. Luke Durant found the largest known one in 2024."},
		"library:energy.md": {"Energy", "A joule is a unit of energy. One watt is one joule per second."},
		"library:ko.md":     {"서버", "서버는 포트 8080에서 시작한다. 데이터는 폴더에 저장된다."},
		"library:ja.md":     {"日本語", "東京都は日本の首都である。人口は約1400万人。"},
	} {
		if err := l.Add(context.Background(), "docs", research.Document{URL: url, Title: d[0], Text: d[1]}); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func TestHits(t *testing.T) {
	t.Parallel()
	l := setup(t)
	for query, want := range map[string]string{
		"Who discovered the largest Mersenne primes?": "library:primes.md",
		"how many joules is a watt?":                  "library:energy.md",
		"서버를 어떻게 시작하나요?":                              "library:ko.md",
		"日本の首都はどこですか":                                 "library:ja.md",
	} {
		hits, err := l.Hits(context.Background(), query, "en", []string{"docs"}, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) == 0 || hits[0].URL != want {
			t.Errorf("%s: %+v, want %s first", query, hits, want)
			continue
		}
		if hits[0].Snippet == "" || hits[0].Title == "" || hits[0].Score <= 0 || hits[0].Provider != "library" {
			t.Errorf("%s: incomplete hit %+v", query, hits[0])
		}
	}
}

func TestNothingFound(t *testing.T) {
	t.Parallel()
	l := setup(t)
	for name, c := range map[string]struct {
		query       string
		collections []string
	}{
		"unknown words":    {"zymurgy of quokkas", nil},
		"only stop words":  {"what is it?", nil},
		"empty":            {"", nil},
		"other collection": {"joule", []string{"uploads"}},
	} {
		hits, err := l.Hits(context.Background(), c.query, "en", c.collections, 5)
		if err != nil || len(hits) != 0 {
			t.Errorf("%s: %v, %v", name, hits, err)
		}
	}
}

func TestFindInKeepsToTheDocuments(t *testing.T) {
	t.Parallel()
	found, err := setup(t).FindIn(context.Background(), "one joule", nil, []string{"library:primes.md"})
	if err != nil || len(found.Hits) != 1 || found.Hits[0].URL != "library:primes.md" {
		t.Fatalf("%+v, %v", found.Hits, err)
	}
	if found.DF["joul"] != 1 || found.Passages != 4 || found.Terms <= 0 {
		t.Errorf("statistics are those of the collections: %+v", found)
	}
}

func TestAddRefusesEmptyAndReplaces(t *testing.T) {
	t.Parallel()
	l, ctx := setup(t), context.Background()
	err := l.Add(ctx, "docs", research.Document{URL: "library:scan.pdf", Text: " \n"})
	if research.CodeOf(err) != research.EInvalid || !strings.Contains(err.Error(), "library:scan.pdf") {
		t.Errorf("error %v", err)
	}
	if err := l.Add(ctx, "docs", research.Document{URL: "library:energy.md", Title: "E", Text: "Calories now."}); err != nil {
		t.Fatal(err)
	}
	d, err := l.Document(ctx, "library:energy.md")
	if err != nil || d.Text != "Calories now." || d.SHA256 != research.HashText(d.Text) {
		t.Errorf("%+v, %v", d, err)
	}
	if hits, _ := l.Hits(ctx, "joule", "en", nil, 5); len(hits) != 0 {
		t.Errorf("the old text is still found: %+v", hits)
	}
	if _, err := l.Document(ctx, "library:none"); research.CodeOf(err) != research.ENotFound {
		t.Errorf("error %v", err)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := setup(t).Hits(ctx, "joule", "en", nil, 5); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestSnippet(t *testing.T) {
	t.Parallel()
	got := snippet(strings.Repeat("word\nand ", 100))
	if strings.Contains(got, "\n") || !strings.HasSuffix(got, " …") || len([]rune(got)) > 242 {
		t.Errorf("%q", got)
	}
	if got := snippet("short"); got != "short" {
		t.Errorf("%q", got)
	}
}
