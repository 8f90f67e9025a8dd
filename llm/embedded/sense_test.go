package embedded

import (
	"slices"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

func TestNumbersInWordsAndDigits(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"It has 41,024 steps and 2.5 million visitors.":   "41024 2500000",
		"Twenty-one keepers in two hundred and five days": "21 205",
		"one hundred thousand people, three of them":      "100000 3",
		"nineteen lamps":                     "19",
		"the nineteenth century, the 19th":   "19th 19th",
		"In 1912 it cost 3 thousand dollars": "1912 3000",
		"version 1.2.3 and 007":              "1.2.3 007",
		"등대지기 세 명이 네 주마다 바뀌었다.":              "3 4",
		"등대지기 열두 명이 스물다섯 해를 살았다.":            "12 25",
		"높이는 삼십이 미터이고 3만 명이 왔다.":             "32 30000",
		"灯台は千九百十二年に建てられた。":                   "1912",
		"一九一二年建成，有二十三个房间。":                   "1912 23",
		"守塔人有三个，一般住在塔里。":                     "3",
		"There is nothing here.":             "",
	} {
		if got := strings.Join(numbersIn(s), " "); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// Pairs of like words that say different things, in the four languages.
var turned = [][2]string{
	{"The valve is closed during the automatic start of the pump.", "The valve is not closed during the automatic start of the pump."},
	{"The pump cannot run dry for longer periods of time.", "The pump can run dry for longer periods of time."},
	{"The old lamp never burned whale oil in winter nights.", "The old lamp burned whale oil in winter nights."},
	{"The keepers didn't leave the old tower in winter storms.", "The keepers leave the old tower in winter storms."},
	{"There was no second lamp in the old tower of Alba.", "There was a second lamp in the old tower of Alba."},
	{"The three keepers lived in the old tower of Alba.", "The five keepers lived in the old tower of Alba."},
	{"The keepers of the tower changed every four weeks.", "The keepers of the tower changed every eight weeks."},
	{"The tower holds two hundred visitors at any one time.", "The tower holds 300 visitors at any one time."},
	{"The update enables logic replication on the old server.", "The update disables logic replication on the old server."},
	{"The output increased sharply in the year after the war.", "The output decreased sharply in the year after the war."},
	{"등대는 겨울에 문을 연다고 안내판에 적혀 있다.", "등대는 겨울에 문을 열지 않는다고 안내판에 적혀 있다."},
	{"이 약은 아이에게 안전하다고 알려져 있다.", "이 약은 아이에게 안전하지 못하다고 알려져 있다."},
	{"등대에는 등대지기 세 명이 살았다고 한다.", "등대에는 등대지기 다섯 명이 살았다고 한다."},
	{"灯台は冬でも夜間に公開されています。", "灯台は冬でも夜間に公開されていません。"},
	{"灯台には三人の守り人が住んでいた。", "灯台には五人の守り人が住んでいた。"},
	{"灯塔在冬天的晚上对外开放参观。", "灯塔在冬天的晚上不对外开放参观。"},
	{"灯塔里住着三个守塔人和他们的家人。", "灯塔里住着五个守塔人和他们的家人。"},
}

func TestOppositesAreNeverOneClaim(t *testing.T) {
	t.Parallel()
	for _, p := range turned {
		if senseOf(p[0]).agrees(senseOf(p[1])) {
			t.Errorf("agree: %q and %q", p[0], p[1])
		}
		if !senseOf(p[0]).agrees(senseOf(p[0])) {
			t.Errorf("does not agree with itself: %q", p[0])
		}
		for _, q := range [][2]string{{p[0], p[1]}, {p[1], p[0]}} {
			if saysWhat(q[0], q[1]) == "" {
				t.Errorf("%q is supported by %q", q[0], q[1])
			}
		}
		vec := []float32{1}
		a, b := draftOf("s1", p[0]), draftOf("s2", p[1])
		a.vector, b.vector = vec, vec
		if len(merge([]*draft{a, b})) != 2 {
			t.Errorf("merged: %q and %q", p[0], p[1])
		}
	}
}

// A number in words and the same in digits agree, and so does what only seems
// to negate.
func TestSameSense(t *testing.T) {
	t.Parallel()
	for _, p := range [][2]string{
		{"Three keepers lived in the tower.", "3 keepers lived in the tower."},
		{"It opened in the 19th century.", "It opened in the nineteenth century."},
		{"Not only the lamp was new.", "The lamp was new."},
		{"See no. 5 of the list.", "See 5 of the list."},
	} {
		if !senseOf(p[0]).agrees(senseOf(p[1])) {
			t.Errorf("%q and %q", p[0], p[1])
		}
	}
}

func draftOf(source, claim string) *draft {
	e := research.Evidence{ID: "e-" + source, SourceID: source, Quote: claim, End: len([]rune(claim))}
	return &draft{
		claim: research.Claim{Text: claim, EvidenceIDs: []string{e.ID}}, first: e, quotes: []research.Evidence{e},
		set: setOf(text.Terms(claim)), names: setOf(namesIn(claim)), sense: senseOf(claim), words: wordCount(claim),
	}
}

func TestClaimNamesAQuoteOnce(t *testing.T) {
	t.Parallel()
	claim := "The Alba lighthouse was built in 1872 by Maria Stein."
	ds := []*draft{draftOf("s1", claim), draftOf("s2", claim), draftOf("s2", claim), draftOf("s1", claim), draftOf("s3", claim)}
	for i, d := range ds {
		id := "e" + string(rune('1'+i))
		d.first.ID, d.quotes[0].ID, d.claim.EvidenceIDs = id, id, []string{id}
	}
	out := merge(ds)
	if len(out) != 1 || !slices.Equal(out[0].claim.EvidenceIDs, []string{"e1", "e2", "e5"}) || !slices.Equal(out[0].claim.Similar, []string{"e2", "e5"}) {
		t.Errorf("%d claims, evidence %v, similar %v", len(out), out[0].claim.EvidenceIDs, out[0].claim.Similar)
	}
}

// A run over two documents that say the opposite keeps both and says so.
func TestRunKeepsBothSides(t *testing.T) {
	t.Parallel()
	for _, model := range []string{SmallModel, MediumModel, LargeModel} {
		b := setup(t, "Is the relief valve closed during the automatic start?", "en",
			doc("library:a.md", "Pump manual", "# Start\n\nThe relief valve is closed during the automatic start of the pump.\n"),
			doc("library:b.md", "Pump bulletin", "# Start\n\nThe relief valve is not closed during the automatic start of the pump.\n"))
		b.run(model)
		if n := len(b.l.Report.Claims); n != 2 {
			t.Fatalf("%s: %d claims: %+v", model, n, b.l.Report.Claims)
		}
		for _, c := range b.l.Report.Claims {
			if c.Verdict != research.Contradicted || len(c.EvidenceIDs) != 1 {
				t.Errorf("%s: %+v", model, c)
			}
		}
	}
}

func TestReviewerTakesQuotesThatSayOtherwise(t *testing.T) {
	t.Parallel()
	b := setup(t, "Is the relief valve closed?", "en",
		doc("library:a.md", "Pump manual", "The relief valve is closed during the automatic start."),
		doc("library:b.md", "Pump bulletin", "The relief valve is not closed during the automatic start."))
	b.run(SmallModel)
	r := &b.l.Report
	r.Claims = r.Claims[:1]
	r.Claims[0].EvidenceIDs, r.Claims[0].Contradicts = []string{"e1", "e2"}, nil
	s := newStep(b.engine, research.Task{Ledger: b.l, Limits: b.limits}, research.Small)
	s.check(r, &r.Claims[0])
	if c := r.Claims[0]; c.Verdict != research.Supported || !slices.Equal(c.EvidenceIDs, []string{"e1"}) {
		t.Errorf("%+v", c)
	}
	r.Claims[0].EvidenceIDs = []string{"e2"}
	if s.check(r, &r.Claims[0]); r.Claims[0].Verdict != research.Unsupported {
		t.Errorf("supported by the opposite: %+v", r.Claims[0])
	}
}

func TestContradictionsOfDifferentLength(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"Tin melts at 232 °C.", "According to the old table of the museum, pure tin metal melts at 300 °C.", true},
		{"The keepers changed every four weeks.", "In the first years, the keepers on the reef changed every eight weeks.", true},
		{"The Alba Bridge opened to traffic in 1912.", "The Alba Bridge was opened in 1921 by the mayor.", true},
		{"The bridge was opened in 1912.", "The opening of the bridge took place in 1921.", true},
		{"Three keepers lived in the tower.", "Five keepers lived in the tower on the reef.", true},
		{"灯台は1912年に技師によって建てられた。", "灯台は1921年に技師によって建てられた。", true},
		{"등대는 1912년에 기술자가 지었다.", "등대는 1921년에 기술자가 지었다.", true},
		{"Tin melts at 232 °C.", "Lead melts at 327 °C.", false},
		{"Pure tin metal melts at 232 °C.", "Pure lead metal melts at 327 °C.", false},
		{"The Alba lighthouse was built in 1872.", "The Alba lighthouse was automated in 1990.", false},
		{"The lamp of the tower was built in 1872.", "The lamp of the tower was automated in 1990.", false},
		{"The tower is 41 metres tall.", "The tower is 41 m tall.", false},
		{"The tower is 41 metres tall.", "The tower is three storeys tall.", false},
		{"The tower was built in 1872.", "The tower was built in 1872 and painted in 1951.", false},
	} {
		x, y := statementOf(draftOf("s1", tt.a)), statementOf(draftOf("s2", tt.b))
		if got := contradict(x, y); got != tt.want {
			t.Errorf("%v: %q and %q", got, tt.a, tt.b)
		}
		if got := contradict(y, x); got != tt.want {
			t.Errorf("%v the other way: %q and %q", got, tt.a, tt.b)
		}
	}
}

