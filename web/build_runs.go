package web

import (
	"net/url"
	"strconv"

	"github.com/progrouter/progrouter/research"
)

func (p Page) runRow(r research.RunSummary) RunRow {
	row := RunRow{
		ID: r.ID, Href: runHref(r.ID), Question: r.Question, Status: p.status(r.Status),
		When: p.ago(r.CreatedAt), WhenExact: p.stamp(r.CreatedAt), WhenAt: r.CreatedAt,
		Depth: p.depth(r.Depth), Policy: p.policy(r.Policy),
		Joules:  p.total(r.Totals, Meter{}),
		Dollars: p.money(r.Totals.KnownDollars()), Seconds: p.L.Seconds(r.Totals.Seconds),
		Steps: p.L.N("count.steps", r.Steps), Claims: p.L.N("count.claims", r.Claims),
		Sources:  p.L.N("count.sources", r.Sources),
		Progress: p.L.Share(r.Progress), ProgressValue: r.Progress,
		CompareHref: "/compare?a=" + url.QueryEscape(r.ID),
	}
	if r.QueuePosition > 0 {
		row.Queue = p.T("queue.position", "N", p.L.Int(r.QueuePosition))
	}
	return row
}

func runHref(id string) string { return "/runs/" + url.PathEscape(id) }

// NewRunsView builds the runs list.
func NewRunsView(p Page, in RunsInput) RunsView {
	f := in.Filter
	v := RunsView{
		Page: p.titled(p.T("runs.title")), Text: f.Text,
		Filtered: f.Text != "" || f.Status != "" || f.Policy != "",
		Statuses: []Option{{"", p.T("runs.any_status"), "", f.Status == ""}},
		Policies: []Option{{"", p.T("runs.any_policy"), "", f.Policy == ""}},
	}
	for _, s := range statuses {
		v.Statuses = append(v.Statuses, Option{string(s), p.status(s).Label, "", s == f.Status})
	}
	for _, x := range research.Policies() {
		v.Policies = append(v.Policies, Option{string(x), p.policy(x), "", x == f.Policy})
	}
	for _, r := range in.Runs {
		row := p.runRow(r)
		v.Live = v.Live || row.Status.Live
		v.Runs = append(v.Runs, row)
	}
	query := url.Values{"q": {f.Text}, "status": {string(f.Status)}, "policy": {string(f.Policy)}}
	v.Pager = p.pager("/runs", query, f.Offset, f.Limit, len(in.Runs), in.Total)
	return v
}

var statuses = []research.Status{
	research.Queued, research.Running, research.Paused, research.Complete, research.Partial,
	research.NoEvidence, research.Failed, research.Cancelled,
}

// pager links the pages of a list; query values that are empty are left out.
func (p Page) pager(path string, query url.Values, offset, limit, shown, total int) Pager {
	if total == 0 || limit <= 0 {
		return Pager{}
	}
	link := func(page int) string {
		q := url.Values{}
		for k, v := range query {
			if len(v) > 0 && v[0] != "" {
				q[k] = v
			}
		}
		if page > 1 {
			q.Set("page", strconv.Itoa(page))
		}
		if len(q) == 0 {
			return path
		}
		return path + "?" + q.Encode()
	}
	out := Pager{Text: p.T("pager.range", "From", p.L.Int(min(offset+1, total)), "To", p.L.Int(offset+shown), "Total", p.L.Int(total))}
	page := offset/limit + 1
	if page > 1 {
		out.Prev = link(page - 1)
	}
	if offset+shown < total {
		out.Next = link(page + 1)
	}
	return out
}
