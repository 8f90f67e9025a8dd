package embedded

import (
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func TestQuestionsInEastAsianLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lang, question, body, want, heading string }{
		{
			"ko", "알바 등대는 언제 지어졌나요?",
			"알바 등대는 1872년에 기술자 마리아 슈타인이 지었다. 등대의 높이는 41미터이며 항구 북쪽의 암초 위에 서 있다.\n\n빵은 밀가루와 물과 소금으로 만든다.",
			"1872년", "답변",
		},
		{
			"ja", "アルバ灯台はいつ建てられましたか？",
			"アルバ灯台は1872年に技師マリア・シュタインによって建てられた。灯台の高さは41メートルで、港の北の岩礁に立っている。\n\nパンは小麦粉と水と塩で作られる。",
			"1872年", "回答",
		},
		{
			"zh", "阿尔巴灯塔是什么时候建成的？",
			"阿尔巴灯塔由工程师玛丽亚·斯坦于1872年建成。灯塔高41米，矗立在港口以北的礁石上。\n\n面包由面粉、水和盐制成。",
			"1872年", "回答",
		},
	} {
		t.Run(c.lang, func(t *testing.T) {
			t.Parallel()
			b := setup(t, c.question, c.lang, doc("library:"+c.lang, "", c.body))
			b.run(SmallModel)
			checkQuotes(t, b.l)
			r := b.l.Report
			if len(r.Claims) == 0 || !strings.Contains(r.Claims[0].Text, c.want) || r.Sections[0].Heading != c.heading {
				t.Fatalf("report %+v", r)
			}
			for _, m := range []string{MediumModel, LargeModel} {
				e := b.engine.Estimate(t.Context(), m, research.Task{Role: research.Reader, Ledger: b.l, Limits: b.limits})
				if e.Eligible || e.WhyCode != "language" || !strings.Contains(e.WhyNot, "English only") {
					t.Errorf("%s: %+v", m, e)
				}
			}
		})
	}
}

func TestComparisonsInEastAsianLanguages(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]string{
		"태양광과 풍력의 차이는 무엇인가요?": "태양광|풍력",
		"太陽光と風力の違いは何ですか？":     "太陽光|風力",
		"太阳能和风能的区别是什么？":       "太阳能|风能",
	} {
		if got := strings.Join(comparands(q), "|"); got != want {
			t.Errorf("%s: %q, want %q", q, got, want)
		}
	}
}
