package web

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web/chart"
)

// NewDashboardView builds the dashboard.
func NewDashboardView(p Page, in DashboardInput) DashboardView {
	u := in.Usage
	v := DashboardView{
		Page: p.titled(p.T("dashboard.title")), Empty: u.Total.Steps == 0,
		Joules:   p.usageSum(u.Total, in.Meter),
		WattHour: p.L.WattHours(u.Total.Joules.Units()),
		Dollars:  p.dollars(u.Total.KnownDollars()), Seconds: p.L.Seconds(u.Total.Seconds),
		Runs: p.L.Int(u.Total.Runs), Steps: p.L.N("count.steps", u.Total.Steps),
	}
	v.Unknown = p.notInSum(u.Total.UnknownSteps, u.Total.UnpricedSteps)
	v.Windows = p.windows("/dashboard", in.Days)
	if in.Savings != nil {
		v.Savings = NewSavingsView(p, *in.Savings, in.Days)
	} else {
		href := routingHref + "?days=" + strconv.Itoa(in.Days)
		v.Savings = SavingsView{Page: p, More: href, Load: href}
	}
	for _, s := range statuses {
		if n := u.ByStatus[s]; n > 0 {
			m := p.status(s)
			v.Statuses = append(v.Statuses, LegendItem{m.Class, m.Label, p.L.Int(n)})
		}
	}
	if !v.Empty {
		v.Charts = []ChartView{p.dayChart(u.ByDay), p.usageShare(u.ByTier)}
		v.Tables = []UsageTable{
			p.usageTable("tier", u.ByTier, u.Total, in.Meter),
			p.usageTable("role", u.ByRole, u.Total, in.Meter),
			p.usageTable("policy", u.ByPolicy, u.Total, in.Meter),
			p.usageTable("day", u.ByDay, u.Total, in.Meter),
		}
	}
	return v
}

func (p Page) usageSum(r research.UsageRow, m Meter) Amount {
	return p.sum(r.Joules, r.Low, r.High, r.Method, r.UnknownSteps, m)
}

func (p Page) usageTable(by string, rows []research.UsageRow, total research.UsageRow, m Meter) UsageTable {
	rows = inOrder(by, rows)
	t := UsageTable{ID: "by-" + by, Title: p.T("dashboard.by_" + by), Head: p.T("dashboard.head_" + by)}
	for _, r := range rows {
		line := p.usageLine(r, total, m)
		switch by {
		case "tier":
			line.Label, line.Class = p.tier(r.Tier).Label, p.tier(r.Tier).Class
		case "role":
			line.Label = p.role(r.Role)
		case "policy":
			line.Label = p.policy(r.Policy)
		case "day":
			line.Label = p.dayLabel(r.Day, true)
		}
		t.Rows = append(t.Rows, line)
	}
	for _, r := range rows { // one method for all is said once, on top
		t.Methods = t.Methods || r.Method != total.Method
	}
	t.Total = p.usageLine(total, total, m)
	t.Total.Label = p.T("dashboard.total")
	return t
}

// inOrder puts tiers and roles into their natural order; days and policies keep
// the one they come in.
func inOrder(by string, rows []research.UsageRow) []research.UsageRow {
	rank := func(r research.UsageRow) int {
		switch by {
		case "tier":
			return slices.Index(research.Tiers(), r.Tier)
		case "role":
			return slices.Index(research.Roles(), r.Role)
		}
		return 0
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b research.UsageRow) int { return rank(a) - rank(b) })
	return rows
}

func (p Page) usageLine(r, total research.UsageRow, m Meter) UsageLine {
	a := p.usageSum(r, m)
	l := UsageLine{
		Joules: a.Text, Range: a.Range, Method: a.Method, Dollars: p.dollars(r.KnownDollars()),
		Seconds: p.L.Seconds(r.Seconds), Runs: p.L.Int(r.Runs), Steps: p.L.Int(r.Steps),
	}
	if r.UnknownSteps > 0 {
		l.Unknown = p.L.N("dashboard.unknown", r.UnknownSteps)
	}
	if total.Joules > 0 {
		l.Share = r.Joules.Units() / total.Joules.Units()
	}
	l.ShareText = p.L.Share(l.Share)
	return l
}

// dayLabel writes a YYYY-MM-DD day; a malformed one is shown as it is.
func (p Page) dayLabel(day string, long bool) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	if long {
		return p.L.Date(t)
	}
	return p.L.Day(t)
}

