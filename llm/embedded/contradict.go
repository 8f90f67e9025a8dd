package embedded

import (
	"slices"

	"github.com/progrouter/progrouter/research"
)

// sameSubject is the share of the shorter claim's words, numbers, units and
// negations left out, that must stand in the other for the two to speak of the
// same thing; sameSubjectNot is the same where only a negation tells them apart.
const (
	sameSubject    = 0.6
	sameSubjectNot = 0.75
)

// markContradictions finds claims of different sources that speak of the same
// thing and differ in a number, a date or a negation, names each in the other
// and puts them side by side, whatever sections they were in.
func markContradictions(r *research.Report, drafts map[string]*draft) {
	said := make([]statement, len(r.Claims))
	for i, c := range r.Claims {
		if d := drafts[c.ID]; d != nil {
			said[i] = statementOf(d)
		}
	}
	for i := range r.Claims {
		for j := i + 1; j < len(r.Claims); j++ {
			if said[i].draft == nil || said[j].draft == nil || !contradict(said[i], said[j]) {
				continue
			}
			r.Claims[i].Contradicts = append(r.Claims[i].Contradicts, r.Claims[j].ID)
			r.Claims[j].Contradicts = append(r.Claims[j].Contradicts, r.Claims[i].ID)
		}
	}
	gatherOpposites(r)
	for s := range r.Sections {
		r.Sections[s].ClaimIDs = sideBySide(r, r.Sections[s].ClaimIDs)
	}
}

// gatherOpposites moves claims into the section of the first one they
// contradict. A section that would lose its last claim keeps it.
func gatherOpposites(r *research.Report) {
	at := map[string]int{}
	for i, sec := range r.Sections {
		for _, id := range sec.ClaimIDs {
			at[id] = i
		}
	}
	for i := range r.Claims {
		c := &r.Claims[i]
		for _, id := range c.Contradicts {
			from, to := at[id], at[c.ID]
			if from <= to || len(r.Sections[from].ClaimIDs) < 2 {
				continue
			}
			r.Sections[from].ClaimIDs = slices.DeleteFunc(r.Sections[from].ClaimIDs, func(x string) bool { return x == id })
			r.Sections[to].ClaimIDs = append(r.Sections[to].ClaimIDs, id)
			at[id] = to
			for k := range r.Claims {
				if r.Claims[k].ID == id {
					r.Claims[k].Subquestion = r.Sections[to].Subquestion
				}
			}
		}
	}
}

// contradict compares two claims of different sources.
func contradict(a, b statement) bool {
	if a.draft.first.SourceID == b.draft.first.SourceID {
		return false
	}
	names := overlap(a.draft.names, b.draft.names)
	if names != min(len(a.draft.names), len(b.draft.names)) {
		return false
	}
	common := overlap(a.bare, b.bare)
	share := float64(common) / float64(max(1, min(len(a.bare), len(b.bare))))
	if common < 2 || share < sameSubject {
		return false
	}
	turned := (a.draft.sense.negations+b.draft.sense.negations)%2 == 1 || opposed(a.draft.sense.words, b.draft.sense.words)
	if turned && share >= sameSubjectNot && jaccard(a.bare, b.bare) >= 0.5 {
		return a.cjk == b.cjk
	}
	return !turned && differ(a, b)
}

// sideBySide moves each claim behind the first one it contradicts.
func sideBySide(r *research.Report, ids []string) []string {
	var out []string
	used := map[string]bool{}
	in := map[string]bool{}
	for _, id := range ids {
		in[id] = true
	}
	for _, id := range ids {
		if used[id] {
			continue
		}
		used[id] = true
		out = append(out, id)
		c, _ := r.Claim(id)
		for _, o := range c.Contradicts {
			if in[o] && !used[o] {
				used[o] = true
				out = append(out, o)
			}
		}
	}
	return out
}
