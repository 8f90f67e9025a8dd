package export

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"time"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router/whatif"
	"github.com/progrouter/progrouter/web/reckon"
	"github.com/progrouter/progrouter/web/say"
)

// The formats of what routing saved over a period.
const (
	FormatSavingsCSV  Format = "csv"
	FormatSavingsJSON Format = "json"
)

// SavingsOf is what routing saved over a period, and in each of its runs.
type SavingsOf struct {
	Days int       // 0: since the beginning
	Made time.Time // when it was put together
	reckon.Period
	Runs []reckon.RunSavings
}

// Savings makes a file of what routing saved. An empty format is CSV; an unknown
// one is an EInvalid error that lists the known ones.
func Savings(s SavingsOf, format Format) (Rendered, error) {
	name := "savings-" + s.Made.UTC().Format(time.DateOnly)
	switch format {
	case FormatSavingsCSV, "":
		body, err := savingsCSV(s)
		return Rendered{Name: name + ".csv", MediaType: "text/csv; charset=utf-8", Body: body}, err
	case FormatSavingsJSON:
		body, err := savingsJSON(s)
		return Rendered{Name: name + ".json", MediaType: "application/json", Body: body}, err
	}
	return Rendered{}, unknownFormat(format, []Format{FormatSavingsCSV, FormatSavingsJSON})
}

func savingsHeader() []string {
	return []string{
		"run", "policy", "last_step_at", "against", "steps", "unknown_steps", "spent_joules", "router_joules",
		"alternative_joules", "saved_joules", "saved_low", "saved_high",
	}
}

// savingsCSV has two rows for each run, against the large and the small tier
// alone, two of what training took, and two whose run is "total": the exact sums
// of those above. What was saved is negative where routing took more.
func savingsCSV(s SavingsOf) ([]byte, error) {
	rows := [][]string{savingsHeader()}
	add := func(run, policy, at string, st whatif.Statement) {
		for _, v := range []whatif.Savings{st.Large, st.Small} {
			rows = append(rows, append([]string{cell(run), cell(policy), at}, savingsCells(v)...))
		}
	}
	for _, r := range s.Runs {
		add(r.RunID, string(r.Policy), r.FinishedAt.UTC().Format(time.RFC3339), r.Savings)
	}
	add("training", "", "", whatif.State(s.Training))
	add("total", "", "", s.Savings)
	var buf bytes.Buffer
	if err := csv.NewWriter(&buf).WriteAll(rows); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func savingsCells(v whatif.Savings) []string {
	return []string{
		string(v.Against), strconv.Itoa(v.Steps), strconv.Itoa(v.Unknown), v.Spent.String(), v.Router.String(),
		v.Alternative.String(), v.Saved.String(), v.Low.String(), v.High.String(),
	}
}

func savingsJSON(s SavingsOf) ([]byte, error) {
	runs := s.Runs
	if runs == nil {
		runs = []reckon.RunSavings{}
	}
	return indented(struct {
		Made    time.Time `json:"made_at"`
		Days    int       `json:"days"`
		Comment string    `json:"about"`
		reckon.Period
		Runs []reckon.RunSavings `json:"by_run"`
	}{s.Made.UTC(), s.Days, "Estimates: steps that another tier took are priced at what it was expected to cost then. How good the reports are is not compared.", s.Period, runs})
}

// savingsNotes say below the costs of a run what routing saved.
func savingsNotes(l *research.Ledger, w words) []string {
	r := reckon.OfRun(l)
	if r.Savings == nil {
		return nil
	}
	return []string{say.Savings(w.Localizer, r.Savings.Large), say.Savings(w.Localizer, r.Savings.Small), w.T("savings.estimate")}
}
