package embedded

import (
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// sameSubject is the share of common words, numbers and negations left out,
// from which two claims of different sources speak of the same thing.
const sameSubject = 0.6

// markContradictions finds claims of different sources that speak of the same
// thing and differ in a number, a date or a negation, names each in the other
// and puts them side by side.
func markContradictions(r *research.Report, drafts map[string]*draft) {
	for i := range r.Claims {
		for j := i + 1; j < len(r.Claims); j++ {
			a, b := drafts[r.Claims[i].ID], drafts[r.Claims[j].ID]
			if a == nil || b == nil || !contradict(a, b) {
				continue
			}
			r.Claims[i].Contradicts = append(r.Claims[i].Contradicts, r.Claims[j].ID)
			r.Claims[j].Contradicts = append(r.Claims[j].Contradicts, r.Claims[i].ID)
		}
	}
	for s := range r.Sections {
		r.Sections[s].ClaimIDs = sideBySide(r, r.Sections[s].ClaimIDs)
	}
}

// contradict compares two claims of different sources.
func contradict(a, b *draft) bool {
	if a.first.SourceID == b.first.SourceID || overlap(a.names, b.names) != min(len(a.names), len(b.names)) {
		return false
	}
	na, nb := negated(a.claim.Text), negated(b.claim.Text)
	bare := jaccard(bareSet(a), bareSet(b))
	if bare < sameSubject {
		return false
	}
	if na != nb {
		return bare >= 0.75
	}
	return len(a.nums) == len(b.nums) && len(a.nums) > 0 && overlap(a.nums, b.nums) == len(a.nums)-1
}

// bareSet are a claim's words without numbers and negations.
func bareSet(d *draft) termSet {
	out := termSet{}
	for t := range d.set {
		if !d.nums.has(t) && t != "never" && t != "without" {
			out[t] = struct{}{}
		}
	}
	return out
}

func negated(s string) bool {
	for _, w := range text.Tokens(s) {
		if w == "not" || w == "never" || w == "no" || w == "cannot" || w == "without" || w == "neither" {
			return true
		}
	}
	return strings.Contains(s, "n't ") || strings.Contains(s, "n’t ") || strings.Contains(s, "않") || strings.Contains(s, "ません") || strings.Contains(s, "不是")
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
