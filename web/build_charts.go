package web

import (
	"strconv"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web/chart"
)

// runCharts draws what a run spent and how far it came, step by step.
func (p Page) runCharts(l *research.Ledger) []ChartView {
	var done []research.Step
	for _, s := range l.Steps {
		if s.Outcome != research.InFlight {
			done = append(done, s)
		}
	}
	if len(done) == 0 {
		return nil
	}
	return []ChartView{p.energyChart(done, l.Run.Budget.Joules), p.gChart(done), p.shareChart("share-"+word(l.Run.ID), done)}
}

// energyChart is the cumulative energy over steps against the budget.
func (p Page) energyChart(steps []research.Step, budget *research.Micro) ChartView {
	v := ChartView{
		ID: "chart-energy", Title: p.T("chart.energy"), Caption: p.T("chart.energy_caption"),
		Head: []string{p.T("chart.step"), p.T("timeline.tier"), p.T("unit.joules"), p.T("chart.cumulative")},
	}
	line := chart.Series{Class: "spent", Step: true, Area: true, Points: []chart.Point{{}}}
	var sum research.Micro
	for i, s := range steps {
		sum += research.OrZero(s.Energy.Joules)
		n := strconv.Itoa(i + 1)
		tip := p.T("chart.energy_tip", "N", n, "Role", p.role(s.Role), "Tier", p.tier(s.Tier).Label, "Joules", p.joules(s.Energy.Joules), "Sum", p.L.Joules(sum.Units()))
		line.Points = append(line.Points, chart.Point{X: float64(i + 1), Y: sum.Units(), Tip: tip, Mark: "tier-" + p.tier(s.Tier).Class, Form: tierForm(s.Tier)})
		v.Rows = append(v.Rows, []string{n, p.tier(s.Tier).Label, p.joules(s.Energy.Joules), p.L.Joules(sum.Units())})
	}
	c := chart.Lines{
		ID: v.ID, Title: v.Title, Height: 200, Series: []chart.Series{line}, FormatY: p.L.Joules,
		Desc: p.T("chart.energy_desc", "Steps", p.L.Int(len(steps)), "Sum", p.L.Joules(sum.Units())), XTicks: p.stepTicks(len(steps)),
	}
	// A budget far above what was spent would press the line flat; then it is
	// named in the caption instead of drawn.
	if budget != nil && budget.Units() <= 6*sum.Units() {
		c.Limit = &chart.Limit{Value: budget.Units(), Label: p.T("chart.budget", "Amount", p.L.Joules(budget.Units()))}
	} else if budget != nil {
		v.Caption = p.T("chart.energy_far", "Amount", p.L.Joules(budget.Units()), "Share", p.used(sum.Units()/budget.Units()))
	}
	v.Drawings = []chart.Drawing{c.Draw()}
	v.Legend = p.tierLegend()
	return v
}

// tierForm is the shape that marks a tier in charts, as in every legend.
func tierForm(t research.Tier) chart.Form {
	switch t {
	case research.Medium:
		return chart.Diamond
	case research.Large:
		return chart.Square
	}
	return chart.Circle
}

func (p Page) stepTicks(n int) []chart.Tick {
	every := max(1, (n+5)/6)
	out := []chart.Tick{}
	for i := every; i <= n; i += every {
		out = append(out, chart.Tick{Value: float64(i), Label: p.L.Int(i)})
	}
	return out
}

func (p Page) tierLegend() []LegendItem {
	var out []LegendItem
	for _, t := range research.Tiers() {
		out = append(out, LegendItem{Class: p.tier(t).Class, Label: p.tier(t).Label})
	}
	return out
}

// gChart is the progress score over steps.
func (p Page) gChart(steps []research.Step) ChartView {
	v := ChartView{
		ID: "chart-g", Title: p.T("chart.g"), Caption: p.T("chart.g_caption"),
		Head: []string{p.T("chart.step"), p.T("timeline.role"), p.T("progress.g")},
	}
	line := chart.Series{Class: "progress", Points: []chart.Point{{X: 0, Y: steps[0].ProgressBefore}}}
	for i, s := range steps {
		n := strconv.Itoa(i + 1)
		tip := p.T("chart.g_tip", "N", n, "Role", p.role(s.Role), "G", p.L.Number(s.ProgressAfter, 2))
		line.Points = append(line.Points, chart.Point{X: float64(i + 1), Y: s.ProgressAfter, Tip: tip, Mark: "progress"})
		v.Rows = append(v.Rows, []string{n, p.role(s.Role), p.L.Number(s.ProgressAfter, 3)})
	}
	v.Drawings = []chart.Drawing{chart.Lines{
		ID: v.ID, Title: v.Title, Height: 160, Top: 1, Series: []chart.Series{line}, XTicks: p.stepTicks(len(steps)),
		Desc:    p.T("chart.g_desc", "G", p.L.Number(steps[len(steps)-1].ProgressAfter, 2)),
		FormatY: func(g float64) string { return p.L.Short(g) },
	}.Draw()}
	return v
}

// shareChart is the share of each tier in steps and in energy.
func (p Page) shareChart(id string, steps []research.Step) ChartView {
	count, joules := map[research.Tier]float64{}, map[research.Tier]float64{}
	for _, s := range steps {
		count[s.Tier]++
		joules[s.Tier] += research.OrZero(s.Energy.Joules).Units()
	}
	v := ChartView{
		ID: id, Title: p.T("chart.share"), Caption: p.T("chart.share_caption"),
		Head: []string{p.T("timeline.tier"), p.T("chart.of_steps"), p.T("chart.of_energy")},
	}
	var stepParts, jouleParts []chart.Part
	sumJ := joules[research.Small] + joules[research.Medium] + joules[research.Large]
	for _, t := range research.Tiers() {
		m := p.tier(t)
		ofSteps, ofJoules := count[t]/float64(len(steps)), 0.0
		if sumJ > 0 {
			ofJoules = joules[t] / sumJ
		}
		stepParts = append(stepParts, chart.Part{Class: "tier-" + m.Class, Value: count[t], Tip: m.Label + ": " + p.L.Share(ofSteps)})
		jouleParts = append(jouleParts, chart.Part{Class: "tier-" + m.Class, Value: joules[t], Tip: m.Label + ": " + p.L.Share(ofJoules)})
		v.Rows = append(v.Rows, []string{m.Label, p.L.Share(ofSteps), p.L.Share(ofJoules)})
		v.Legend = append(v.Legend, LegendItem{m.Class, m.Label, p.L.Share(ofSteps) + " · " + p.L.Share(ofJoules)})
	}
	v.Drawings = []chart.Drawing{
		chart.Share(id+"-steps", p.T("chart.of_steps"), p.T("chart.share_desc"), 14, stepParts),
		chart.Share(id+"-joules", p.T("chart.of_energy"), p.T("chart.share_desc"), 14, jouleParts),
	}
	return v
}
