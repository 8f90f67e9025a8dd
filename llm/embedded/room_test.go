package embedded

import (
	"fmt"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

// A report is as long as its words allow: sources of short sentences must fill
// it as well as those of long ones.
func TestShortSentencesFillAReport(t *testing.T) {
	t.Parallel()
	const words = 20
	var body strings.Builder
	body.WriteString("# Alba lighthouse\n\n")
	for i := range 40 {
		var about []string
		for k := range words - 6 {
			about = append(about, fmt.Sprintf("thing%dx%d", i, k))
		}
		fmt.Fprintf(&body, "The Alba lighthouse keepers used %s daily.\n\n", strings.Join(about, " "))
	}
	for _, depth := range []research.Depth{research.Standard, research.Deep} {
		b := setup(t, "What did the Alba lighthouse keepers use?", "en", doc("library:alba.md", "Alba lighthouse", body.String()))
		b.limits = research.LimitsFor(depth)
		for _, m := range []string{SmallModel, MediumModel, LargeModel} {
			b.l.Evidence, b.l.Sources = nil, nil
			b.do(t.Context(), m, research.Planner)
			b.do(t.Context(), m, research.Searcher)
			b.do(t.Context(), m, research.Reader, "q1")
			got := 0
			for _, e := range b.l.EvidenceFor("q1") {
				got += wordCount(e.Quote)
			}
			if got < 300 || got > reportWords+words {
				t.Errorf("%s %s: %d words of evidence from sentences of %d words", depth, m, got, words)
			}
		}
	}
}
