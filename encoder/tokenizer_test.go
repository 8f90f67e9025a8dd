package encoder

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func vocab(tb testing.TB) *vocabulary {
	tb.Helper()
	v, err := sharedVocabulary()
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func readJSON(tb testing.TB, name string, into any) {
	tb.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

func TestTokenizerEqualsReference(t *testing.T) {
	t.Parallel()
	var cases []struct {
		Text string
		IDs  []int32
	}
	readJSON(t, "tokens.json", &cases)
	if len(cases) < 30 {
		t.Fatalf("only %d reference texts", len(cases))
	}
	v := vocab(t)
	for _, c := range cases {
		if got := v.encode(c.Text, MaxTokens); !slices.Equal(got, c.IDs) {
			t.Errorf("%.60q\n got %v\nwant %v", c.Text, got, c.IDs)
		}
	}
}

func TestTokenizerControlTokensInText(t *testing.T) {
	t.Parallel()
	for _, id := range vocab(t).encode("[CLS] [SEP] [PAD] [MASK] [UNK] [unused1]", MaxTokens)[1:] {
		if id == idStart || id == 0 || id == 103 || id == 2 {
			t.Fatalf("text became control token %d", id)
		}
	}
}

func TestTokenizerStopsAtLimit(t *testing.T) {
	t.Parallel()
	v := vocab(t)
	calls := 0
	v.tokenize(strings.Repeat("word ", 100_000), func(int32) bool { calls++; return calls < 7 })
	if calls != 7 {
		t.Fatalf("emit was called %d times after it asked to stop at 7", calls)
	}
	got := v.encode(strings.Repeat("unaffable ", 1000), 5)
	if len(got) != 5 || got[4] != idEnd {
		t.Fatalf("truncated encoding = %v", got)
	}
}

func FuzzTokenizer(f *testing.F) {
	for _, s := range []string{"", "Hello, world", "naïve 서버 北京", "\xff\xfe", "e\u0301\u0302", strings.Repeat("a", 300)} {
		f.Add(s)
	}
	v := vocab(f)
	f.Fuzz(func(t *testing.T, s string) {
		ids := v.encode(s, MaxTokens)
		if len(ids) < 2 || len(ids) > MaxTokens || ids[0] != idStart || ids[len(ids)-1] != idEnd {
			t.Fatalf("bad frame: %v", ids)
		}
		for _, id := range ids {
			if id < 0 || int(id) >= v.size {
				t.Fatalf("id %d outside the vocabulary", id)
			}
		}
		if utf8.ValidString(s) && !slices.Equal(ids, v.encode(" "+s+"\n", MaxTokens)) {
			t.Fatal("surrounding space changes the tokens")
		}
	})
}
