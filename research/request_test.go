package research

import (
	"errors"
	"strings"
	"testing"
)

func yes() *bool { b := true; return &b }
func no() *bool  { b := false; return &b }

func TestParseRequestFaults(t *testing.T) {
	t.Parallel()
	const q = "What is a write-ahead log?"
	tests := []struct {
		name, field, key string
		in               RequestInput
	}{
		{"empty question", "question", "question_empty", RequestInput{Question: " \n\t "}},
		{"short question", "question", "question_short", RequestInput{Question: " ab "}},
		{"long question", "question", "question_long", RequestInput{Question: strings.Repeat("가", 2001)}},
		{"control character", "question", "question_control", RequestInput{Question: "what\x00is it"}},
		{"escape sequence", "question", "question_control", RequestInput{Question: "what \x1b[31mis it"}},
		{"broken encoding", "question", "question_encoding", RequestInput{Question: "what \xff\xfe"}},
		{"relative URL", "url", "url_scheme", RequestInput{Question: q, URLs: []string{"example.org/page"}}},
		{"file URL", "url", "url_scheme", RequestInput{Question: q, URLs: []string{"file:///etc/passwd"}}},
		{"script URL", "url", "url_scheme", RequestInput{Question: q, URLs: []string{"javascript:alert(1)"}}},
		{"no host", "url", "url_host", RequestInput{Question: q, URLs: []string{"http:///x"}}},
		{"port only", "url", "url_host", RequestInput{Question: q, URLs: []string{"http://:80/x"}}},
		{"password in URL", "url", "url_userinfo", RequestInput{Question: q, URLs: []string{"http://a:b@example.org/"}}},
		{"bad port", "url", "url_port", RequestInput{Question: q, URLs: []string{"http://example.org:70000/"}}},
		{"port zero", "url", "url_port", RequestInput{Question: q, URLs: []string{"http://example.org:0/"}}},
		{"bad escape", "url", "url_malformed", RequestInput{Question: q, URLs: []string{"http://example.org/%zz"}}},
		{"two in one line", "url", "url_space", RequestInput{Question: q, URLs: []string{"http://a.org http://b.org"}}},
		{"long URL", "url", "url_long", RequestInput{Question: q, URLs: []string{"http://a.org/" + strings.Repeat("x", 2048)}}},
		{"zero", "joules", "budget_positive", RequestInput{Question: q, Joules: "0"}},
		{"zero with decimals", "dollars", "budget_positive", RequestInput{Question: q, Dollars: "0.0000001"}},
		{"negative", "seconds", "budget_positive", RequestInput{Question: q, Seconds: "-3"}},
		{"words", "joules", "budget_number", RequestInput{Question: q, Joules: "many"}},
		{"NaN", "joules", "budget_number", RequestInput{Question: q, Joules: "NaN"}},
		{"infinity", "joules", "budget_number", RequestInput{Question: q, Joules: "+Inf"}},
		{"exponent", "joules", "budget_number", RequestInput{Question: q, Joules: "1e3"}},
		{"hexadecimal", "joules", "budget_number", RequestInput{Question: q, Joules: "0x10"}},
		{"comma", "joules", "budget_comma", RequestInput{Question: q, Joules: "1,5"}},
		{"too much", "joules", "budget_large", RequestInput{Question: q, Joules: "1000000001"}},
		{"absurd", "joules", "budget_large", RequestInput{Question: q, Joules: strings.Repeat("9", 400)}},
		{"policy", "policy", "policy_unknown", RequestInput{Question: q, Policy: "best"}},
		{"depth", "depth", "depth_unknown", RequestInput{Question: q, Depth: "abyss"}},
		{"language", "lang", "lang_unknown", RequestInput{Question: q, Lang: "klingon"}},
		{"follow word", "follow", "follow_range", RequestInput{Question: q, URLs: []string{"http://a.org"}, Follow: "all"}},
		{"follow deep", "follow", "follow_range", RequestInput{Question: q, URLs: []string{"http://a.org"}, Follow: "3"}},
		{"follow nothing", "follow", "follow_without_url", RequestInput{Question: q, Follow: "1"}},
		{"policy of the bench", "policy", "policy_evaluation", RequestInput{Question: q, Policy: "oracle"}},
		{"ablation", "policy", "policy_evaluation", RequestInput{Question: q, Policy: " ProgRouter-No-Queue "}},
		{"nothing to search", "sources", "no_sources", RequestInput{Question: q, Library: no(), Web: no()}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, errs := ParseRequest(tt.in)
			if len(errs) != 1 {
				t.Fatalf("errors = %v, want one", errs)
			}
			e := errs.For(tt.field)
			if e == nil || e.Key != tt.key || e.Code != EInvalid {
				t.Fatalf("error = %+v, want key %s at %s", errs[0], tt.key, tt.field)
			}
			if e.Message == "" || len(e.Message) > 600 {
				t.Errorf("message of %d bytes: %q", len(e.Message), e.Message)
			}
		})
	}
}

