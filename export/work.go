package export

import (
	"html/template"
	"strconv"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web/chart"
	"github.com/progrouter/progrouter/web/say"
)

// workRow is a step as the HTML report shows it.
type workRow struct {
	Number, Role, Tier, TierClass, Outcome string
	Joules, Seconds, Reason                string
}

func workRows(l *research.Ledger, w words) []workRow {
	var out []workRow
	for _, s := range l.Steps {
		r := workRow{
			Number: w.Int(s.Index + 1), Role: w.Or("export.role."+string(s.Role), string(s.Role)),
			Tier: w.tier(s.Tier), TierClass: tierClass(s.Tier), Reason: oneLine(say.Reason(w.Localizer, s)),
		}
		if s.Outcome != research.OutcomeOK {
			r.Outcome = w.outcome(s.Outcome)
		}
		if s.Outcome != research.InFlight {
			r.Joules, r.Seconds = w.amount(s.Energy.Joules), w.Short(s.Seconds)
		}
		out = append(out, r)
	}
	return out
}

// joules is an energy with its unit, or a word when it is unknown.
func (w words) joules(m *research.Micro) string {
	if m == nil {
		return w.Say("unknown")
	}
	return w.Joules(m.Units())
}

func (w words) tier(t research.Tier) string { return w.Or("export.tier."+string(t), string(t)) }

func (w words) outcome(o research.Outcome) string {
	if o == research.InFlight {
		return w.Say("outcome.in_flight")
	}
	return w.Or("export.outcome."+string(o), string(o))
}

// tierClass keeps class names to the ones the style sheet knows.
func tierClass(t research.Tier) string {
	switch t {
	case research.Small, research.Medium, research.Large:
		return "tier-" + string(t)
	}
	return "tier-none"
}

// Tiers names the tiers for the chart's legend.
func (p page) Tiers() []workRow {
	var out []workRow
	for _, t := range research.Tiers() {
		out = append(out, workRow{Tier: p.Words.tier(t), TierClass: tierClass(t)})
	}
	return out
}

// energyChart draws the energy spent step by step, and the budget when it is near
// enough not to press the line flat. It is empty when nothing was spent.
func energyChart(l *research.Ledger, w words) template.HTML {
	line := chart.Series{Class: "spent", Step: true, Area: true, Points: []chart.Point{{}}}
	var sum research.Micro
	for _, s := range l.Steps {
		if s.Outcome == research.InFlight {
			continue
		}
		sum += research.OrZero(s.Energy.Joules)
		n := len(line.Points)
		line.Points = append(line.Points, chart.Point{
			X: float64(n), Y: sum.Units(), Mark: tierClass(s.Tier),
			Tip: strconv.Itoa(n) + " · " + w.tier(s.Tier) + " · " + w.joules(s.Energy.Joules),
		})
	}
	if sum == 0 {
		return ""
	}
	steps := len(line.Points) - 1
	c := chart.Lines{
		ID: "energy", Title: w.Say("energy_chart"), Height: 200, FormatY: w.Joules, Series: []chart.Series{line},
		Desc: w.Count("energy_desc", steps, "Sum", w.Joules(sum.Units())),
	}
	for i := 1; i <= steps; i += max(1, (steps+5)/6) {
		c.XTicks = append(c.XTicks, chart.Tick{Value: float64(i), Label: strconv.Itoa(i)})
	}
	if b := l.Run.Budget.Joules; b != nil && *b <= 6*sum {
		c.Limit = &chart.Limit{Value: b.Units(), Label: w.Say("budget", "Amount", w.Joules(b.Units()))}
	}
	return template.HTML(c.Draw()) //nolint:gosec // package chart escapes every label
}
