package web

import (
	"math"
	"slices"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web/chart"
)

// quality is how well gains were predicted.
func (p Page) quality(q research.PredictionQuality) QualityView {
	mae, n, ok := q.Total.MAE(research.PathUsed)
	if !ok {
		return QualityView{Empty: true}
	}
	v := QualityView{Chart: p.fitChart(q.ByBin), Lead: []string{
		p.T("quality.lead", "Steps", p.whole64(n), "MAE", p.L.Number(mae, 3)), p.bias(q.Total.Bias()),
	}}
	if q.Total.PathsN == 0 {
		v.Lead = append(v.Lead, p.T("quality.no_paths"))
	} else {
		v.Lead = append(v.Lead, p.T("quality.paths", "Steps", p.whole64(q.Total.PathsN)))
		if q.Total.PathsN != q.Total.N {
			v.Lead = append(v.Lead, p.T("quality.paths_only"))
		}
	}
	v.Groups = []QualityGroup{{Rows: []QualityLine{p.qualityLine(p.T("quality.all"), q.Total)}}}
	roles := slices.Clone(q.ByRole)
	slices.SortStableFunc(roles, func(a, b research.QualityRow) int {
		return slices.Index(research.Roles(), a.Role) - slices.Index(research.Roles(), b.Role)
	})
	for _, g := range []QualityGroup{{p.T("quality.roles"), p.qualityLines(roles)}, {p.T("quality.models"), p.qualityLines(q.ByModel)}} {
		if len(g.Rows) > 0 {
			v.Groups = append(v.Groups, g)
		}
	}
	return v
}

func (p Page) bias(b float64) string {
	text := p.L.Number(math.Abs(b), 3)
	switch {
	case text == p.L.Number(0, 3):
		return p.T("quality.true")
	case b > 0:
		return p.T("quality.high", "Bias", text)
	}
	return p.T("quality.low", "Bias", text)
}

func (p Page) qualityLines(rows []research.QualityRow) []QualityLine {
	var out []QualityLine
	for _, r := range rows {
		label := r.Model
		if r.Role != "" {
			label = p.role(r.Role)
		}
		out = append(out, p.qualityLine(label, r.QualitySums))
	}
	return out
}

func (p Page) qualityLine(label string, q research.QualitySums) QualityLine {
	l := QualityLine{Label: label, Steps: p.whole64(q.N), Bias: p.L.Signed(q.Bias(), 3)}
	least := p.leastPaths(q)
	for _, path := range research.Paths() {
		cell := ErrorCell{Text: "–", Least: slices.Contains(least, path)}
		if mae, _, ok := q.MAE(path); ok {
			cell.Text = p.L.Number(mae, 3)
		}
		l.Errors = append(l.Errors, cell)
	}
	return l
}

// leastPaths are the learned ways with the least error as it is written, none where
// all are written alike. They are compared on the same steps.
func (p Page) leastPaths(q research.QualitySums) []string {
	best, compared := math.Inf(1), 0
	var names []string
	for _, path := range []string{research.PathGate, research.PathMean, research.PathStructured, research.PathSemantic} {
		mae, _, ok := q.MAE(path)
		if !ok {
			continue
		}
		compared++
		switch a, b := p.L.Number(mae, 3), p.L.Number(best, 3); {
		case a == b:
			names = append(names, path)
		case mae < best:
			best, names = mae, []string{path}
		}
	}
	if len(names) == compared {
		return nil
	}
	return names
}

// fitChart is the calibration: the mean real gain over the mean predicted one, by
// range of the prediction.
func (p Page) fitChart(rows []research.QualityRow) ChartView {
	v := ChartView{
		ID: "chart-fit", Title: p.T("quality.chart"), Caption: p.T("quality.chart_caption"),
		Head: []string{p.T("quality.group"), p.T("dashboard.steps"), p.T("quality.predicted"), p.T("quality.realised")},
	}
	c := chart.Fit{
		ID: v.ID, Title: v.Title, Height: 300, LabelX: p.T("quality.axis_x"), LabelY: p.T("quality.axis_y"),
		Format: func(g float64) string { return p.L.Short(g) },
	}
	for _, r := range rows {
		if r.N == 0 {
			continue
		}
		x, y := r.Predicted/float64(r.N), r.Realised/float64(r.N)
		c.Dots = append(c.Dots, chart.Dot{X: x, Y: y, Weight: float64(r.N), Tip: p.T("quality.chart_tip",
			"Predicted", p.L.Signed(x, 3), "Realised", p.L.Signed(y, 3), "Steps", p.whole64(r.N))})
		v.Rows = append(v.Rows, []string{p.binLabel(r.Bin), p.whole64(r.N), p.L.Signed(x, 3), p.L.Signed(y, 3)})
	}
	c.Desc = p.T("quality.chart_desc", "Points", p.L.Int(len(c.Dots)))
	v.Drawings = []chart.Drawing{c.Draw()}
	return v
}

func (p Page) binLabel(bin int) string {
	low, high := p.L.Number(float64(bin)*research.BinWidth, 2), p.L.Number(float64(bin+1)*research.BinWidth, 2)
	switch {
	case bin <= research.FirstBin:
		return p.T("quality.below")
	case bin >= research.LastBin:
		return p.T("quality.above", "Low", low)
	}
	return p.T("quality.between", "Low", low, "High", high)
}
