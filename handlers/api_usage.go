package handlers

import "github.com/progrouter/progrouter/research"

// apiUsageRow is a group of steps; only the grouped field is set.
type apiUsageRow struct {
	Day          string          `json:"day,omitempty"`
	Tier         research.Tier   `json:"tier,omitempty"`
	Role         research.Role   `json:"role,omitempty"`
	Policy       research.Policy `json:"policy,omitempty"`
	Steps        int             `json:"steps"`
	Runs         int             `json:"runs"`
	Joules       research.Micro  `json:"joules"`
	Low          research.Micro  `json:"low"`
	High         research.Micro  `json:"high"`
	Method       string          `json:"method"`
	Dollars      research.Micro  `json:"dollars"`
	Seconds      float64         `json:"seconds"`
	UnknownSteps int             `json:"unknown_steps"`
	Unpriced     int             `json:"unknown_dollar_steps"`
}

func newAPIUsageRow(r research.UsageRow) apiUsageRow {
	return apiUsageRow{
		r.Day, r.Tier, r.Role, r.Policy, r.Steps, r.Runs, r.Joules, r.Low, r.High, r.Method,
		r.Dollars, r.Seconds, r.UnknownSteps, r.UnpricedSteps,
	}
}

type apiUsage struct {
	Total    apiUsageRow             `json:"total"`
	ByDay    []apiUsageRow           `json:"by_day"`
	ByTier   []apiUsageRow           `json:"by_tier"`
	ByRole   []apiUsageRow           `json:"by_role"`
	ByPolicy []apiUsageRow           `json:"by_policy"`
	ByStatus map[research.Status]int `json:"by_status"`
}

func newAPIUsage(u research.Usage) apiUsage {
	rows := func(in []research.UsageRow) []apiUsageRow {
		out := make([]apiUsageRow, 0, len(in))
		for _, r := range in {
			out = append(out, newAPIUsageRow(r))
		}
		return out
	}
	if u.ByStatus == nil {
		u.ByStatus = map[research.Status]int{}
	}
	return apiUsage{
		Total: newAPIUsageRow(u.Total), ByDay: rows(u.ByDay), ByTier: rows(u.ByTier),
		ByRole: rows(u.ByRole), ByPolicy: rows(u.ByPolicy), ByStatus: u.ByStatus,
	}
}
