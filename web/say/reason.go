package say

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/research"
)

// Reason is why the tier of a step was chosen.
func Reason(l *i18n.Localizer, s research.Step) string {
	d := s.Decision
	key := "reason." + d.ReasonCode
	if !known(l, d.Reason, key) {
		return d.Reason
	}
	eligible := 0
	for _, c := range d.Candidates {
		if c.Eligible {
			eligible++
		}
	}
	a, _ := candidate(d, d.Chosen)
	b, _ := candidate(d, d.Rival)
	parts := []string{l.T(key, "Model", named(l, d, d.Chosen), "Rival", named(l, d, d.Rival), "Policy", l.Or("policy."+string(d.Policy), string(d.Policy)),
		"Role", l.Or("role."+string(s.Role), string(s.Role)), "Count", l.Int(eligible),
		"Gain", l.Signed(gain(a), 3), "Cost", Joules(l, cost(a).Joules), "RivalGain", l.Signed(gain(b), 3), "RivalCost", Joules(l, cost(b).Joules))}
	parts = append(parts, arguments(l, d)...)
	switch d.ReasonCode {
	case "only_fits", "nothing_fits", "tier_unavailable", "nearest_tier":
		parts = append(parts, obstacles(l, d)...)
	}
	return opened(d, strings.Join(parts, " "))
}

// opened is a sentence with a capital, unless it opens with a model's name.
func opened(d research.Decision, s string) string {
	for _, c := range d.Candidates {
		if strings.HasPrefix(s, c.Model) {
			return s
		}
	}
	return upperFirst(s)
}

// named is a candidate as a sentence names it: its tier, or its model where the
// tier has several.
func named(l *i18n.Localizer, d research.Decision, model string) string {
	c, ok := candidate(d, model)
	if !ok {
		return model
	}
	for _, o := range d.Candidates {
		if o.Tier == c.Tier && o.Model != model {
			return model
		}
	}
	return l.T("reason.tier", "Tier", l.Or("tier."+string(c.Tier), string(c.Tier)))
}

// obstacles are the sentences that say why candidates could not take the step,
// one for those that have the same reason.
func obstacles(l *i18n.Localizer, d research.Decision) []string {
	var whys []string
	models := map[string][]string{}
	for _, c := range d.Candidates {
		if c.Eligible {
			continue
		}
		why := WhyNot(l, c)
		if models[why] == nil {
			whys = append(whys, why)
		}
		models[why] = append(models[why], named(l, d, c.Model))
	}
	out := make([]string, len(whys))
	for i, why := range whys {
		out[i] = opened(d, l.T("reason.cannot", "Models", strings.Join(models[why], ", "), "Why", why))
	}
	return out
}

// WhyNot is why a candidate could not take the step, as a clause.
func WhyNot(l *i18n.Localizer, c research.Candidate) string {
	key := "whynot." + c.WhyCode
	if c.WhyCode == "" || !l.Has(key) {
		return c.WhyNot
	}
	return l.T(key, "Model", c.Model, "Joules", Joules(l, c.Worst.Joules), "Dollars", Dollars(l, c.Worst.Dollars), "Seconds", l.Seconds(c.Worst.Seconds))
}

// arguments are the sentences for and against the choice, from the terms that
// decided it.
func arguments(l *i18n.Localizer, d research.Decision) []string {
	a, okA := candidate(d, d.Chosen)
	b, okB := candidate(d, d.Rival)
	if !okA || !okB {
		return nil
	}
	var out []string
	for _, term := range d.Decided {
		x, y, by := figures(l, term, a, b)
		key := "reason.for." + term
		if by < 0 {
			key = "reason.against." + term
		}
		if term == "queue" && d.Queue <= 0 { // energy has its price although no earlier run owes any
			key += "_empty"
		}
		if l.Has(key) {
			out = append(out, l.T(key, "A", x, "B", y))
		}
	}
	return out
}

func candidate(d research.Decision, model string) (research.Candidate, bool) {
	i := slices.IndexFunc(d.Candidates, func(c research.Candidate) bool { return c.Model == model })
	if i < 0 {
		return research.Candidate{}, false
	}
	return d.Candidates[i], true
}

// gain is what the policy expected of a candidate.
func gain(c research.Candidate) float64 {
	if c.Believed != nil {
		return c.Believed.Gain
	}
	return c.Predicted.Gain
}

// cost is what the policy expected it to take.
func cost(c research.Candidate) research.Cost {
	if c.Believed != nil {
		return c.Believed.Cost
	}
	return c.Expected
}

// figures are the figures behind a term of both candidates, in one unit, and by
// how much the term speaks for the first.
func figures(l *i18n.Localizer, term string, a, b research.Candidate) (x, y string, by float64) {
	p, q := cost(a), cost(b)
	switch term {
	case "value":
		for decimals := 3; x == y && decimals <= 5; decimals++ { // as many as tell them apart
			x, y = l.Signed(gain(a), decimals), l.Signed(gain(b), decimals)
		}
		return x, y, a.Terms.Value - b.Terms.Value
	case "queue":
		return joulesPair(l, p.Joules, q.Joules, a.Terms.Queue-b.Terms.Queue)
	case "energy":
		return joulesPair(l, p.Joules, q.Joules, a.Terms.Energy-b.Terms.Energy)
	case "switching":
		return joulesPair(l, a.Switching, b.Switching, float64(research.OrZero(b.Switching)-research.OrZero(a.Switching)))
	case "time":
		x, y = l.SecondsPair(p.Seconds, q.Seconds)
		return x, y, a.Terms.Time - b.Terms.Time
	default:
		return Dollars(l, p.Dollars), Dollars(l, q.Dollars), a.Terms.Dollars - b.Terms.Dollars
	}
}

func joulesPair(l *i18n.Localizer, a, b *research.Micro, by float64) (x, y string, _ float64) {
	if a == nil || b == nil {
		return Joules(l, a), Joules(l, b), by
	}
	x, y = l.JoulesPair(a.Units(), b.Units())
	return x, y, by
}

// Joules writes an optional energy; unknown is never 0.
func Joules(l *i18n.Localizer, m *research.Micro) string {
	if m == nil {
		return l.T("unknown")
	}
	return l.Joules(m.Units())
}

// Dollars writes an optional price.
func Dollars(l *i18n.Localizer, m *research.Micro) string {
	if m == nil {
		return l.T("unknown")
	}
	return l.Dollars(m.Units())
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
