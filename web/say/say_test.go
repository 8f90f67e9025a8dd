package say

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/research"
)

func readers(t *testing.T) (en, ko *i18n.Localizer) {
	t.Helper()
	b, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	return b.Localizer("en"), b.Localizer("ko")
}

func TestNote(t *testing.T) {
	t.Parallel()
	en, ko := readers(t)
	n := research.Note{Text: "1 document read, 5 quotes kept.", Code: "read", Args: map[string]any{"Documents": 1, "Quotes": 1500}}
	if got := Note(en, n); got != n.Text {
		t.Errorf("English: %q", got)
	}
	if got := Note(ko, n); got != "문서 1건을 읽고 인용문 1,500건을 골랐습니다." {
		t.Errorf("Korean: %q", got)
	}
	if got := Note(ko, research.Note{Text: "Something new.", Code: "nobody_knows"}); got != "Something new." {
		t.Errorf("unknown code: %q", got)
	}
	if got := Note(en, research.Note{Code: "cancelled"}); got != "Cancelled by the user." {
		t.Errorf("a code without a sentence: %q", got)
	}
}

// What was stored says the same after it was read back.
func TestNotesSurviveStorage(t *testing.T) {
	t.Parallel()
	_, ko := readers(t)
	n := research.Note{Text: "x", Code: "rank_passages", Args: map[string]any{"Count": 1200, "Part": "q1", "Tier": "small"}}
	data, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	var back research.Note
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if a, b := Note(ko, n), Note(ko, back); a != b || !strings.Contains(a, "1,200") || !strings.Contains(a, "소형") {
		t.Errorf("%q became %q", a, b)
	}
}

func TestStepsSayWhatTheyDid(t *testing.T) {
	t.Parallel()
	en, ko := readers(t)
	s := research.Step{Note: "Cut off at the limit reserved for this step.", Notes: []research.Note{{Code: "cut_off", Text: "Cut off at the limit reserved for this step."}}}
	if Did(en, s) != s.Note || Did(ko, s) != "이 단계에 잡아 둔 한도에서 멈추었습니다." {
		t.Errorf("%q, %q", Did(en, s), Did(ko, s))
	}
	if got := Did(ko, research.Step{Note: "Only a sentence."}); got != "Only a sentence." {
		t.Errorf("without notes: %q", got)
	}
	a := research.Action{Detail: "https://example.org", Error: "Internal error.", ErrorKey: "internal"}
	if Detail(ko, a) != a.Detail || !strings.HasPrefix(Trouble(ko, a), "내부 오류") || Trouble(en, a) != a.Error {
		t.Errorf("action: %q, %q", Detail(ko, a), Trouble(ko, a))
	}
	if Trouble(ko, research.Action{ErrorKey: "internal"}) != "" {
		t.Error("an action without an error has one")
	}
	q := research.Query{Provider: "Wikipedia", Error: "It is down.", ErrorCode: "search_down"}
	if got := QueryTrouble(ko, q); !strings.Contains(got, "위키백과") || QueryTrouble(en, q) != q.Error || QueryTrouble(ko, research.Query{}) != "" {
		t.Errorf("query: %q", got)
	}
}

func TestReasonNamesEveryObstacleOnce(t *testing.T) {
	t.Parallel()
	en, ko := readers(t)
	s := research.Step{Decision: research.Decision{
		Reason: "Only the small tier can take this step.", ReasonCode: "only_fits", Chosen: "s", Rival: "m",
		Candidates: []research.Candidate{
			{Model: "s", Tier: research.Small, Eligible: true},
			{Model: "m", Tier: research.Medium, WhyCode: "language", WhyNot: "MiniLM reads English only."},
			{Model: "l", Tier: research.Large, WhyCode: "language", WhyNot: "MiniLM reads English only."},
		},
	}}
	got := Reason(ko, s)
	if want := "이 단계를 맡을 수 있는 것은 소형 등급 모델뿐입니다. 중형 등급, 대형 등급: 이 질문의 언어를 읽지 못합니다."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if Reason(en, s) != s.Decision.Reason {
		t.Errorf("English: %q", Reason(en, s))
	}
	s.Decision.ReasonCode = "nobody_knows"
	if Reason(ko, s) != s.Decision.Reason {
		t.Error("an unknown code hides the stored sentence")
	}
}

func TestReasonSpellsModelsAsTheyAreNamed(t *testing.T) {
	t.Parallel()
	en, ko := readers(t)
	for _, code := range []string{"best_value", "held_back", "cheapest_enough", "only_fits", "nothing_fits", "tier_unavailable"} {
		s := research.Step{Decision: research.Decision{
			ReasonCode: code, Chosen: "box/a", Rival: "box/b",
			Candidates: []research.Candidate{
				{Model: "box/a", Tier: research.Small, Eligible: true},
				{Model: "box/b", Tier: research.Small, WhyCode: "language", WhyNot: "It reads English only."},
			},
		}}
		for _, l := range []*i18n.Localizer{en, ko} {
			if got := Reason(l, s); strings.Contains(got, "Box/") {
				t.Errorf("%s: %q", code, got)
			}
		}
	}
}

