package embedded

import (
	"slices"

	"github.com/progrouter/progrouter/research"
)

const (
	// asideShare is the share of its section's best score below which a claim is
	// set aside among further findings.
	asideShare = 0.6
	// farBelow is the share of the best answer's score below which a sentence does
	// not take its place, even if it alone stands by itself.
	farBelow = 0.7
	// leastCore is how many claims a section keeps before any is set aside.
	leastCore = 3
	// coreWords is how many words a section has at most; what is left over goes
	// to the further findings.
	coreWords = 290
)

// arrange orders a section so that it reads on: the best answer first, then what
// else its source says in the order of its text, then the next source. Sentences
// that lean on one the section does not hold come last. What a guide wrote keeps
// its order, but for sentences that stand close by in one source.
func arrange(in []*draft, guided bool) []*draft {
	var out, loose []*draft
	used := map[*draft]bool{}
	for _, d := range in {
		if used[d] {
			continue
		}
		used[d] = true
		group := []*draft{d}
		for _, o := range in {
			if !used[o] && o.first.SourceID == d.first.SourceID && (!guided || near(d, o)) {
				used[o] = true
				group = append(group, o)
			}
		}
		slices.SortStableFunc(group[1:], func(a, b *draft) int { return a.first.Start - b.first.Start })
		out = append(out, group...)
	}
	if guided {
		return out
	}
	best := bestAlone(out)
	out, loose = split(out, func(d *draft) bool { return d.leans && !follows(d, out) && farBelow*d.first.Score <= best })
	return append(out, loose...)
}

// bestAlone is the best score of the claims that stand alone, 0 for none.
func bestAlone(in []*draft) float64 {
	best := 0.0
	for _, d := range in {
		if d.opens() {
			best = max(best, d.first.Score)
		}
	}
	return best
}

// split parts a list by a property, in order.
func split(in []*draft, is func(*draft) bool) (without, with []*draft) {
	for _, d := range in {
		if is(d) {
			with = append(with, d)
		} else {
			without = append(without, d)
		}
	}
	return without, with
}

// follows says whether the sentence right before d in its source is there too.
func follows(d *draft, in []*draft) bool {
	return slices.ContainsFunc(in, func(o *draft) bool {
		gap := d.first.Start - o.first.End
		return o.first.SourceID == d.first.SourceID && gap >= 0 && gap < 40
	})
}

// near says whether b follows a closely in the same source.
func near(a, b *draft) bool {
	gap := b.first.Start - a.first.End
	return a.first.SourceID == b.first.SourceID && gap >= 0 && gap < 400
}

// setAside takes out of the sections what answers far less than their best
// claims do, and what does not fit their words: it stays in the report and is
// read after them.
func setAside(r *research.Report, drafts map[string]*draft) {
	for i := range r.Sections {
		sec := &r.Sections[i]
		least, words := 0.0, 0
		for _, id := range sec.ClaimIDs {
			least = max(least, asideShare*drafts[id].first.Score)
		}
		core := map[string]bool{}
		for _, id := range byRank(sec.ClaimIDs, drafts) {
			d := drafts[id]
			c, _ := r.Claim(id)
			if len(c.Contradicts) > 0 || d.first.Score >= least && words+d.words <= coreWords {
				core[id] = true
				words += d.words
			}
		}
		if len(core) >= min(leastCore, len(sec.ClaimIDs)) {
			readLast(r, sec, func(id string) bool { return !core[id] })
		}
	}
}

// readLast moves claims of a section behind its others: to the further findings
// when it is the only one, else to its own end, where they come before what
// other parts say.
func readLast(r *research.Report, sec *research.Section, is func(id string) bool) {
	var first, last []string
	for _, id := range sec.ClaimIDs {
		if is(id) {
			last = append(last, id)
		} else {
			first = append(first, id)
		}
	}
	switch {
	case len(first) == 0:
	case len(r.Sections) == 1:
		sec.ClaimIDs = first
	default:
		sec.ClaimIDs = append(first, last...)
	}
}

// opens says whether a claim can stand on top of a report.
func (d *draft) opens() bool { return !d.leans && standsFirst(d.claim.Text) && hasVerb(d.claim.Text) }
