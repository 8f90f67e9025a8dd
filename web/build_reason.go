package web

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/progrouter/progrouter/research"
)

// storedLang is the language in which reasons are stored as sentences. Readers
// of other languages get them made anew from codes and fields.
const storedLang = "en"

// reason is why the tier was chosen.
func (p Page) reason(s research.Step) string {
	d := s.Decision
	key := "reason." + d.ReasonCode
	if d.Reason != "" && (p.L.Lang() == storedLang || !p.L.Has(key)) {
		return d.Reason
	}
	if !p.L.Has(key) {
		return ""
	}
	eligible := 0
	for _, c := range d.Candidates {
		if c.Eligible {
			eligible++
		}
	}
	text := p.T(key, "Model", p.named(d, d.Chosen), "Rival", p.named(d, d.Rival), "Policy", p.policy(d.Policy),
		"Role", p.role(s.Role), "Count", p.L.Int(eligible))
	return upperFirst(strings.Join(append([]string{text}, p.arguments(d)...), " "))
}

// named is a candidate as a sentence names it: its tier, or its model where the
// tier has several.
func (p Page) named(d research.Decision, model string) string {
	var tier research.Tier
	for _, c := range d.Candidates {
		if c.Model == model {
			tier = c.Tier
		}
	}
	for _, c := range d.Candidates {
		if c.Tier == tier && c.Model != model {
			return model
		}
	}
	if tier == "" {
		return model
	}
	return p.T("reason.tier", "Tier", p.tier(tier).Label)
}

// arguments are the sentences for and against the choice, from the terms that
// decided it.
func (p Page) arguments(d research.Decision) []string {
	a, okA := candidateOf(d, d.Chosen)
	b, okB := candidateOf(d, d.Rival)
	if !okA || !okB {
		return nil
	}
	var out []string
	for _, term := range d.Decided {
		x, y, by := p.termFigures(term, a, b)
		key := "reason.for." + term
		if by < 0 {
			key = "reason.against." + term
		}
		if p.L.Has(key) {
			out = append(out, p.T(key, "A", x, "B", y))
		}
	}
	return out
}

func candidateOf(d research.Decision, model string) (research.Candidate, bool) {
	i := slices.IndexFunc(d.Candidates, func(c research.Candidate) bool { return c.Model == model })
	if i < 0 {
		return research.Candidate{}, false
	}
	return d.Candidates[i], true
}

// termFigures are the figures behind a term of both candidates, and by how much
// the term speaks for the first.
func (p Page) termFigures(term string, a, b research.Candidate) (x, y string, by float64) {
	switch term {
	case "value":
		return p.L.Signed(a.Predicted.Gain, 3), p.L.Signed(b.Predicted.Gain, 3), a.Terms.Value - b.Terms.Value
	case "queue":
		return "", "", a.Terms.Queue - b.Terms.Queue
	case "energy":
		return p.joules(a.Expected.Joules), p.joules(b.Expected.Joules), a.Terms.Energy - b.Terms.Energy
	case "time":
		return p.L.Seconds(a.Expected.Seconds), p.L.Seconds(b.Expected.Seconds), a.Terms.Time - b.Terms.Time
	default:
		return p.dollars(a.Expected.Dollars), p.dollars(b.Expected.Dollars), a.Terms.Dollars - b.Terms.Dollars
	}
}

// stopReason is why the run ended.
func (p Page) stopReason(l *research.Ledger) string {
	r := l.Run
	key := "stop." + r.StopCode
	if r.StopReason != "" && (p.L.Lang() == storedLang || !p.L.Has(key)) {
		return r.StopReason
	}
	if !p.L.Has(key) {
		return ""
	}
	text := p.T(key, "Searches", p.L.Int(len(l.Queries)), "Sources", p.L.Int(len(l.Sources)))
	if gaps := gaps(l); len(gaps) > 0 && r.Status != research.NoEvidence && r.Status != research.Failed {
		text += " " + p.T("stop.gaps", "Gaps", strings.Join(gaps, " · "))
	}
	return text
}

// gaps are the sub-questions without a supported claim.
func gaps(l *research.Ledger) []string {
	supported := map[string]bool{}
	for _, c := range l.Report.Claims {
		if c.Verdict == research.Supported {
			supported[c.Subquestion] = true
		}
	}
	var out []string
	for _, q := range l.Plan.Subquestions {
		if !supported[q.ID] {
			out = append(out, q.Text)
		}
	}
	return out
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
