package main

import (
	"cmp"
	"slices"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// Sizes in billions of parameters up to which a model is proposed for a tier.
const (
	smallUpTo  = 4.0
	mediumUpTo = 14.0
)

// ProposeTiers assigns models to tiers by their size, keyed by id: up to 4
// billion parameters small, up to 14 medium, larger ones large. Where that
// leaves a tier empty that could be filled, the models are spread: in rising
// order of size, the smallest stays or becomes small, the largest large, and
// with three or more one between them medium. Models that only embed are left
// out, and so are those of unknown size unless no size is known at all: the
// first of them is then proposed as large, because a model is asked for what
// the embedded engine cannot do.
func ProposeTiers(found []chat.Found) map[string]research.Tier {
	out := map[string]research.Tier{}
	var sized []chat.Found
	first := ""
	for _, f := range found {
		switch {
		case !f.Chats:
		case f.Parameters > 0:
			sized = append(sized, f)
		case first == "":
			first = f.ID
		}
	}
	if len(sized) == 0 {
		if first != "" {
			out[first] = research.Large
		}
		return out
	}
	slices.SortStableFunc(sized, func(a, b chat.Found) int {
		return cmp.Or(cmp.Compare(a.Parameters, b.Parameters), cmp.Compare(a.ID, b.ID))
	})
	tiers := make([]research.Tier, len(sized))
	for i, f := range sized {
		tiers[i] = tierOf(f.Parameters)
	}
	spread(sized, tiers)
	for i, f := range sized {
		out[f.ID] = tiers[i]
	}
	return out
}

func tierOf(billions float64) research.Tier {
	switch {
	case billions <= smallUpTo:
		return research.Small
	case billions <= mediumUpTo:
		return research.Medium
	}
	return research.Large
}

// spread fills empty tiers from models of rising size, never placing a model
// below a smaller one. Models of one size stay together.
func spread(sized []chat.Found, tiers []research.Tier) {
	last := len(tiers) - 1
	if sized[0].Parameters == sized[last].Parameters {
		return // one model, or several alike: nothing tells them apart
	}
	set := func(from, to int, t research.Tier) {
		for i := from; i <= to; i++ {
			tiers[i] = t
		}
	}
	// The ends first: there is a smallest and a largest.
	if !slices.Contains(tiers, research.Small) {
		set(0, lastAlike(sized, 0), research.Small)
	}
	if !slices.Contains(tiers, research.Large) {
		set(firstAlike(sized, last), last, research.Large)
	}
	if slices.Contains(tiers, research.Medium) {
		return
	}
	// Medium is empty: the largest of the small ones rises, or the smallest of
	// the large ones comes down, whichever leaves its tier filled.
	end := lastOf(tiers, research.Small)
	if from := firstAlike(sized, end); from > 0 {
		set(from, end, research.Medium)
		return
	}
	start := end + 1
	if to := lastAlike(sized, start); to < last {
		set(start, to, research.Medium)
	}
}

func lastOf(tiers []research.Tier, t research.Tier) int {
	out := -1
	for i, x := range tiers {
		if x == t {
			out = i
		}
	}
	return out
}

// firstAlike and lastAlike are the ends of the group of models of one size.
func firstAlike(sized []chat.Found, i int) int {
	for i > 0 && sized[i-1].Parameters == sized[i].Parameters {
		i--
	}
	return i
}

func lastAlike(sized []chat.Found, i int) int {
	for i < len(sized)-1 && sized[i+1].Parameters == sized[i].Parameters {
		i++
	}
	return i
}
