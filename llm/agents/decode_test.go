package agents

import (
	"reflect"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/llm/embedded"
	"github.com/progrouter/progrouter/research"
)

func TestReadDraft(t *testing.T) {
	t.Parallel()
	claims := func(text string, cite ...string) []embedded.DraftClaim {
		return []embedded.DraftClaim{{Text: text, Cite: cite}}
	}
	for name, tt := range map[string]struct {
		in      string
		claims  []embedded.DraftClaim
		summary string
		flaw    *flaw
	}{
		"as asked":           {`{"claims":[{"text":"It is old.","cite":["e1","E2"]}],"summary":"Old [e1]."}`, claims("It is old.", "e1", "e2"), "Old.", nil},
		"cited in the text":  {`{"claims":[{"text":"It is old [e1, e2]."}]}`, claims("It is old.", "e1", "e2"), "", nil},
		"cite as text":       {`{"claims":[{"claim":"It is old.","citations":"[e3]"}]}`, claims("It is old.", "e3"), "", nil},
		"only texts":         {`{"claims":["It is old (e4)."]}`, claims("It is old.", "e4"), "", nil},
		"a list":             {`[{"text":"It is old.","cite":["e1"]}]`, claims("It is old.", "e1"), "", nil},
		"prose":              {"Here is a report:\n- The tower is old [e1].\nNothing more.", claims("The tower is old.", "e1"), "", nil},
		"cut within a claim": {`{"claims":[{"text":"It is old. It is tall. It is`, []embedded.DraftClaim{{Text: "It is old."}, {Text: "It is tall."}}, "", nil},
		"two in one":         {`{"claims":[{"text":"It is old. It is tall.","cite":["e1"]}]}`, []embedded.DraftClaim{{Text: "It is old.", Cite: []string{"e1"}}, {Text: "It is tall.", Cite: []string{"e1"}}}, "", nil},
		"repeated":           {`{"claims":[{"text":"It is old."},{"text":"it is old."}]}`, []embedded.DraftClaim{{Text: "It is old."}}, "", nil},
		"prose uncited":      {"The tower is old.", nil, "", flawForm},
		"nothing":            {`{"claims":[],"summary":""}`, nil, "", flawForm},
		"copied form":        {`{"claims":[{"text":"...","cite":["e1"]}],"summary":""}`, nil, "", flawForm},
	} {
		got, f := readDraft(tt.in)
		if f != tt.flaw || got.Summary != tt.summary || len(got.Claims) != len(tt.claims) {
			t.Errorf("%s: %+v, %v", name, got, f)
			continue
		}
		for i, c := range tt.claims {
			if got.Claims[i].Text != c.Text || strings.Join(got.Claims[i].Cite, " ") != strings.Join(c.Cite, " ") {
				t.Errorf("%s: %+v", name, got.Claims[i])
			}
		}
	}
}

func TestReadNumbers(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]int{
		`{"use":[3,1,3]}`: {3, 1}, `{"use":["2","[1]"]}`: {2, 1}, `[2, 3]`: {2, 3}, "3, 1": {3, 1}, "Sentences 2 and 3.": {2, 3},
		`{"use":[]}`: {}, `{"use":[1,99]}`: {1}, `{"use":[{"id":2}]}`: {2},
	} {
		if got, f := readNumbers(in, 3, "use"); f != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", in, got, f)
		}
	}
	for in, want := range map[string]*flaw{`{"use":[99]}`: flawNumbers, "In 1872 the tower was built by an engineer of the harbour.": flawForm, "none": flawForm, "": flawForm} {
		if _, f := readNumbers(in, 3, "use"); f != want {
			t.Errorf("%s: %v", in, f)
		}
	}
}

func TestReadQueries(t *testing.T) {
	t.Parallel()
	open := []research.Subquestion{{ID: "q1"}, {ID: "q2"}}
	for in, want := range map[string]map[string][]string{
		`{"queries":[{"part":"q2","query":"a"},{"part":"q9","query":"b"}]}`: {"q2": {"a"}, "q1": {"b"}},
		`{"queries":["a","b"]}`:    {"q1": {"a", "b"}},
		`{"q1":["a"],"q2":["b"]}`:  {"q1": {"a"}, "q2": {"b"}},
		`{"queries":{"q2":["b"]}}`: {"q2": {"b"}},
		`["a"]`:                    {"q1": {"a"}},
	} {
		if got, f := readQueries(in, open); f != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", in, got, f)
		}
	}
	if _, f := readQueries("nothing", open); f != flawForm {
		t.Error(f)
	}
}

// A part of a plan is a question or a topic, no statement.
func TestIsPart(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"Who kept the Alba lighthouse?": true, "History of the Alba lighthouse": true, "알바 등대는 누가 지켰습니까?": true, "알바 등대의 역사": true, "How was it built": true,
		"What happened in 1872?": true, "What happened in 1922?": false, "The Alba lighthouse was built by the Royal Navy.": false,
		"The Alba lighthouse was built by the Royal Navy": false, "알바 등대는 왕실 해군이 지었다": false, strings.Repeat("What is it, ", 9) + "?": false,
	} {
		if isPart(s, "What of the Alba lighthouse of 1872?") != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range good {
		f.Add(s)
	}
	f.Add(`{"claims":[{"text":"It is old [e1]. It is`)
	f.Add("[e1][e2](e3). x")
	open := []research.Subquestion{{ID: "q1"}}
	f.Fuzz(func(t *testing.T, s string) {
		d, _ := readDraft(s)
		for _, c := range d.Claims {
			if c.Text == "" || len(c.Cite) > mostCites {
				t.Errorf("%q: %+v", s, c)
			}
		}
		if ns, fl := readNumbers(s, 4, "use"); fl == nil {
			for _, n := range ns {
				if n < 1 || n > 4 {
					t.Errorf("%q: %v", s, ns)
				}
			}
		}
		_, _ = readPlan(s)
		if q, fl := readQueries(s, open); fl == nil && len(q) == 0 {
			t.Errorf("%q: no queries and no flaw", s)
		}
	})
}