// dayChart is the energy by day; days without a step are empty columns.
func (p Page) dayChart(rows []research.UsageRow) ChartView {
	v := ChartView{ID: "chart-days", Title: p.T("dashboard.by_day"), Caption: p.T("chart.days_caption"),
		Head: []string{p.T("dashboard.head_day"), p.T("unit.joules"), p.T("dashboard.range")}}
	c := chart.Bars{ID: v.ID, Title: v.Title, Height: 220, FormatY: p.L.Joules, Desc: p.T("chart.days_desc")}
	days := fillDays(rows)
	every := max(1, (len(days)+5)/6)
	for i, r := range days {
		label := ""
		if i%every == 0 {
			label = p.dayLabel(r.Day, false)
		}
		tip := p.dayLabel(r.Day, true) + ": " + p.L.Joules(r.Joules.Units())
		c.Bars = append(c.Bars, chart.Bar{Label: label, Parts: []chart.Part{{Class: "spent", Value: r.Joules.Units(), Tip: tip}}})
	}
	for _, r := range rows {
		v.Rows = append(v.Rows, []string{p.dayLabel(r.Day, true), p.L.Joules(r.Joules.Units()), p.L.JoulesRange(r.Low.Units(), r.High.Units())})
	}
	v.Drawings = []chart.Drawing{c.Draw()}
	return v
}

// maxDays bounds the columns of the day chart; older days stay in the table.
const maxDays = 120

func fillDays(rows []research.UsageRow) []research.UsageRow {
	if len(rows) == 0 {
		return nil
	}
	byDay, first, last := map[string]research.UsageRow{}, rows[0].Day, rows[0].Day
	for _, r := range rows {
		byDay[r.Day] = r
		first, last = min(first, r.Day), max(last, r.Day)
	}
	from, err1 := time.Parse(time.DateOnly, first)
	to, err2 := time.Parse(time.DateOnly, last)
	if err1 != nil || err2 != nil {
		return rows
	}
	if earliest := to.AddDate(0, 0, -maxDays); from.Before(earliest) {
		from = earliest
	}
	var out []research.UsageRow
	for d := from; !d.After(to); d = d.AddDate(0, 0, 1) {
		day := d.Format(time.DateOnly)
		r := byDay[day]
		r.Day = day
		out = append(out, r)
	}
	return out
}

// usageShare is the share of each tier in steps and energy.
func (p Page) usageShare(rows []research.UsageRow) ChartView {
	var steps []research.Step
	for _, r := range rows { // one stand-in per step keeps shareChart the only place that draws this
		for i := range r.Steps {
			s := research.Step{Tier: r.Tier}
			if i == 0 {
				s.Energy.Joules = research.Known(r.Joules)
			}
			steps = append(steps, s)
		}
	}
	return p.shareChart("share-usage", steps)
}

// NewLibraryView builds the library page.
func NewLibraryView(p Page, in LibraryInput) LibraryView {
	v := LibraryView{
		Page: p.titled(p.T("library.title")), Text: in.Text, Error: in.Error, Filtered: in.Text != "",
		Count: p.L.N("count.documents", in.Total),
	}
	if in.MaxBytes > 0 {
		v.Limit = p.T("library.limit", "Size", p.size(in.MaxBytes))
	}
	for _, r := range in.Results {
		line := UploadLine{Name: r.Name, Text: r.Error, OK: r.Error == ""}
		if line.OK {
			line.Text = p.L.N("library.added", r.Passages)
		}
		v.Results = append(v.Results, line)
	}
	for _, d := range in.Documents {
		v.Rows = append(v.Rows, p.document(d))
	}
	v.Pager = p.pager("/library", map[string][]string{"q": {in.Text}}, in.Offset, in.Limit, len(in.Documents), in.Total)
	return v
}

func (p Page) document(d research.LibraryDocument) DocumentRow {
	name, _, _ := strings.Cut(d.Collection, ":")
	row := DocumentRow{
		URL: d.URL, Title: d.Title, Kind: p.kind(d.MediaType), Collection: p.L.Or("collection."+name, d.Collection),
		Passages: p.L.N("count.passages", d.Passages), Size: p.size(int64(d.Bytes)),
		Added: p.ago(d.AddedAt), AddedAt: p.stamp(d.AddedAt), Removable: d.Collection != "handbook",
	}
	if row.Title == "" {
		row.Title = shownURL(d.URL)
	}
	if name == "dir" {
		row.Collection = p.T("collection.dir")
	}
	return row
}

func (p Page) kind(mediaType string) string {
	base, _, _ := strings.Cut(mediaType, ";")
	return p.L.Or("media."+strings.ReplaceAll(strings.TrimSpace(base), "/", "_"), base)
}

func (p Page) size(bytes int64) string {
	switch b := float64(bytes); {
	case b < 1<<10:
		return p.L.Int(int(bytes)) + " B"
	case b < 1<<20:
		return p.L.Short(b/(1<<10)) + " kB"
	case b < 1<<30:
		return p.L.Short(b/(1<<20)) + " MB"
	default:
		return p.L.Short(b/(1<<30)) + " GB"
	}
}
