package embedded

import (
	"context"
	"regexp"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// reWhole finds questions that ask what given pages say as a whole.
var reWhole = regexp.MustCompile(`(?i)\babout\b|\b(?:describe|explain|summari[sz]e)\b|\bwhat (?:is|are|was|were) (?:it|this|that|these|those|they)\b`)

const (
	leadSentences = 3    // sentences that stand for a page
	leadRunes     = 1500 // where they are looked for
)

// readLeads answers a question that names nothing ("What is it about?") with the
// opening sentences of the pages the user gave. Other questions without a word
// to look for stay open.
func (s *step) readLeads(ctx context.Context, q research.Subquestion, pages []*page, room int) error {
	if len(s.ledger.Run.URLs) == 0 || !reWhole.MatchString(q.Text) || len(s.ledger.EvidenceFor(q.ID)) > 0 {
		return nil
	}
	var out []*choice
	err := s.compute(ctx, func() {
		a := text.NewAnalyzer()
		for _, p := range pages {
			n := 0
			for _, sen := range p.sentencesIn(0, min(leadRunes, len(p.runes)), a) {
				if n == leadSentences || len(out) == room {
					break
				}
				if sen.whole && !sen.item && sen.verb && !planted(sen.clean, nil) && (n > 0 || !sen.leans) {
					out = append(out, &choice{sentence: sen, passage: 1})
					n++
				}
			}
		}
	})
	if err == nil {
		s.keepEvidence(q, out)
	}
	return err
}
