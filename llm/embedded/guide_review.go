package embedded

import (
	"context"

	"github.com/progrouter/progrouter/research"
)

// judge lets a guide doubt claims that are not quotes. Its doubt alone makes a
// claim weak; removing one takes a fault that can be shown.
func (s *step) judge(ctx context.Context, r *research.Report) error {
	if s.guide == nil {
		return nil
	}
	var claims []Judged
	for _, c := range r.Claims {
		if j, written := judged(s.ledger, c); written && c.Verdict == research.Supported {
			claims = append(claims, j)
		}
	}
	if len(claims) == 0 {
		return nil
	}
	doubted, err := s.guide.Judge(ctx, claims)
	if err != nil {
		return err
	}
	for i := range r.Claims {
		if c := &r.Claims[i]; c.Verdict == research.Supported && containsString(doubted, c.ID) {
			c.Verdict, c.Note = research.Weak, s.lang.doubted
		}
	}
	return nil
}

// heldByAll says whether the quotes of a claim hold it together, where none does
// alone: a claim that a model put together from several.
func (s *step) heldByAll(c *research.Claim) bool {
	var quotes []quoted
	for _, id := range c.EvidenceIDs {
		if s.stands(id) == "" {
			e, _ := s.ledger.EvidenceByID(id)
			quotes = append(quotes, layOut(e))
		}
	}
	if len(quotes) < 2 || heldTogether(c.Text, quotes) != "" {
		return false
	}
	c.EvidenceIDs = fewest(c.Text, quotes)
	return true
}
