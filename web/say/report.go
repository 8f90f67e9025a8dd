package say

import (
	"slices"

	"github.com/progrouter/progrouter/research"
)

// Summary lists the claims to show on top of a report. A summary that is word
// for word the beginning of the first section is left out: the section says the
// same right below it.
func Summary(r *research.Report) []string {
	var shown []string
	for _, id := range r.Summary {
		if _, ok := r.Claim(id); ok {
			shown = append(shown, id)
		}
	}
	for _, s := range r.Sections {
		var first []string
		for _, id := range s.ClaimIDs {
			if _, ok := r.Claim(id); ok {
				first = append(first, id)
			}
		}
		if len(first) == 0 {
			continue
		}
		if len(first) >= len(shown) && slices.Equal(first[:len(shown)], shown) {
			return nil
		}
		break
	}
	return shown
}
