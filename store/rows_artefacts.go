package store

import "github.com/progrouter/progrouter/research"

type queryRow struct {
	ID          int64
	RunID       string
	Step        int
	Subquestion string
	Text        string
	Provider    string
	Results     int
	Error       string
	ErrorCode   string
}

func (queryRow) TableName() string { return "queries" }

func (r queryRow) domain() research.Query {
	return research.Query{
		Subquestion: r.Subquestion, Text: r.Text, Provider: r.Provider,
		Results: r.Results, Error: r.Error, ErrorCode: r.ErrorCode, StepIndex: r.Step,
	}
}

type hitRow struct {
	ID          int64
	RunID       string
	Step        int
	Subquestion string
	URL         string
	Title       string
	Snippet     string
	Provider    string
	Score       float64
}

func (hitRow) TableName() string { return "hits" }

func (r hitRow) domain() research.Hit {
	return research.Hit{
		Subquestion: r.Subquestion, URL: r.URL, Title: r.Title, Snippet: r.Snippet,
		Provider: r.Provider, Score: r.Score, StepIndex: r.Step,
	}
}

// snapshotRow is a text, stored once and never changed, named by its hash.
type snapshotRow struct {
	SHA256 string `gorm:"column:sha256;primaryKey"`
	Text   string
}

func (snapshotRow) TableName() string { return "snapshots" }

type sourceRow struct {
	Seq       int64 `gorm:"primaryKey"`
	RunID     string
	ID        string
	Step      int
	URL       string
	Title     string
	SHA256    string `gorm:"column:sha256"`
	FetchedAt int64
	MediaType string
	Published string
	Text      string `gorm:"->"` // joined from snapshots, never written
}

func (sourceRow) TableName() string { return "sources" }

func (r sourceRow) domain() research.Source {
	return research.Source{
		ID: r.ID, URL: r.URL, Title: r.Title, Text: r.Text, FetchedAt: at(r.FetchedAt),
		SHA256: r.SHA256, MediaType: r.MediaType, Published: r.Published, StepIndex: r.Step,
	}
}

type discardedRow struct {
	ID     int64
	RunID  string
	Step   int
	URL    string
	Reason string
	Code   string
}

func (discardedRow) TableName() string { return "discarded" }

func (r discardedRow) domain() research.Discarded {
	return research.Discarded{URL: r.URL, Reason: r.Reason, Code: r.Code, StepIndex: r.Step}
}

type evidenceRow struct {
	Seq         int64 `gorm:"primaryKey"`
	RunID       string
	ID          string
	Step        int
	SourceID    string
	Subquestion string
	Quote       string
	StartAt     int
	EndAt       int
	Heading     string
	Score       float64
	Model       string
}

func (evidenceRow) TableName() string { return "evidence" }

func (r evidenceRow) domain() research.Evidence {
	return research.Evidence{
		ID: r.ID, SourceID: r.SourceID, Subquestion: r.Subquestion, Quote: r.Quote,
		Start: r.StartAt, End: r.EndAt, Heading: r.Heading, Score: r.Score, Model: r.Model, StepIndex: r.Step,
	}
}

// mapped applies fn to each; an empty list stays nil.
func mapped[A, B any](list []A, fn func(A) B) []B {
	if len(list) == 0 {
		return nil
	}
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = fn(a)
	}
	return out
}
