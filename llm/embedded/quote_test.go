package embedded

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

func termsOf(s string) []string { return text.Terms(s) }

func TestCleanQuote(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"The [AKS test](http://x.org/AKS_(test) \"AKS\"), found in **2002**.[3]": "The AKS test, found in 2002.",
		"A ![logo](http://x/y.png) picture\nand   a line.":                       "A picture and a line.",
		"See `vacuum` and \\[1\\] \\_more\\_ <br> here .":                        "See vacuum and _more_ here.",
		"Read https://example.org/a now.":                                        "Read now.",
		"한국어 문장입니다.":                                                             "한국어 문장입니다.",
		"Call `list()` for an empty list, ().":                                   "Call list() for an empty list, ().",
		"Bread (![x](y)) is baked.":                                              "Bread is baked.",
		"The first of the <VirtualHost>s and <file> is <b>used</b>.":             "The first of the <VirtualHost>s and <file> is used.",
	} {
		if got := cleanQuote(in); got != want {
			t.Errorf("%q\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestQuotable(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"The lighthouse was built in 1872 by an engineer.":     true,
		"Was the lighthouse really built in 1872 by her?":      false,
		"the lighthouse was built in 1872 by an engineer.":     false,
		"Accept all cookies to read on about lighthouses.":     false,
		"Home • About • Contact • Lighthouses of the world.":   false,
		"The lighthouse of Alba and its keepers":               false,
		"In one episode, it is implied that Mr.":               false,
		"The keeper (who lived there for twenty years.":        false,
		"A. Stein, Lights of the Coast, vol. 2, pp. 31–40.":    false,
		"등대는 1872년에 기술자가 암초 위에 지었다.":                           true,
		"The text requires lamps.The words mean light to us.":  false,
		"The old tower ![was built by Stein and friends.":      false,
		"You must recommend the lamp](a.png) when you read.":   false,
		"The [old tower](a.html) was built of stone by Stein.": true,
		"The keepers met (Photo: VNA) on the old tower today.": false,
		"灯台は1872年に技師によって建てられた。":                                true,
	} {
		if got := quotable(s, cleanQuote(s), false); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func TestSkips(t *testing.T) {
	t.Parallel()
	if n := skipOpener("However, it burned oil."); n != 9 {
		t.Errorf("opener %d", n)
	}
	for s, want := range map[string]int{
		"But lamps burned oil.": 4, "but lamps burned oil.": 0, "And they burned.": 4, "Fortunately, lamps burned.": 13,
		"물론 등대는 오래되었다.": 3, "しかし、灯台は古い。": 4, "": 0, "But ": 0,
	} {
		if n := skipOpener(s); n != want {
			t.Errorf("%q: %d", s, n)
		}
	}
	if n := skipOpener("Howeverish, it burned."); n != 0 {
		t.Errorf("no opener %d", n)
	}
	if n := skipTitle("Vienna Vienna is the capital of Austria today.", "Vienna"); n != 7 {
		t.Errorf("title %d", n)
	}
	if n := skipTitle("Vienna is the capital of Austria today.", "Vienna"); n != 0 {
		t.Errorf("no title %d", n)
	}
	if n := skipLabel("Abstract: We show that this works."); n != 10 {
		t.Errorf("label %d", n)
	}
}

// TestQuotesStandAtTheirPlaces: whatever a document looks like, every quote is
// found at its offsets and every claim's words stand in its quotes.
func TestQuotesStandAtTheirPlaces(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"The Alba lighthouse was built in 1872 by Maria Stein.", "However, it burned whale oil.", "# Keepers", "\n\n", "\n",
		"- an item about the Alba lighthouse of the coast", "등대는 1872년에 지어졌다.", "灯台は1872年に建てられた。", "Emoji 😀 stand in the Alba text too.",
		"[Home](/home) [About](/about)", "| a | b |", "This was the first lamp.", "Was it?", "Mr. Stein built the Alba tower.", "é̂ ", "```", "Title\n=====",
	}
	rapid.Check(t, func(rt *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 30).Draw(rt, "parts")
		sep := rapid.SampledFrom([]string{" ", "\n\n", "\n"}).Draw(rt, "separator")
		model := rapid.SampledFrom([]string{SmallModel, LargeModel}).Draw(rt, "model")
		b := setup(t, "When was the Alba lighthouse built?", "en", doc("library:a", "Alba lighthouse", strings.Join(parts, sep)))
		b.run(model)
		for _, e := range b.l.Evidence {
			src, _ := b.l.SourceByID(e.SourceID)
			if got, ok := research.Slice(src.Text, e.Start, e.End); !ok || got != e.Quote {
				rt.Fatalf("%q stands at the place of %q", got, e.Quote)
			}
		}
		for _, c := range b.l.Report.Claims {
			var quotes []string
			for _, id := range c.EvidenceIDs {
				e, _ := b.l.EvidenceByID(id)
				quotes = append(quotes, e.Quote)
			}
			if !holds(c.Text, strings.Join(quotes, " ")) {
				rt.Fatalf("claim %q is not in its quotes %q", c.Text, quotes)
			}
		}
	})
}

func TestKoreanItemsNeedAVerb(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"오래된 등대에서 고성능 등불과 렌즈를 함께 실행하기": false, "오래된 등대가 사용할 기름과 주소와 항구를 지정": false, "오래된 등대는 밤마다 기름과 렌즈로 바다를 비춘다": true,
	} {
		if got := quotable(s, cleanQuote(s), true); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}