func TestParseRequestReportsEveryFault(t *testing.T) {
	t.Parallel()
	_, errs := ParseRequest(RequestInput{Question: "", Joules: "-1", Seconds: "x", Policy: "y", URLs: []string{"ftp://a"}})
	for _, field := range []string{"question", "joules", "seconds", "policy", "url"} {
		if errs.For(field) == nil {
			t.Errorf("no error at %s in %v", field, errs)
		}
	}
	var err error = errs
	var one *Error
	if !errors.As(err, &one) || CodeOf(err) != EInvalid {
		t.Errorf("errors.As finds %v, code %s", one, CodeOf(err))
	}
}

func TestParseRequestManyURLs(t *testing.T) {
	t.Parallel()
	var urls []string
	for i := range 21 {
		urls = append(urls, "http://example.org/"+strings.Repeat("x", i+1))
	}
	if _, errs := ParseRequest(RequestInput{Question: "What is it?", URLs: urls}); errs.For("url") == nil || errs.For("url").Key != "url_many" {
		t.Errorf("errors = %v, want url_many", errs)
	}
}

func TestParseRequestSources(t *testing.T) {
	t.Parallel()
	url := []string{"", " https://example.org/a#frag ", "https://example.org/a"}
	tests := []struct {
		name         string
		in           RequestInput
		library, web bool
		urls         int
	}{
		{"nothing named", RequestInput{}, true, true, 0},
		{"url alone", RequestInput{URLs: url}, false, false, 1},
		{"library alone", RequestInput{Library: yes()}, true, false, 0},
		{"url and web", RequestInput{URLs: url, Web: yes()}, false, true, 1},
		{"form, all on", RequestInput{URLs: url, Library: yes(), Web: yes()}, true, true, 1},
		{"form, web off", RequestInput{Library: yes(), Web: no()}, true, false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.in.Question = "What is it?"
			r, errs := ParseRequest(tt.in)
			if len(errs) != 0 {
				t.Fatal(errs)
			}
			if r.Library != tt.library || r.Web != tt.web || len(r.URLs) != tt.urls {
				t.Errorf("library %v web %v urls %v", r.Library, r.Web, r.URLs)
			}
		})
	}
}

func TestParseRequestReads(t *testing.T) {
	t.Parallel()
	r, errs := ParseRequest(RequestInput{
		Question: "  포스트그레스의\r\n WAL은 무엇인가? ", Joules: "1.5", Dollars: "0.000001", Seconds: " 30 ",
		Policy: "Fixed-Small", Depth: "DEEP", URLs: []string{"https://example.org/가?x=1#y"}, Follow: "2", Seed: 7,
	})
	if len(errs) != 0 {
		t.Fatal(errs)
	}
	if r.Question != "포스트그레스의 WAL은 무엇인가?" || r.Language != "ko" {
		t.Errorf("question %q language %s", r.Question, r.Language)
	}
	if *r.Given.Joules != 1_500_000 || *r.Given.Dollars != 1 || *r.Given.Seconds != 30 {
		t.Errorf("budget %v %v %v", *r.Given.Joules, *r.Given.Dollars, *r.Given.Seconds)
	}
	if r.Policy != FixedSmall || r.Depth != Deep || r.Follow != 2 || r.Seed != 7 {
		t.Errorf("request %+v", r)
	}
	if strings.Contains(r.URLs[0], "#") {
		t.Errorf("fragment kept: %s", r.URLs[0])
	}
	open, errs := ParseRequest(RequestInput{Question: "why?"})
	if len(errs) != 0 || open.Given != (Budget{}) || open.Policy != ProgRouter || open.Depth != Standard {
		t.Errorf("defaults %+v %v", open, errs)
	}
	if tag, _ := ParseRequest(RequestInput{Question: "why?", Lang: "pt-BR"}); tag.Language != "pt" {
		t.Errorf("pt-BR became %s", tag.Language)
	}
}

func TestEffectiveBudget(t *testing.T) {
	t.Parallel()
	r, _ := ParseRequest(RequestInput{Question: "why?", Depth: "quick", Joules: "7"})
	b, d := r.EffectiveBudget(false), DefaultBudget(Quick, false)
	if *b.Joules != 7*MicroPerUnit || *b.Dollars != *d.Dollars || *b.Seconds != *d.Seconds {
		t.Errorf("budget %v %v %v", b.Joules, b.Dollars, *b.Seconds)
	}
	if _, errs := ParseBudget("", "x", "0"); len(errs) != 2 {
		t.Errorf("ParseBudget errors %v, want two", errs)
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add("What is it?", "http://example.org", "1.5", "progrouter", "1")
	f.Add("", "javascript:x", "1,5", "x", "-1")
	f.Fuzz(func(t *testing.T, question, url, joules, policy, follow string) {
		r, errs := ParseRequest(RequestInput{Question: question, URLs: []string{url}, Joules: joules, Policy: policy, Follow: follow})
		if len(errs) > 0 {
			return
		}
		if n := len([]rune(r.Question)); n < QuestionMin || n > QuestionMax {
			t.Errorf("accepted a question of %d characters", n)
		}
		if r.Given.Joules != nil && *r.Given.Joules <= 0 {
			t.Errorf("accepted %v joules from %q", *r.Given.Joules, joules)
		}
	})
}