func TestReasonComparesInOneUnit(t *testing.T) {
	t.Parallel()
	_, ko := readers(t)
	j := func(f float64) *research.Micro { return research.Known(research.ToMicro(f)) }
	s := research.Step{Decision: research.Decision{
		ReasonCode: "cheapest_enough", Chosen: "s", Rival: "l", Decided: []string{"energy", "time"},
		Candidates: []research.Candidate{
			{Model: "s", Tier: research.Small, Eligible: true, Expected: research.Cost{Joules: j(0.2), Seconds: 0.25}, Terms: research.Terms{Energy: 1, Time: 1}},
			{Model: "l", Tier: research.Large, Eligible: true, Expected: research.Cost{Joules: j(5), Seconds: 1.5}},
		},
	}}
	if got := Reason(ko, s); !strings.Contains(got, "0.2 J 대 5.0 J") || !strings.Contains(got, "0.25초 대 1.50초") {
		t.Errorf("%q", got)
	}
}

// The price of energy is put down to earlier runs only while they owe some.
func TestReasonBlamesEarlierRunsOnlyForWhatTheyOwe(t *testing.T) {
	t.Parallel()
	_, ko := readers(t)
	j := func(f float64) *research.Micro { return research.Known(research.ToMicro(f)) }
	for _, queue := range []float64{0, 3} {
		for _, sign := range []float64{1, -1} {
			got := Reason(ko, research.Step{Decision: research.Decision{
				ReasonCode: "best_value", Chosen: "s", Rival: "l", Decided: []string{"queue"}, Queue: queue,
				Candidates: []research.Candidate{
					{Model: "s", Tier: research.Small, Eligible: true, Expected: research.Cost{Joules: j(0.2)}, Terms: research.Terms{Queue: sign}},
					{Model: "l", Tier: research.Large, Eligible: true, Expected: research.Cost{Joules: j(5)}},
				},
			}})
			if strings.Contains(got, "앞선 조사") != (queue > 0) || !strings.Contains(got, "0.2 J 대 5.0 J") || strings.Contains(got, "감안해도") != (sign < 0) {
				t.Errorf("queue %v, sign %v: %q", queue, sign, got)
			}
		}
	}
}

