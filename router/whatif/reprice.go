package whatif

import (
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
)

// Repriced is what a stored run would have cost with its steps on other tiers. It
// is an estimate, and leaves out what deciding took: a fixed assignment decides
// nothing.
type Repriced struct {
	Steps   int `json:"steps"`
	Kept    int `json:"kept"`    // taken by the tier that they would have had: at their real cost
	Priced  int `json:"priced"`  // at what the tier was expected to cost then
	Unknown int `json:"unknown"` // cut off, no model of the tier could take them, or their energy is unknown

	Joules research.Micro `json:"joules"` // of the steps that are not unknown
	Low    research.Micro `json:"low"`
	High   research.Micro `json:"high"`

	Dollars        research.Micro `json:"dollars"`
	UnknownDollars int            `json:"unknown_dollars"` // steps, beside the sum
	Seconds        float64        `json:"seconds"`         // of the steps, added up

	// RealisedOverExpected is what the run's own steps took over what they were
	// expected to take; nil where that is unknown. Far from 1, the prices of the
	// others are as far off.
	RealisedOverExpected *float64      `json:"realised_over_expected"`
	Note                 research.Note `json:"note"`
}

// Assignment gives the tier that a step would have had.
type Assignment func(research.Step) research.Tier

// Everywhere is the same tier for every step.
func Everywhere(t research.Tier) Assignment { return func(research.Step) research.Tier { return t } }

// ByRole is a tier for each role; steps of other roles keep theirs.
func ByRole(tiers map[research.Role]research.Tier) Assignment {
	return func(s research.Step) research.Tier {
		if t, ok := tiers[s.Role]; ok {
			return t
		}
		return s.Tier
	}
}

// Reprice adds up a run under another assignment of tiers. Steps that really had
// the tier cost what they cost; the others what the tier was expected to cost when
// they were decided. It takes the same steps in the same order, which another
// tier might not have needed.
func Reprice(steps []research.Step, assign Assignment) Repriced {
	out := Repriced{Note: note(NoteRepriced, nil,
		"An estimate: the same steps in the same order, at what the other tier was expected to cost before each. Another tier might have needed more or fewer steps and might have written another report.")}
	var real, expected research.Micro
	for _, s := range steps {
		if s.Outcome == research.InFlight {
			continue
		}
		out.Steps++
		if c, ok := taken(s); ok && c.Expected.Joules != nil && s.Energy.Joules != nil {
			real, expected = real+working(s), expected+*c.Expected.Joules
		}
		out.add(priced(s, assign(s)))
	}
	if expected > 0 {
		r := real.Units() / expected.Units()
		out.RealisedOverExpected = &r
	}
	return out
}

// price is what a step costs under an assignment.
type price struct {
	kept              bool
	joules, low, high research.Micro
	known             bool // the joules are
	dollars           *research.Micro
	seconds           float64
	model             string
}

func (r *Repriced) add(p price) {
	if !p.known {
		r.Unknown++
		return
	}
	if p.kept {
		r.Kept++
	} else {
		r.Priced++
	}
	r.Joules, r.Low, r.High = r.Joules+p.joules, r.Low+p.low, r.High+p.high
	r.Seconds += p.seconds
	if p.dollars == nil {
		r.UnknownDollars++
		return
	}
	r.Dollars += *p.dollars
}

// priced is a step on a tier.
func priced(s research.Step, tier research.Tier) price {
	if s.Outcome == research.OutcomeInterrupted || s.Outcome == research.OutcomeCancelled {
		return price{} // it is charged what was reserved, and nobody knows what it would have taken
	}
	low, high := span(s.Energy)
	if s.Tier == tier {
		if s.Energy.Joules == nil {
			return price{}
		}
		j := working(s)
		return price{
			kept: true, known: true, joules: j, low: scaled(j, low), high: scaled(j, high),
			dollars: s.Dollars, seconds: s.Seconds, model: s.Model,
		}
	}
	c, ok := stand(s.Decision.Candidates, tier)
	if !ok || c.Expected.Joules == nil {
		return price{}
	}
	j := *c.Expected.Joules
	return price{
		known: true, joules: j, low: scaled(j, low), high: scaled(j, high),
		dollars: c.Expected.Dollars, seconds: c.Expected.Seconds, model: c.Model,
	}
}

// working is a step's energy without what deciding took.
func working(s research.Step) research.Micro {
	return max(0, research.OrZero(s.Energy.Joules)-research.OrZero(s.RouterJoules))
}

// span is a step's range as factors of its energy, 1 where it is measured.
func span(e research.Energy) (low, high float64) {
	low, high = 1, 1
	if e.Joules == nil || *e.Joules <= 0 {
		return low, high
	}
	if e.Low != nil {
		low = e.Low.Units() / e.Joules.Units()
	}
	if e.High != nil {
		high = e.High.Units() / e.Joules.Units()
	}
	return min(low, 1), max(high, 1)
}

func scaled(m research.Micro, f float64) research.Micro { return research.ToMicro(m.Units() * f) }

// taken is the candidate that took the step.
func taken(s research.Step) (research.Candidate, bool) {
	for _, c := range s.Decision.Candidates {
		if c.Model == s.Decision.Chosen {
			return c, true
		}
	}
	return research.Candidate{}, false
}

// stand is who of a tier would have taken the step: the best-scored of those that
// could, else one that only the budget or its place on standby kept from it.
func stand(cs []research.Candidate, tier research.Tier) (research.Candidate, bool) {
	best, rank := -1, 0
	for i, c := range cs {
		r := standing(c)
		if c.Tier != tier || r == 0 {
			continue
		}
		if best < 0 || r > rank || r == rank && c.Score > cs[best].Score {
			best, rank = i, r
		}
	}
	if best < 0 {
		return research.Candidate{}, false
	}
	return cs[best], true
}

// standing ranks candidates: 0 cannot do the work at all.
func standing(c research.Candidate) int {
	switch {
	case c.Eligible:
		return 3
	case c.WhyCode == router.WhyStandby:
		return 1
	}
	switch c.WhyCode {
	case router.WhyJoules, router.WhyDollars, router.WhySeconds, router.WhyUnknownJoules, router.WhyUnknownDollars:
		return 2
	}
	return 0
}
