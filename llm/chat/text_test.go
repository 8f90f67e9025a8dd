package chat

import (
	"strings"
	"testing"
)

func TestThinkingIsSplitOff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, text, thought string }{
		{"plain", "plain", ""},
		{"", "", ""},
		{"<think>hm</think>\n\nyes", "yes", "hm"},
		{"\n <think>\nhm\n</think>yes", "yes", "\nhm\n"},
		{"<thinking>hm</thinking>yes", "yes", "hm"},
		{"<think>never closed", "", "never closed"},
		{"<think></think>{\"a\":1}", "{\"a\":1}", ""},
		{"a < b and <thin air>", "a < b and <thin air>", ""},
		{"<thi", "<thi", ""},
		{"<think>a </thin b</think>c", "c", "a </thin b"},
		{"the tag <think> in the middle", "the tag <think> in the middle", ""},
		{"opened by the prompt</think>\nyes", "yes", "opened by the prompt"},
	} {
		if text, thought := SplitThinking(tt.in); text != tt.text || thought != tt.thought {
			t.Errorf("%q: got %q and %q", tt.in, text, thought)
		}
		if strings.HasPrefix(tt.in, "opened") {
			continue // only the whole answer shows it
		}
		var s Splitter
		var got Delta
		for _, r := range tt.in {
			d := s.Add(string(r))
			got.Text, got.Reasoning = got.Text+d.Text, got.Reasoning+d.Reasoning
		}
		d := s.End()
		got.Text, got.Reasoning = got.Text+d.Text, got.Reasoning+d.Reasoning
		if got.Text != tt.text || got.Reasoning != tt.thought {
			t.Errorf("%q by characters: got %+v", tt.in, got)
		}
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{"": 0, "a": 1, "four": 1, "fours": 2, "한국어": 3, "漢字 and": 3, "é": 1, "\xff\xff": 2} {
		if got := Count(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

func TestCheckedUsage(t *testing.T) {
	t.Parallel()
	r := Request{Messages: []Message{{User, "What is asked?"}}, MaxTokens: 100}
	for name, tt := range map[string]struct {
		server Usage
		from   string
	}{
		"plausible":            {Usage{Input: 20, Cached: 8, Output: 10, Reasoning: 2}, FromServer},
		"long template":        {Usage{Input: 900, Output: 10}, FromServer},
		"hidden thinking":      {Usage{Input: 20, Output: 100, Reasoning: 95}, FromServer},
		"nothing":              {Usage{}, FromLocal},
		"nothing written":      {Usage{Input: 20}, FromLocal},
		"negative":             {Usage{Input: 20, Output: -1}, FromLocal},
		"negative cache":       {Usage{Input: 20, Cached: -3, Output: 1}, FromLocal},
		"absurdly much read":   {Usage{Input: 1 << 40, Output: 1}, FromLocal},
		"more than is allowed": {Usage{Input: 20, Output: 5000}, FromLocal},
	} {
		if got := Checked(tt.server, r, "an answer", ""); got.Counted != tt.from {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := Checked(Usage{Input: 5, Cached: 50, Output: 1, Reasoning: 9}, r, "x", ""); got.Cached != 5 || got.Reasoning != 1 {
		t.Errorf("parts are larger than the whole: %+v", got)
	}
}

func TestNotesNameTheModel(t *testing.T) {
	t.Parallel()
	kinds := []Kind{RateLimited, Overloaded, TimedOut, Unreachable, Cut, Garbage, ContextLength, Unauthorized, OutOfCredit, UnknownModel, Rejected, Resting}
	seen := map[string]bool{}
	for _, k := range kinds {
		n := (&Error{Kind: k}).Note("a model")
		if !strings.Contains(n.Text, "a model") || seen[n.Code] {
			t.Errorf("%s: %+v", k, n)
		}
		seen[n.Code] = true
	}
}
