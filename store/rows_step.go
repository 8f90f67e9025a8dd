package store

import (
	"time"

	"github.com/progrouter/progrouter/research"
)

type stepRow struct {
	RunID           string `gorm:"primaryKey"`
	Idx             int    `gorm:"primaryKey;autoIncrement:false"`
	Role            research.Role
	Tier            research.Tier
	Model           string
	Policy          research.Policy // of the run, for the dashboard
	Outcome         research.Outcome
	Note            string
	Notes           []research.Note `gorm:"serializer:json"`
	Focus           []string        `gorm:"serializer:json"`
	StartedAt       int64
	FinishedAt      *int64
	Day             string // YYYY-MM-DD in UTC of FinishedAt; empty in flight
	Seconds         float64
	Dollars         *int64
	Joules          *int64
	JoulesLow       *int64
	JoulesHigh      *int64
	Method          string
	RouterJoules    *int64
	RetrievalJoules *int64
	Reserved        research.Cost   `gorm:"serializer:json"`
	Tokens          research.Tokens `gorm:"serializer:json"`
	ProgressBefore  float64
	ProgressAfter   float64
	Actions         []research.Action `gorm:"serializer:json"`
	Decision        research.Decision `gorm:"serializer:json"`
}

func (stepRow) TableName() string { return "steps" }

func newStepRow(run string, policy research.Policy, s research.Step) stepRow {
	r := stepRow{
		RunID: run, Idx: s.Index, Role: s.Role, Tier: s.Tier, Model: s.Model, Policy: policy,
		Outcome: s.Outcome, Note: s.Note, Notes: s.Notes, Focus: s.Focus,
		StartedAt: micros(s.StartedAt), FinishedAt: microsp(s.FinishedAt),
		Seconds: s.Seconds, Dollars: raw(s.Dollars),
		Joules: raw(s.Energy.Joules), JoulesLow: raw(s.Energy.Low), JoulesHigh: raw(s.Energy.High), Method: s.Energy.Method,
		RouterJoules: raw(s.RouterJoules), RetrievalJoules: raw(s.RetrievalJoules),
		Reserved: s.Reserved, Tokens: s.Tokens,
		ProgressBefore: s.ProgressBefore, ProgressAfter: s.ProgressAfter,
		Actions: s.Actions, Decision: s.Decision,
	}
	if s.FinishedAt != nil {
		r.Day = s.FinishedAt.UTC().Format(time.DateOnly)
	}
	return r
}

func (r stepRow) step() research.Step {
	return research.Step{
		Index: r.Idx, Role: r.Role, Tier: r.Tier, Model: r.Model, Outcome: r.Outcome, Note: r.Note, Notes: r.Notes, Focus: r.Focus,
		StartedAt: at(r.StartedAt), FinishedAt: atp(r.FinishedAt), Seconds: r.Seconds, Dollars: micro(r.Dollars),
		Energy:       research.Energy{Joules: micro(r.Joules), Low: micro(r.JoulesLow), High: micro(r.JoulesHigh), Method: r.Method},
		RouterJoules: micro(r.RouterJoules), RetrievalJoules: micro(r.RetrievalJoules),
		Reserved: r.Reserved, Tokens: r.Tokens, ProgressBefore: r.ProgressBefore, ProgressAfter: r.ProgressAfter,
		Actions: r.Actions, Decision: r.Decision,
	}
}
