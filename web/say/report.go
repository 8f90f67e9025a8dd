package say

import "github.com/progrouter/progrouter/research"

// Summary lists the claims to show on top of a report: those of its summary that
// still stand. They are shown also where the first section begins with them, as
// an executive summary may repeat what the report says in full.
func Summary(r *research.Report) []string {
	var shown []string
	for _, id := range r.Summary {
		if _, ok := r.Claim(id); ok {
			shown = append(shown, id)
		}
	}
	return shown
}
