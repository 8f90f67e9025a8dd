package store

import (
	"strings"
	"time"

	"github.com/progrouter/progrouter/research"
)

// runRow is a run with its totals kept beside it, so that lists need no sums.
type runRow struct {
	ID              string `gorm:"primaryKey"`
	Question        string
	QuestionFold    string // lower case, for searching
	Language        string
	Depth           research.Depth
	Policy          research.Policy
	URLs            []string `gorm:"column:urls;serializer:json"`
	Follow          int
	Library         bool
	Web             bool
	Collections     []string `gorm:"serializer:json"`
	Seed            int64
	GivenJoules     *int64
	GivenDollars    *int64
	GivenSeconds    *float64
	BudgetJoules    *int64
	BudgetDollars   *int64
	BudgetSeconds   *float64
	Status          research.Status
	StopReason      string
	StopCode        string
	CreatedAt       int64 `gorm:"autoCreateTime:false"`
	StartedAt       *int64
	FinishedAt      *int64
	ActiveSeconds   float64
	CancelRequested bool
	PauseRequested  bool
	Notices         []research.Note `gorm:"serializer:json"`
	Joules          int64
	JoulesLow       int64
	JoulesHigh      int64
	Method          string
	Dollars         int64
	UnknownSteps    int
	UnpricedSteps   int
	Steps           int
	Claims          int
	Sources         int
	Progress        float64
	JobID           *int64 // the River job that may work on it
	Crashes         int    // since the last finished step
	RouterKey       string
	ChargedJoules   *int64 // what the virtual queue has been charged; nil before the first end
}

func (runRow) TableName() string { return "runs" }

type productRow struct {
	RunID  string          `gorm:"primaryKey"`
	Plan   research.Plan   `gorm:"serializer:json"`
	Report research.Report `gorm:"serializer:json"`
}

func (productRow) TableName() string { return "run_products" }

func newRunRow(id string, r research.Request, b research.Budget, now time.Time) runRow {
	return runRow{
		ID: id, Question: r.Question, QuestionFold: strings.ToLower(r.Question), Language: r.Language,
		Depth: r.Depth, Policy: r.Policy, URLs: r.URLs, Follow: r.Follow, Library: r.Library, Web: r.Web,
		Collections: r.Collections, Seed: r.Seed,
		GivenJoules: raw(r.Given.Joules), GivenDollars: raw(r.Given.Dollars), GivenSeconds: r.Given.Seconds,
		BudgetJoules: raw(b.Joules), BudgetDollars: raw(b.Dollars), BudgetSeconds: b.Seconds,
		Status: research.Queued, CreatedAt: micros(now),
	}
}

func (r runRow) run() research.Run {
	return research.Run{
		Request: research.Request{
			Question: r.Question, Language: r.Language, Depth: r.Depth, Policy: r.Policy,
			Given: budgetOf(r.GivenJoules, r.GivenDollars, r.GivenSeconds),
			URLs:  r.URLs, Follow: r.Follow, Library: r.Library, Web: r.Web,
			Collections: r.Collections, Seed: r.Seed,
		},
		ID: r.ID, Status: r.Status, StopReason: r.StopReason, StopCode: r.StopCode,
		Budget:    r.budget(),
		CreatedAt: at(r.CreatedAt), StartedAt: atp(r.StartedAt), FinishedAt: atp(r.FinishedAt),
		ActiveSeconds: r.ActiveSeconds, CancelRequested: r.CancelRequested, PauseRequested: r.PauseRequested,
		Notices: r.Notices,
	}
}

func (r runRow) budget() research.Budget {
	return budgetOf(r.BudgetJoules, r.BudgetDollars, r.BudgetSeconds)
}

func (r runRow) totals() research.Totals {
	return research.Totals{
		Joules: research.Micro(r.Joules), Low: research.Micro(r.JoulesLow), High: research.Micro(r.JoulesHigh),
		Method: r.Method, Dollars: research.Micro(r.Dollars), Seconds: r.ActiveSeconds,
		UnknownSteps: r.UnknownSteps, UnpricedSteps: r.UnpricedSteps,
	}
}

func (r *runRow) setTotals(t research.Totals) {
	r.Joules, r.JoulesLow, r.JoulesHigh = int64(t.Joules), int64(t.Low), int64(t.High)
	r.Method, r.Dollars, r.UnknownSteps, r.UnpricedSteps = t.Method, int64(t.Dollars), t.UnknownSteps, t.UnpricedSteps
}

func (r runRow) summary() research.RunSummary {
	return research.RunSummary{
		ID: r.ID, Question: r.Question, Language: r.Language, Depth: r.Depth, Policy: r.Policy,
		Status: r.Status, StopReason: r.StopReason, StopCode: r.StopCode,
		CreatedAt: at(r.CreatedAt), FinishedAt: atp(r.FinishedAt), Budget: r.budget(), Totals: r.totals(),
		Steps: r.Steps, Claims: r.Claims, Sources: r.Sources, Progress: r.Progress,
	}
}

func budgetOf(j, d *int64, s *float64) research.Budget {
	return research.Budget{Joules: micro(j), Dollars: micro(d), Seconds: s}
}

func raw(m *research.Micro) *int64 {
	if m == nil {
		return nil
	}
	v := int64(*m)
	return &v
}

func micro(v *int64) *research.Micro {
	if v == nil {
		return nil
	}
	return research.Known(research.Micro(*v))
}

func micros(t time.Time) int64 { return t.UnixMicro() }

func microsp(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	v := micros(*t)
	return &v
}

func at(v int64) time.Time { return time.UnixMicro(v).UTC() }

func atp(v *int64) *time.Time {
	if v == nil {
		return nil
	}
	t := at(*v)
	return &t
}
