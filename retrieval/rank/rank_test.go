package rank

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func passages(texts ...string) research.PassagesFound {
	var ps []research.Passage
	for i, s := range texts {
		url, body, ok := strings.Cut(s, "|")
		if !ok {
			url, body = string(rune('a'+i)), s
		}
		title, body, ok := strings.Cut(body, "#")
		if !ok {
			title, body = "", title
		}
		ps = append(ps, research.Passage{URL: url, Title: title, Text: body, Ordinal: i})
	}
	return FromPassages(ps)
}

func order(ranked []Scored) string {
	var out []string
	for _, p := range ranked {
		out = append(out, p.URL)
	}
	return strings.Join(out, "")
}

func TestLexicalOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		query string
		found research.PassagesFound
		first string
	}{
		"rare words count more": {"largest prime", passages("prime and prime again", "prime the largest of it", "prime of old", "a prime it is"), "b"},
		"the word before its stem": {"discovery of radium", passages(
			"radium was discovered late", "radium and its discovery late", "nothing here", "nothing there"), "b"},
		"title counts": {"nitrogen cycle", passages("a|Other#the nitrogen of it", "b|Nitrogen cycle#the nitrogen of it", "c|Other#words", "d|Other#more"), "b"},
		"together is better": {"rolling stones band", passages(
			"rolling down the hill many old grey heavy round stones fell on the marching band", "the rolling stones band fell down the hill many old grey heavy round marching on", "x", "y"), "b"},
		"korean particles": {"서버 포트", passages("데이터를 저장한다", "서버는 포트를 연다", "폴더를 만든다"), "b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ranked, err := New(nil, nil, nil).Passages(context.Background(), Lexical, c.query, "en", c.found)
			if err != nil {
				t.Fatal(err)
			}
			if got := order(ranked); got[:1] != c.first {
				t.Errorf("order %s, want %s first", got, c.first)
			}
			for _, p := range ranked {
				if p.Score < 0 || p.Score > 1 || p.Lexical < 0 || p.Lexical > 1 {
					t.Errorf("scores outside 0 to 1: %+v", p)
				}
			}
		})
	}
}

func TestPagesTakeTurns(t *testing.T) {
	t.Parallel()
	found := passages("a|red fox jumps", "a|red fox jumps", "a|red fox sleeps", "b|red fox jumps in a tale of others", "c|nothing of it")
	ranked, err := New(nil, nil, nil).Passages(context.Background(), Lexical, "red fox jumps", "en", found)
	if err != nil {
		t.Fatal(err)
	}
	if got := order(ranked); !strings.HasPrefix(got, "ab") {
		t.Errorf("order %s: the second page should follow the first passage", got)
	}
}

func TestNothingToRank(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		query string
		found research.PassagesFound
	}{
		"no passages":     {"prime", research.PassagesFound{}},
		"only stop words": {"what is it", passages("one", "two")},
		"empty question":  {"", passages("one", "two")},
	} {
		ranked, err := New(&fake{}, nil, nil).Passages(context.Background(), Deep, c.query, "en", c.found)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, p := range ranked {
			if p.Lexical != 0 {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}

// fake means what the word "meant" in a text says.
type fake struct {
	read []string
	err  error
}

func (f *fake) Embed(_ context.Context, texts []string) ([][]float32, error) {
	f.read = append(f.read, texts...)
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = []float32{0, 1}
		if i == 0 || strings.Contains(s, "meant") {
			out[i] = []float32{1, 0}
		}
	}
	return out, f.err
}
func (f *fake) Supports(lang string) bool { return lang == "en" }
func (f *fake) Cost(texts []string) int   { return len(texts) }

func many(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "u" + string(rune('A'+i)) + "|fox number " + string(rune('a'+i%26))
	}
	return out
}

func TestMeaningLiftsWhatWordsMissed(t *testing.T) {
	t.Parallel()
	texts := append(many(40), "z|fox meant and more words that make it long and weak among others by far")
	for level, reads := range map[Level]int{Rerank: standard().rerankTop, Deep: standard().deepTop} {
		enc := &fake{}
		ranked, err := New(enc, nil, nil).Passages(context.Background(), level, "fox", "en", passages(append(texts, "y|nothing")...))
		if err != nil {
			t.Fatal(err)
		}
		if len(enc.read) != reads+1 {
			t.Errorf("%s read %d texts, want the question and %d passages", level, len(enc.read), reads)
		}
		if len(ranked) != 42 {
			t.Errorf("%s lost passages: %d", level, len(ranked))
		}
	}
	enc := &fake{}
	ranked, err := New(enc, nil, nil).Passages(context.Background(), Rerank, "fox", "en", passages("a|fox and fox", "b|fox meant so", "c|no"))
	if err != nil || ranked[0].URL != "b" || ranked[0].Semantic != 1 || ranked[0].Score <= ranked[1].Score {
		t.Errorf("%+v, %v", ranked, err)
	}
}

func TestLanguagesAndErrors(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	found := passages("서버는 포트를 연다", "x")
	if _, err := New(&fake{}, nil, nil).Passages(ctx, Rerank, "서버", "ko", found); research.CodeOf(err) != research.EInvalid {
		t.Errorf("Korean at rerank: %v", err)
	}
	if ok, why := New(nil, nil, nil).Supports(Deep, "en"); ok || why == "" {
		t.Errorf("no encoder: %v %q", ok, why)
	}
	if ok, _ := New(nil, nil, nil).Supports(Lexical, "ko"); !ok {
		t.Error("lexical works in every language")
	}
	broken := errors.New("broken")
	if _, err := New(&fake{err: broken}, nil, nil).Passages(ctx, Deep, "x", "en", found); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := New(nil, nil, nil).Passages(stopped, Lexical, "x", "en", found); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestOffTopicStaysBelowTheThreshold(t *testing.T) {
	t.Parallel()
	found := passages("the server opens port 8080 and waits", "data is kept in a folder", "a backup is a copy of the folder", "the port can be changed")
	ranked, err := New(nil, nil, nil).Passages(context.Background(), Lexical, "Which typhoon damaged the port of Busan in Korea?", "en", found)
	if err != nil {
		t.Fatal(err)
	}
	if ranked[0].Score >= Threshold(Lexical) {
		t.Errorf("score %.2f", ranked[0].Score)
	}
	ranked, err = New(nil, nil, nil).Passages(context.Background(), Lexical, "which port does the server open?", "en", found)
	if err != nil || ranked[0].Score < Threshold(Lexical) {
		t.Errorf("%+v, %v", ranked[0], err)
	}
}

func TestFromIndexedAgreesWithFromPassages(t *testing.T) {
	t.Parallel()
	f := passages("one two two", "two three")
	if f.DF["two"] != 2 || f.DF["one"] != 1 || f.Passages != 2 || f.Terms != 2.5 {
		t.Errorf("%+v", f)
	}
	g := FromIndexed([]research.IndexedPassage{{Terms: "one two two"}, {Terms: "two three"}})
	if g.DF["two"] != 2 || g.Passages != 2 || g.Terms != 2.5 {
		t.Errorf("%+v", g)
	}
}
