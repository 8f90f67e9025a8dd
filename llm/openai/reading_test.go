package openai

import (
	"encoding/json"
	"testing"

	"github.com/openai/openai-go/v3"

	"github.com/progrouter/progrouter/llm/chat"
)

// Whatever shape a server counts in, all that was written is in the output.
func TestUsage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		raw  string
		want chat.Usage
	}{
		"plain":                {`{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}`, chat.Usage{Input: 9, Output: 4}},
		"no total":             {`{"prompt_tokens":9,"completion_tokens":4}`, chat.Usage{Input: 9, Output: 4}},
		"thought within":       {`{"prompt_tokens":9,"completion_tokens":40,"total_tokens":49,"completion_tokens_details":{"reasoning_tokens":36}}`, chat.Usage{Input: 9, Output: 40, Reasoning: 36}},
		"thought beside":       {`{"prompt_tokens":9,"completion_tokens":4,"total_tokens":49,"completion_tokens_details":{"reasoning_tokens":36}}`, chat.Usage{Input: 9, Output: 40, Reasoning: 36}},
		"thought in the total": {`{"prompt_tokens":9,"completion_tokens":4,"total_tokens":49}`, chat.Usage{Input: 9, Output: 40, Reasoning: 36}},
		"cached":               {`{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13,"prompt_tokens_details":{"cached_tokens":5}}`, chat.Usage{Input: 9, Cached: 5, Output: 4}},
	} {
		var u openai.CompletionUsage
		if err := json.Unmarshal([]byte(tt.raw), &u); err != nil {
			t.Fatal(err)
		}
		if got := *usage(u); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}
