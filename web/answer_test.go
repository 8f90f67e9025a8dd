package web

import (
	"strings"
	"testing"
)

func TestAnswersAreReadableWhileTheyArrive(t *testing.T) {
	t.Parallel()
	const whole = "```json\n{\"claims\": [{\"text\": \"A \\\"run\\\" ends.\\u00e9\", \"cite\": [\"e1\", \"e12\"]}, {\"text\": \"So, {it} [is].\", \"cite\": [\"e2\"]}], \"summary\": \"한국어 답\"}\n```"
	if got, want := readable(whole), "A \"run\" ends.é [e1] [e12]\nSo, {it} [is]. [e2]\n한국어 답"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for text, want := range map[string]string{
		"":                                   "",
		"plain prose":                        "plain prose",
		`{"use":[3,1, 12`:                    "3, 1, 12",
		`{"not_supported":[]}`:               "",
		`{"queries":[{"part":"q1","que`:      "q1",
		`{"a":"cut \u00e`:                    "cut ",
		`{"a":"cut \`:                        "cut ",
		`{"a":true,"b":"x"}`:                 "true\nx",
		`{"summary":"e1"`:                    "e1",
		`}}]]{"a":"x"}`:                      `}}]]{"a":"x"}`,
		`{"a":"x"}}}]]] and prose, "quoted"`: "x",
	} {
		if got := readable(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	last := ""
	for i := range whole { // never shorter than before, and never a field's name
		got := readable(whole[:i])
		if strings.HasPrefix(whole[:i], "```json\n{") {
			if strings.Contains(got, "cite") || strings.Contains(got, "claims") || len(got) < len(last)-6 {
				t.Fatalf("%q after %q", got, last)
			}
			last = got
		}
	}
}