// Policies that go by something else than the prediction are quoted with that.
func TestReasonQuotesWhatThePolicyWentBy(t *testing.T) {
	t.Parallel()
	_, ko := readers(t)
	j := func(f float64) *research.Micro { return research.Known(research.ToMicro(f)) }
	belief := func(gain, joules float64) *research.Belief {
		return &research.Belief{Gain: gain, Cost: research.Cost{Joules: j(joules), Seconds: 1}, Steps: 9}
	}
	d := research.Decision{
		Policy: research.Educated, ReasonCode: "best_record", Chosen: "s", Rival: "l", Decided: []string{"energy", "value"},
		Candidates: []research.Candidate{
			{Model: "s", Tier: research.Small, Eligible: true, Predicted: research.Prediction{Gain: 0.5}, Expected: research.Cost{Joules: j(7)}, Believed: belief(0.1, 2), Terms: research.Terms{Energy: 1}},
			{Model: "l", Tier: research.Large, Eligible: true, Predicted: research.Prediction{Gain: 0.6}, Expected: research.Cost{Joules: j(8)}, Believed: belief(0.2, 30), Terms: research.Terms{Value: 1}},
		},
	}
	got := Reason(ko, research.Step{Decision: d})
	if !strings.Contains(got, "2.0 J 대 30.0 J") && !strings.Contains(got, "2 J 대 30 J") || !strings.Contains(got, "+0.200 대 +0.100") {
		t.Errorf("record: %q", got)
	}
	d.ReasonCode, d.Decided = "gain_per_cost", nil
	d.Candidates[0].Believed, d.Candidates[1].Believed = nil, nil
	if got = Reason(ko, research.Step{Decision: d}); !strings.Contains(got, "+0.500") || !strings.Contains(got, "8") || strings.Contains(got, "{{") || strings.Contains(got, "<no value>") {
		t.Errorf("greedy: %q", got)
	}
	d.ReasonCode, d.Decided = "cheapest_enough", []string{"switching"}
	d.Candidates[0].Switching, d.Candidates[1].Switching = j(0), j(120)
	if got = Reason(ko, research.Step{Decision: d}); !strings.Contains(got, "이미 올라와") || !strings.Contains(got, "120 J") {
		t.Errorf("for: %q", got)
	}
	d.Chosen, d.Rival = d.Rival, d.Chosen
	if got = Reason(ko, research.Step{Decision: d}); !strings.Contains(got, "먼저 메모리에 올려야") {
		t.Errorf("against: %q", got)
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	en, ko := readers(t)
	l := &research.Ledger{
		Run:       research.Run{Status: research.NoEvidence, StopReason: "Nothing.", StopCode: "no_evidence"},
		Queries:   make([]research.Query, 2),
		Discarded: []research.Discarded{{Code: "robots", Reason: "robots.txt"}},
		Plan:      research.Plan{Subquestions: []research.Subquestion{{ID: "q1", Text: "Why?"}}},
	}
	if got := Stop(ko, l); !strings.Contains(got, "검색 2번") || !strings.Contains(got, "robots.txt") || strings.Contains(got, "Why?") {
		t.Errorf("no evidence: %q", got)
	}
	if Stop(en, l) != "Nothing." {
		t.Errorf("English: %q", Stop(en, l))
	}
	l.Run = research.Run{Status: research.Partial, StopReason: "Budget.", StopCode: "budget"}
	if got := Stop(ko, l); !strings.Contains(got, "Why?") {
		t.Errorf("the gap is not named: %q", got)
	}
	l.Run = research.Run{Status: research.Cancelled, StopReason: "Cancelled by the user.", StopCode: "cancelled"}
	if got := Stop(ko, l); got != "사용자가 취소했습니다." {
		t.Errorf("cancelled: %q", got)
	}
	if Stop(ko, &research.Ledger{}) != "" {
		t.Error("a run that has not ended has a reason")
	}
}

func TestError(t *testing.T) {
	t.Parallel()
	en, ko := readers(t)
	upload := research.Errorf(research.EInvalid, "discarded.encrypted_pdf", "a.pdf was not added: The PDF is encrypted. Save it without a password.").
		With(map[string]any{"Name": "a.pdf"})
	state := research.Errorf(research.EConflict, "store.run_ended", "x").With(map[string]any{"Status": research.Complete})
	for _, tt := range []struct {
		err    error
		en, ko string
	}{
		{upload, "a.pdf was not added: The PDF is encrypted. Save it without a password.", "a.pdf 파일은 더하지 않았습니다. 암호가 걸린 PDF입니다."},
		{state, "The run has ended already: it is complete.", "이미 끝난 조사입니다. 지금 상태는 ‘완료’입니다."},
		{errors.New("secret"), "Internal error. The details are in the server's log.", "내부 오류입니다. 자세한 내용은 서버 로그에 있습니다."},
		{context.Canceled, "Internal error. The details are in the server's log.", "내부 오류입니다. 자세한 내용은 서버 로그에 있습니다."},
		{research.Errorf(research.EInvalid, "nobody_knows", "Its own words."), "Its own words.", "Its own words."},
	} {
		if got := Error(en, tt.err); got != tt.en {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.en)
		}
		if got := Error(ko, tt.err); got != tt.ko {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.ko)
		}
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	report := func(summary string, sections ...string) *research.Report {
		r := &research.Report{Summary: strings.Fields(summary)}
		for _, id := range strings.Fields("a b c d e f") {
			r.Claims = append(r.Claims, research.Claim{ID: id})
		}
		for _, s := range sections {
			r.Sections = append(r.Sections, research.Section{ClaimIDs: strings.Fields(s)})
		}
		return r
	}
	for _, tt := range []struct {
		name string
		r    *research.Report
		want string
	}{
		{"begins the first section", report("a b", "a b c", "d"), "a b"},
		{"is the first section", report("a b", "a b"), "a b"},
		{"of several sections", report("a d", "a b", "d e"), "a d"},
		{"in another order", report("b a", "a b c"), "b a"},
		{"longer than the section", report("a b", "a", "b"), "a b"},
		{"not in a section", report("a", "b c"), "a"},
		{"behind an empty section", report("a", "", "a b"), "a"},
		{"claims that are gone", report("x a", "x a b"), "a"},
		{"none", report("", "a"), ""},
		{"without sections", report("a"), "a"},
	} {
		if got := strings.Join(Summary(tt.r), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestNothingSearchedIsNotSaidBesideTheReason(t *testing.T) {
	t.Parallel()
	texts, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	nothing := research.Note{Code: "searched", Text: "0 searches, 0 documents found.", Args: map[string]any{"Searches": float64(0), "Documents": float64(0)}}
	some := research.Note{Code: "searched", Text: "1 search, 2 documents found.", Args: map[string]any{"Searches": 1, "Documents": 2}}
	why := research.Note{Code: "no_wording_left", Text: "1 sub-question had no wording left that was not tried before.", Args: map[string]any{"Count": 1}}
	for _, tt := range []struct {
		notes  []research.Note
		en, ko string
	}{
		{[]research.Note{nothing, why}, why.Text, "1개 갈래는 아직 시도하지 않은 검색어가 없었습니다."},
		{[]research.Note{some, why}, some.Text + " " + why.Text, "1번 검색해 문서 2건을 찾았습니다. 1개 갈래는 아직 시도하지 않은 검색어가 없었습니다."},
		{[]research.Note{nothing}, nothing.Text, "0번 검색해 문서 0건을 찾았습니다."},
	} {
		s := research.Step{Notes: tt.notes, Note: research.NoteText(tt.notes)}
		if got := Did(texts.Localizer("en"), s); got != tt.en {
			t.Errorf("%q, want %q", got, tt.en)
		}
		if got := Did(texts.Localizer("ko"), s); got != tt.ko {
			t.Errorf("%q, want %q", got, tt.ko)
		}
	}
}
