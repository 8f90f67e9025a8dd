package parse

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, answer, thought string }{
		{"plain", "plain", ""},
		{"<think>hm</think>\n{}", "{}", "hm"},
		{"a<think>x</think>b<think>y</think>c", "abc", "x\ny"},
		{"<think>never closed {", "", "never closed {"},
		{"opened in the prompt</think> {\"use\":[1]}", `{"use":[1]}`, "opened in the prompt"},
		{"<thinking>a</thinking>1", "1", "a"},
		{"[THINK]a[/THINK]1", "1", "a"},
		{"<|channel|>analysis<|message|>hm<|end|>fin", "fin", "hm"},
		{"a < b <|end|>", "a < b <|end|>", ""},
		{"<think></think>", "", ""},
	} {
		if a, th := Split(tt.in); a != tt.answer || th != tt.thought {
			t.Errorf("%q: %q, %q", tt.in, a, th)
		}
	}
}

func TestObject(t *testing.T) {
	t.Parallel()
	use := map[string]any{"use": []any{3.0, 1.0}}
	text := func(s string) map[string]any { return map[string]any{"use": s} }
	for name, tt := range map[string]struct {
		in   string
		want map[string]any
		cut  bool
	}{
		"plain":             {`{"use":[3,1]}`, use, false},
		"fence":             {"```json\n{\"use\": [3, 1]}\n```", use, false},
		"prose around":      {`Sure! Here is {the} answer: {"use":[3,1]} Hope it helps.`, use, false},
		"trailing commas":   {`{"use":[3,1,],}`, use, false},
		"missing comma":     {"{\"use\":[3,1]\n \"x\":1}", map[string]any{"use": []any{3.0, 1.0}, "x": 1.0}, false},
		"single quotes":     {`{'use':[3,1]}`, use, false},
		"curly quotes":      {`{“use”: “it’s so”}`, text("it’s so"), false},
		"bare key":          {`{use: [3, 1]}`, use, false},
		"comments":          {"{\"use\": /* best */ [3, // first\n1]}", use, false},
		"python":            {`{"use": None, "a": True}`, map[string]any{"use": nil, "a": true}, false},
		"line break inside": {"{\"use\":\"a\nb\"}", text("a b"), false},
		"quotes inside":     {`{"use":"the "old" light"}`, text(`the "old" light`), false},
		"apostrophe inside": {`{'use':'Stein's tower'}`, text("Stein's tower"), false},
		"escapes":           {`{"use":"\u00e9\ud83d\ude00\n\"x\""}`, text("é😀 \"x\""), false},
		"cut in a list":     {`{"use":[3,1,`, use, true},
		"cut in a number":   {`{"use":[3,1,4`, use, true},
		"cut in a text":     {`{"use":["a","b`, map[string]any{"use": []any{"a"}}, true},
		"cut in an object":  {`{"use":[{"text":"a","cite":["e1"]},{"text":"b","ci`, map[string]any{"use": []any{map[string]any{"text": "a", "cite": []any{"e1"}}}}, true},
		"another first":     {`{"thought":1} {"use":[3,1]}`, use, false},
		"twice":             {`{"use":[3,1],"use":[9]}`, use, false},
		"nested":            {`{"answer":{"use":[3,1]}}`, use, false},
		"wrong bracket":     {`{"use":[3,1}}`, use, false},
	} {
		got, cut, ok := Object(tt.in, "use")
		if !ok || cut != tt.cut || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v cut %v ok %v, want %v", name, got, cut, ok, tt.want)
		}
	}
	for _, in := range []string{"", "no json", "{", `{"other":1}`, "[1,2]", strings.Repeat("{", 5000), strings.Repeat(`{"use":`, 2000)} {
		if got, _, ok := Object(in, "use"); ok && got["use"] == nil {
			t.Errorf("%.20q: %v", in, got)
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	a, _, ok := Array(`The best are [3, "1"].`)
	if !ok || !reflect.DeepEqual(Integers(a), []int{3, 1}) {
		t.Errorf("array %v", a)
	}
	if got := Integers([]any{map[string]any{"id": "[4]"}, "5 and 6", 1e9, -2.5}); !reflect.DeepEqual(got, []int{4, 5, 6}) {
		t.Errorf("integers %v", got)
	}
	if got := Texts([]any{" a ", map[string]any{"query": "b"}, 3.0}, "query"); !reflect.DeepEqual(got, []string{"a", "b"}) {
		t.Errorf("texts %v", got)
	}
	if got := Texts("1. one\n- two\n\n"); !reflect.DeepEqual(got, []string{"one", "two"}) {
		t.Errorf("lines %v", got)
	}
}

func TestNoise(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"I'm sorry, but I can't help with that.": true, "죄송하지만 도와드릴 수 없습니다.": true, "申し訳ありません。": true, "抱歉，我不能。": true,
		"As an AI language model, I cannot browse.": true, "The sorry state of the tower.": false, `{"use":[1]}`: false,
	} {
		if Refuses(s) != want {
			t.Errorf("refuses %q: %v", s, !want)
		}
	}
	for s, want := range map[string]bool{
		`<tool_call>{"name":"search"}</tool_call>`: true, `[TOOL_CALLS] search`: true, `{"name": "search", "arguments": {"q":"x"}}`: true,
		`{"claims":[{"text":"The tool calls a function."}]}`: false,
	} {
		if CallsTool(s) != want {
			t.Errorf("calls a tool %q: %v", s, !want)
		}
	}
	if s := strings.Repeat("<start_of_turn>\n", 9); !TemplateNoise(s) || strings.TrimSpace(WithoutTemplate(s)) != "" {
		t.Error("template tokens not seen")
	}
	if TemplateNoise(`{"use":[1,2,3]}<|im_end|>`) {
		t.Error("an answer with an end mark is no noise")
	}
}

