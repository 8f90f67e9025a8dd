package research

import "time"

// Document JSON of a run: the contract of `--format json`, of
// GET /api/v1/runs/{id} and of the export.

// RunDocument is the whole run.
type RunDocument struct {
	ID         string         `json:"id"`
	Question   string         `json:"question"`
	Language   string         `json:"language"`
	Depth      Depth          `json:"depth"`
	Policy     Policy         `json:"policy"`
	Status     Status         `json:"status"`
	StopReason string         `json:"stop_reason"`
	StopCode   string         `json:"stop_code"`
	CreatedAt  time.Time      `json:"created_at"`
	FinishedAt *time.Time     `json:"finished_at"`
	Budget     Budget         `json:"budget"`
	Plan       Plan           `json:"plan"`
	Notices    []string       `json:"notices"`
	Queries    []Query        `json:"queries"`
	Report     ReportDocument `json:"report"`
	Sources    []Source       `json:"sources"`
	Discarded  []Discarded    `json:"discarded"`
	Steps      []Step         `json:"steps"`
	Totals     Totals         `json:"totals"`
}

// ReportDocument is the report in the contract's form.
type ReportDocument struct {
	Title    string          `json:"title"`
	Markdown string          `json:"markdown"`
	Claims   []ClaimDocument `json:"claims"`
	NotFound []string        `json:"not_found"`
}

// ClaimDocument is a claim with its evidence spelled out.
type ClaimDocument struct {
	Text     string             `json:"text"`
	Verdict  Verdict            `json:"verdict"`
	Note     string             `json:"note,omitempty"`
	Section  string             `json:"section,omitempty"`
	Evidence []EvidenceDocument `json:"evidence"`
}

// EvidenceDocument is a quote with its place in the snapshot.
type EvidenceDocument struct {
	SourceID string `json:"source_id"`
	Quote    string `json:"quote"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
}

// Document assembles the contract's JSON; markdown is the rendered report.
func (l *Ledger) Document(markdown string) RunDocument {
	d := RunDocument{
		ID: l.Run.ID, Question: l.Run.Question, Language: l.Run.Language, Depth: l.Run.Depth,
		Policy: l.Run.Policy, Status: l.Run.Status, StopReason: l.Run.StopReason, StopCode: l.Run.StopCode,
		CreatedAt: l.Run.CreatedAt, FinishedAt: l.Run.FinishedAt, Budget: l.Run.Budget,
		Plan: l.Plan, Notices: texts(l.Run.Notices), Queries: orEmpty(l.Queries),
		Sources: orEmpty(l.Sources), Discarded: orEmpty(l.Discarded), Steps: orEmpty(l.Steps),
		Totals: l.Totals(),
		Report: ReportDocument{Title: l.Report.Title, Markdown: markdown, NotFound: orEmpty(l.Report.NotFound)},
	}
	d.Plan.Subquestions = orEmpty(d.Plan.Subquestions)
	d.Report.Claims = l.claimDocuments()
	return d
}

func (l *Ledger) claimDocuments() []ClaimDocument {
	out := make([]ClaimDocument, 0, len(l.Report.Claims))
	for _, c := range l.Report.InOrder() {
		cd := ClaimDocument{Text: c.Text, Verdict: c.Verdict, Note: c.Note, Evidence: []EvidenceDocument{}}
		for _, s := range l.Report.Sections {
			if s.Subquestion == c.Subquestion {
				cd.Section = s.Heading
			}
		}
		for _, id := range c.EvidenceIDs {
			if e, ok := l.EvidenceByID(id); ok {
				cd.Evidence = append(cd.Evidence, EvidenceDocument{e.SourceID, e.Quote, e.Start, e.End})
			}
		}
		out = append(out, cd)
	}
	return out
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
