package export

import (
	"context"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

// coded is a run that says everything by codes, as real runs do.
func coded() *research.Ledger {
	l := sample()
	l.Run.Status, l.Run.StopReason, l.Run.StopCode = research.Partial, "The budget was used up.", "budget"
	l.Queries[0].Error, l.Queries[0].ErrorCode = "Wikipedia does not answer.", "search_down"
	for i := range l.Steps {
		l.Steps[i].Decision = research.Decision{
			Policy: research.ProgRouter, Chosen: "embedded/small", Reason: "The small tier is enough here.", ReasonCode: "only_fits",
			Candidates: []research.Candidate{
				{Model: "embedded/small", Tier: research.Small, Eligible: true},
				{Model: "embedded/large", Tier: research.Large, WhyNot: "MiniLM reads English only.", WhyCode: "language"},
			},
		}
	}
	return l
}

// An export in Korean has no English sentence of ours in it: what is left in
// Latin letters belongs to sources and to the question.
func TestKoreanExports(t *testing.T) {
	t.Parallel()
	for _, f := range []Format{FormatMarkdown, FormatHTML} {
		r, err := Render(context.Background(), coded(), f, "ko")
		if err != nil {
			t.Fatal(err)
		}
		body := string(r.Body)
		for _, english := range []string{"The budget was", "is enough here", "reads English only", "The address is private", "modelled:cpu", "Quick", "quick ", "progrouter "} {
			if strings.Contains(body, english) {
				t.Errorf("%s: %q is not translated", f, english)
			}
		}
		for _, korean := range []string{"예산을 다 썼습니다", "내부망 주소", "CPU 사용 시간", "빠르게"} {
			if !strings.Contains(body, korean) {
				t.Errorf("%s: no %q", f, korean)
			}
		}
	}
	page, err := HTML(coded(), "ko")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page, "소형 등급 모델뿐입니다") || !strings.Contains(page, "이 질문의 언어를 읽지 못합니다") {
		t.Error("the reasons of steps are not Korean")
	}
}

func TestEnglishExportsKeepTheStoredSentences(t *testing.T) {
	t.Parallel()
	page, err := HTML(coded(), "en")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"The budget was used up.", "The small tier is enough here.", "Allow it with PROGROUTER_ALLOW_HOSTS."} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestTextFilesEndWithANewline(t *testing.T) {
	t.Parallel()
	for _, l := range []*research.Ledger{sample(), coded(), {Run: research.Run{ID: "r9"}}} {
		for _, f := range Formats() {
			r, err := Render(context.Background(), l, f, "")
			if err != nil {
				t.Fatal(err)
			}
			if body := string(r.Body); !strings.HasSuffix(body, "\n") || strings.HasSuffix(body, "\n\n") {
				t.Errorf("%s of %s ends with %q", f, l.Run.ID, body[max(0, len(body)-8):])
			}
		}
	}
}

func TestSummaryStandsOnTopAlsoWhereTheFirstSectionBeginsWithIt(t *testing.T) {
	t.Parallel()
	for _, summary := range [][]string{{"c1"}, {"c1", "c3"}, {"c3"}} {
		l := sample()
		l.Report.Summary = summary
		md, err := Markdown(l, "en")
		if err != nil {
			t.Fatal(err)
		}
		page, err := HTML(l, "en")
		if err != nil {
			t.Fatal(err)
		}
		first := "WAL files are archived by "
		for name, text := range map[string]string{"md": md, "html": page} {
			top := strings.Index(text, "Summary</h2>")
			if name == "md" {
				top = strings.Index(text, "## Summary")
			}
			if section := strings.Index(text, l.Report.Sections[0].Heading); top < 0 || section < top {
				t.Errorf("%v in %s: summary at %d, first section at %d", summary, name, top, section)
			}
			want := 2
			if summary[0] != "c1" {
				want = 1
			}
			text, _, _ = strings.Cut(text, "Quotes")
			if got := strings.Count(text, first); got != want {
				t.Errorf("%v in %s: the first claim stands %d times, want %d", summary, name, got, want)
			}
		}
	}
}