func TestLoops(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		strings.Repeat("again and again, ", 40):                                                                            true,
		"Well: " + strings.Repeat("<end_of_turn>", 30):                                                                     true,
		strings.Repeat("0", 200):                                                                                           true,
		strings.Repeat(`{"text":"Alba was built in 1872.","cite":["e1"]},`, 9):                                             true,
		"A sentence, and then another one that says something else. " + strings.Repeat("ha", 20):                           false,
		`{"claims":[{"text":"Alba was built in 1872.","cite":["e1"]},{"text":"Its lens came from Paris.","cite":["e2"]}]}`: false,
		"": false,
	} {
		if Loops(s) != want {
			t.Errorf("%.40q: %v", s, !want)
		}
	}
}

func TestSpeaks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		s    string
		in   []string
		want bool
	}{
		{"The lighthouse was built in 1872 by an engineer.", []string{"ko"}, false},
		{"The lighthouse was built in 1872 by an engineer.", []string{"ko", "en"}, true},
		{"등대는 1872년에 기술자 마리아 슈타인이 세웠다.", []string{"ko"}, true},
		{"등대는 1872년에 기술자 마리아 슈타인이 세웠다.", []string{"en"}, false},
		{"Der Leuchtturm wurde 1872 von einer Ingenieurin gebaut und ist nicht hoch.", []string{"en"}, false},
		{"Der Leuchtturm wurde 1872 von einer Ingenieurin gebaut und ist nicht hoch.", []string{"de"}, true},
		{"1872", []string{"ko"}, true},
		{"東京都庁舎概要説明資料一覧表示", []string{"ja"}, true},
	} {
		if got := Speaks(tt.s, tt.in...); got != tt.want {
			t.Errorf("%q in %v: %v", tt.s, tt.in, got)
		}
	}
}

// Reading does not grow with the square of what a model wrote, or this test does
// not end.
func TestHugeAnswersAreRead(t *testing.T) {
	t.Parallel()
	for _, s := range []string{`{"a":["`, `{"a":{`, `{'a':'`, `{"a":"b" "`, `[[`, `{a:/*`, `{"a":[{"b":"c"},`, `<think></think>`, `x</think>`, "{\"a\":\"\n", "[e1]", `{"`} {
		in := strings.Repeat(s, (1<<18)/len(s))
		Object(in, "use")
		Array(in)
		Split(in)
		Loops(in)
		CallsTool(in)
		TemplateNoise(in)
	}
}

func FuzzAnswer(f *testing.F) {
	for _, s := range []string{`{"use":[3,1]}`, "<think>x", `{"a":"b`, `{'a':[1,{"b":"\ud83d`, "[[[[", "```json", "{\"a\":\"\\", "</think>", "<|end|><|channel|>analysis<|message|>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, th := Split(s)
		if len(a)+len(th) > len(s)+len(th) {
			t.Errorf("split grew %q", s)
		}
		m, _, ok := Object(s)
		if ok && m == nil {
			t.Error("nil object")
		}
		_, _, _ = Array(s)
		Loops(s)
		Refuses(s)
		// Well-formed JSON is read as it is.
		var want map[string]any
		if json.Unmarshal([]byte(s), &want) == nil && len(s) < 200 && strings.HasPrefix(s, "{") && !strings.ContainsAny(s, "\\'") {
			if _, cut, ok := Object(s); !ok || cut {
				t.Errorf("well-formed %q not read", s)
			}
		}
	})
}
