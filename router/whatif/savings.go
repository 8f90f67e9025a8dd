package whatif

import (
	"math"
	"strconv"
	"strings"

	"github.com/progrouter/progrouter/research"
)

// Savings compares what runs took with what one tier alone is estimated to have
// taken for the same steps. Only steps of which both are known count.
type Savings struct {
	Against research.Tier `json:"against"`
	Runs    int           `json:"runs"`
	Steps   int           `json:"steps"`
	Unknown int           `json:"unknown_steps"`

	Spent       research.Micro `json:"spent"`       // the router's part included
	Router      research.Micro `json:"router"`      // that part: decisions, and what learning took
	Alternative research.Micro `json:"alternative"` // estimated, without any routing
	Saved       research.Micro `json:"saved"`       // negative where routing lost
	Low         research.Micro `json:"low"`         // the range of Saved where energy is modelled
	High        research.Micro `json:"high"`
	Share       *float64       `json:"share"` // of the alternative; nil where that is 0

	Lost bool          `json:"lost"` // routing took more
	Note research.Note `json:"note"` // all of it in words
}

// Statement is the savings against both ends.
type Statement struct {
	Large Savings `json:"large"`
	Small Savings `json:"small"`
}

// State sums runs, each given as its steps. learning is what training took over
// these runs; it is the router's energy and counts as spent.
func State(learning research.Micro, runs ...[]research.Step) Statement {
	return Statement{Large: Against(research.Large, learning, runs...), Small: Against(research.Small, learning, runs...)}
}

// Against compares runs with one tier alone. A step that the tier took anyway
// differs by what deciding took and by nothing else, however uncertain its energy
// is. Where the step's energy rests on the same assumption on both sides, the
// range moves both together; else it takes the ends that are farthest apart.
func Against(tier research.Tier, learning research.Micro, runs ...[]research.Step) Savings {
	out := Savings{Against: tier, Spent: max(0, learning), Router: max(0, learning)}
	low, high := -out.Spent, -out.Spent
	for _, steps := range runs {
		out.Runs++
		for _, s := range steps {
			if s.Outcome == research.InFlight {
				continue
			}
			p := priced(s, tier)
			if !p.known || s.Energy.Joules == nil {
				out.Unknown++
				continue
			}
			out.Steps++
			out.Spent += *s.Energy.Joules
			out.Router += min(research.OrZero(s.RouterJoules), *s.Energy.Joules)
			out.Alternative += p.joules
			l, h := difference(s, p)
			low, high = low+l, high+h
		}
	}
	out.Saved = out.Alternative - out.Spent
	out.Low, out.High = min(low, out.Saved), max(high, out.Saved)
	out.Lost = out.Saved < 0
	if out.Alternative > 0 {
		share := out.Saved.Units() / out.Alternative.Units()
		out.Share = &share
	}
	out.Note = out.words()
	return out
}

// difference is the range of what a step would have taken more.
func difference(s research.Step, p price) (low, high research.Micro) {
	fl, fh := span(s.Energy)
	spent := *s.Energy.Joules
	if p.kept || together(s, p) {
		d := p.joules - spent
		a, b := scaled(d, fl), scaled(d, fh)
		return min(a, b), max(a, b)
	}
	return p.low - scaled(spent, fh), p.high - scaled(spent, fl)
}

// together says whether one assumption, the watts of a busy core, is behind the
// energy of both: then both are high or both are low.
func together(s research.Step, p price) bool {
	const embedded = "embedded/"
	return s.Energy.Method == research.MethodCPU && strings.HasPrefix(s.Model, embedded) && strings.HasPrefix(p.model, embedded)
}

// words says what was saved, or that nothing was.
func (s Savings) words() research.Note {
	args := map[string]any{
		"Tier": string(s.Against), "Joules": math.Abs(s.Saved.Units()), "Spent": s.Spent.Units(), "Alternative": s.Alternative.Units(),
		"Router": s.Router.Units(), "Low": s.Low.Units(), "High": s.High.Units(), "Steps": s.Steps, "Unknown": s.Unknown,
	}
	saved, spent, other := amount(s.Saved), amount(s.Spent), amount(s.Alternative)
	between, routing := amount(s.Low)+" to "+amount(s.High), amount(s.Router)
	switch {
	case s.Steps == 0:
		return note(NoteNothing, args, "Nothing can be said about the %s tier alone: there is no step of which both costs are known.", s.Against)
	case s.Saved == 0:
		return note(NoteEven, args, "Routing took as much as the %s tier alone is estimated to have taken, %s J, of which %s J went into routing itself.",
			s.Against, spent, routing)
	case s.Low < 0 && s.High > 0:
		return note(NoteOpen, args, "It is open whether routing saved energy against the %s tier alone: it took %s J instead of an estimated %s J (a difference of %s J), of which %s J went into routing itself.",
			s.Against, spent, other, between, routing)
	case s.Lost:
		return note(NoteLost, args, "Routing saved nothing against the %s tier alone: it took %s J instead of an estimated %s J, %s J more, of which %s J went into routing itself. How good the reports are is not compared.",
			s.Against, spent, other, amount(-s.Saved), routing)
	}
	return note(NoteSaved, args, "Routing is estimated to have saved %s J (%s J) against the %s tier alone: it took %s J instead of %s J, of which %s J went into routing itself. How good the reports are is not compared.",
		saved, between, s.Against, spent, other, routing)
}

// amount writes joules with three significant digits and no exponent.
func amount(m research.Micro) string {
	x := m.Units()
	if x == 0 {
		return "0"
	}
	decimals := min(6, max(0, 2-int(math.Floor(math.Log10(math.Abs(x))))))
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if decimals > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