func TestContradictionsMeetAcrossSections(t *testing.T) {
	t.Parallel()
	ds := map[string]*draft{
		"c1": draftOf("s1", "The tower is red."), "c2": draftOf("s1", "The bridge was opened in 1912."),
		"c3": draftOf("s2", "The harbour is deep."), "c4": draftOf("s2", "The bridge was opened in 1921."),
	}
	r := &research.Report{Sections: []research.Section{
		{Subquestion: "q1", ClaimIDs: []string{"c2", "c1"}}, {Subquestion: "q2", ClaimIDs: []string{"c3", "c4"}},
	}}
	for i, id := range []string{"c1", "c2", "c3", "c4"} {
		r.Claims = append(r.Claims, research.Claim{ID: id, Subquestion: "q" + string(rune('1'+i/2)), Text: ds[id].claim.Text})
	}
	markContradictions(r, ds)
	if !slices.Equal(r.Sections[0].ClaimIDs, []string{"c2", "c4", "c1"}) || !slices.Equal(r.Sections[1].ClaimIDs, []string{"c3"}) {
		t.Errorf("%+v", r.Sections)
	}
	if c, _ := r.Claim("c4"); c.Subquestion != "q1" || !slices.Equal(c.Contradicts, []string{"c2"}) {
		t.Errorf("%+v", c)
	}
}

// Whatever a page holds, laying a claim out for comparison does not fail.
func FuzzStatement(f *testing.F) {
	for _, s := range []string{"", "\u0301", "The \u0301 lamp of 1872.", "三", "〇〇", "1,2 hundred and th", "twenty-", "만 천", "°", "and", "3만", "0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		st := statementOf(draftOf("s1", s))
		if contradict(st, st) || !senseOf(s).agrees(senseOf(s)) {
			t.Errorf("%q does not agree with itself", s)
		}
	})
}
