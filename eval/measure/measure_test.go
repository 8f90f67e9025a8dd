package measure

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/eval/suite"
	"github.com/progrouter/progrouter/research"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestPageRecall(t *testing.T) {
	t.Parallel()
	ranking := []string{"a", "a", "b", "c", "d", "e"}
	for name, c := range map[string]struct {
		ranking, gold []string
		k             int
		want          float64
	}{
		"one of two":       {ranking, []string{"b", "e"}, 5, 0.5},
		"all":              {ranking, []string{"a", "e"}, 6, 1},
		"short ranking":    {ranking[:1], []string{"a", "b"}, 10, 0.5},
		"nothing ranked":   {nil, []string{"a"}, 5, 0},
		"gold given twice": {ranking, []string{"a", "a", "x"}, 5, 0.5},
		"no gold":          {ranking, nil, 5, 0},
	} {
		if got := PageRecall(c.ranking, c.gold, c.k); !near(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestStatementRecall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		q      suite.Question
		report string
		want   float64
	}{
		"short answers": {suite.Question{ShortAnswers: []string{"The Battle of Lincoln", "20 May 1217", "never"}}, "The battle of Lincoln: 20 May, 1217.", 2.0 / 3},
		"whole words":   {suite.Question{ShortAnswers: []string{"12"}}, "In 2012 it was so.", 0},
		"empty answer":  {suite.Question{ShortAnswers: []string{"the", "x"}}, "x", 1},
		"answer words":  {suite.Question{Question: "Who found primes?", Answer: "Euclid found many primes in Alexandria."}, "Euclid lived in Alexandria", 2.0 / 3},
		"statements":    {suite.Question{Question: "?", GoldStatements: []string{"One fact.", "Two facts."}}, "fact one", 0.5},
		"said already":  {suite.Question{Question: "primes", Answer: "The primes"}, "primes", 0},
		"no report":     {suite.Question{Question: "?", Answer: "yes"}, "", 0},
		"not stemmed":   {suite.Question{Question: "?", Answer: "discoveries"}, "discovery", 0},
		"accents split": {suite.Question{Question: "?", Answer: "Phú"}, "Phú", 1},
	} {
		if got := StatementRecall(c.q, c.report); !near(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func claim(text string, quotes ...research.EvidenceDocument) research.ClaimDocument {
	return research.ClaimDocument{Text: text, Evidence: quotes}
}

func TestReportTextIsCut(t *testing.T) {
	t.Parallel()
	doc := research.RunDocument{Report: research.ReportDocument{Claims: []research.ClaimDocument{
		claim(strings.Repeat("a ", 299)), claim("b c d"), claim("e"),
	}}}
	words := strings.Fields(ReportText(doc))
	if len(words) != ReportWords || words[299] != "b" {
		t.Errorf("%d words, the last is %q", len(words), words[len(words)-1])
	}
}

func TestNamesAndNumbers(t *testing.T) {
	t.Parallel()
	s := `Prime numbers fascinated Euclid. Later "Mersenne" and the GIMPS project found 41,024,320 digits! Good. e.g. Luke D. Durant`
	if got, want := Names(s), []string{"euclid", "mersenne", "gimps", "d"}; !reflect.DeepEqual(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	if got, want := Numbers("In M52 of 41,024 and 3.5"), []string{"m52", "41", "024", "3", "5"}; !reflect.DeepEqual(got, want) {
		t.Errorf("numbers %q, want %q", got, want)
	}
}

func TestCitationPrecision(t *testing.T) {
	t.Parallel()
	text := "Ünder it all, Luke Durant found the prime on October 12. It has 41,024,320 digits."
	source := research.Source{ID: "s1", URL: "u", Text: text}
	quote := func(from, to int) research.EvidenceDocument {
		q, _ := research.Slice(text, from, to)
		return research.EvidenceDocument{SourceID: "s1", Quote: q, Start: from, End: to}
	}
	whole := quote(0, len([]rune(text)))
	first := quote(0, 56)
	moved := whole
	moved.Start, moved.End = 1, moved.End+1
	unknown := whole
	unknown.SourceID = "s9"
	for name, c := range map[string]struct {
		claims []research.ClaimDocument
		want   float64
	}{
		"quoted":             {[]research.ClaimDocument{claim(first.Quote, first)}, 1},
		"wrong number":       {[]research.ClaimDocument{claim("The prime has 41,024,321 digits.", whole)}, 0},
		"wrong name":         {[]research.ClaimDocument{claim("The prime was found by Luke Smith.", whole)}, 0},
		"too many new words": {[]research.ClaimDocument{claim("Luke Durant proudly announced the prime yesterday.", whole)}, 0},
		"four of five words": {[]research.ClaimDocument{claim("the prime found all digits yesterday", whole)}, 1},
		"offsets moved":      {[]research.ClaimDocument{claim(text, moved)}, 0},
		"unknown source":     {[]research.ClaimDocument{claim(text, unknown)}, 0},
		"one of two quotes":  {[]research.ClaimDocument{claim(text, whole, moved)}, 0.5},
		"quotes together":    {[]research.ClaimDocument{claim(text, first, quote(57, len([]rune(text))))}, 1},
		"no citation":        {[]research.ClaimDocument{claim(text)}, 0},
	} {
		doc := research.RunDocument{Sources: []research.Source{source}, Report: research.ReportDocument{Claims: c.claims}}
		if got := CitationPrecision(doc); !near(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	text := "Euclid lived in Alexandria."
	doc := research.RunDocument{
		Sources: []research.Source{{ID: "s1", URL: "u", Text: text}, {ID: "s2", URL: "v", Text: text}, {ID: "s3", URL: "w", Text: text}},
		Report: research.ReportDocument{Claims: []research.ClaimDocument{
			claim(text, research.EvidenceDocument{SourceID: "s1", Quote: text, Start: 0, End: 27}),
			claim(text, research.EvidenceDocument{SourceID: "s2", Quote: text, Start: 0, End: 27}),
		}},
	}
	q := suite.Question{Question: "Where did Euclid live?", Answer: "In Alexandria, Egypt.", GoldURLs: []string{"u", "w", "x"}}
	got := Run(q, doc)
	want := Scores{GoldPageRecall: 1.0 / 3, SourcePrecision: 0.5, StatementRecall: 0.5, CitationPrecision: 1, Quality: 2.0 / 3}
	if !near(got.GoldPageRecall, want.GoldPageRecall) || !near(got.SourcePrecision, want.SourcePrecision) ||
		!near(got.StatementRecall, want.StatementRecall) || !near(got.CitationPrecision, want.CitationPrecision) || !near(got.Quality, want.Quality) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if z := Run(q, research.RunDocument{}); z != (Scores{}) {
		t.Errorf("a run without a report scores %+v", z)
	}
}
