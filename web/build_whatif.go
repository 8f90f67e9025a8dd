package web

import (
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router/whatif"
	"github.com/progrouter/progrouter/web/reckon"
	"github.com/progrouter/progrouter/web/say"
)

// whatIf is what a run would have cost on other tiers, and what routing saved.
func (p Page) whatIf(l *research.Ledger) WhatIfView {
	r := reckon.OfRun(l)
	v := WhatIfView{Empty: r.Steps == 0, Title: p.T("whatif.title"), TakenBy: p.T("whatif.taken")}
	if v.Empty {
		return v
	}
	if !l.Run.Status.Final() {
		v.Savings = append(v.Savings, p.T("whatif.so_far"))
	}
	if s := r.Savings; s != nil {
		v.Short = say.Savings(p.L, s.Large)
		v.Savings = append(v.Savings, say.Savings(p.L, s.Large), say.Savings(p.L, s.Small))
	} else {
		v.Title, v.TakenBy = p.T("whatif.title_fixed"), p.T("whatif.taken_fixed")
		v.Savings = append(v.Savings, p.T("whatif.fixed"))
	}
	v.Taken = p.whatIfCell(r.AsTaken)
	v.Rows = append(v.Rows, p.whatIfLine(p.T("whatif.all"), r.All))
	for i := 0; i+len(research.Tiers()) <= len(r.ByRole); i += len(research.Tiers()) {
		row := r.ByRole[i : i+len(research.Tiers())]
		v.Rows = append(v.Rows, p.whatIfLine(p.T("whatif.role", "Role", p.role(row[0].Role)), row))
	}
	v.Notes = []string{p.T("whatif.note")}
	if x := r.AsTaken.RealisedOverExpected; x != nil {
		v.Notes = append(v.Notes, p.T("whatif.ratio", "Ratio", p.L.Short(*x)))
	}
	return v
}

func (p Page) whatIfLine(label string, by []reckon.Assigned) WhatIfLine {
	l := WhatIfLine{Label: label}
	for _, a := range by {
		l.Cells = append(l.Cells, p.whatIfCell(a.Repriced))
	}
	return l
}

func (p Page) whatIfCell(r whatif.Repriced) WhatIfCell {
	if r.Steps == r.Unknown {
		return WhatIfCell{Joules: p.T("unknown")}
	}
	c := WhatIfCell{Joules: p.L.Joules(r.Joules.Units())}
	if r.Low != r.High {
		c.Range = p.L.JoulesRange(r.Low.Units(), r.High.Units())
	}
	if r.Unknown > 0 {
		c.Unknown = p.L.N("whatif.unknown", r.Unknown)
	}
	return c
}

// tiers are the columns of a table by tier.
func (p Page) tiers() []TierMark {
	out := make([]TierMark, 0, len(research.Tiers()))
	for _, t := range research.Tiers() {
		out = append(out, p.tier(t))
	}
	return out
}
