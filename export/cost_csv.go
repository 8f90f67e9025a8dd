package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web/reckon"
)

func costHeader() []string {
	return []string{
		"index", "role", "tier", "model", "outcome", "reason", "seconds",
		"joules", "joules_low", "joules_high", "method", "router_joules", "retrieval_joules", "dollars",
		"tokens_input", "tokens_cached", "tokens_output", "tokens_reasoning", "tokens_counted",
		"progress_before", "progress_after",
	}
}

// CostCSV writes one row per step and a last row whose index is "total". Its
// joules and dollars are the exact sum of the rows above; its seconds are the
// run's active wall time. Unknown amounts are empty cells. Column names do not
// depend on lang.
func CostCSV(l *research.Ledger, _ string) ([]byte, error) {
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	rows := [][]string{costHeader()}
	for _, s := range l.Steps {
		rows = append(rows, stepCells(s))
	}
	rows = append(rows, totalCells(l))
	if err := w.WriteAll(rows); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func stepCells(s research.Step) []string {
	outcome := string(s.Outcome)
	cells := []string{strconv.Itoa(s.Index), string(s.Role), string(s.Tier), cell(s.Model)}
	if s.Outcome == research.InFlight {
		row := append(cells, "in_flight", cell(s.Decision.Reason))
		row = append(row, make([]string, len(costHeader())-len(row)-2)...)
		return append(row, ratio(s.ProgressBefore), "")
	}
	return append(cells, outcome, cell(s.Decision.Reason), seconds(s.Seconds),
		micro(s.Energy.Joules), micro(s.Energy.Low), micro(s.Energy.High), cell(s.Energy.Method),
		micro(s.RouterJoules), micro(s.RetrievalJoules), micro(s.Dollars),
		strconv.Itoa(s.Tokens.Input), strconv.Itoa(s.Tokens.Cached), strconv.Itoa(s.Tokens.Output),
		strconv.Itoa(s.Tokens.Reasoning), cell(s.Tokens.Counted),
		ratio(s.ProgressBefore), ratio(s.ProgressAfter))
}

func totalCells(l *research.Ledger) []string {
	t := totalsOf(l.Steps, l.Run.ActiveSeconds)
	var note []string
	if t.UnknownSteps > 0 {
		note = append(note, fmt.Sprintf("%d steps with unknown joules are not in the sum", t.UnknownSteps))
	}
	if t.UnknownDollars > 0 {
		note = append(note, fmt.Sprintf("%d steps with unknown dollars are not in the sum", t.UnknownDollars))
	}
	return []string{
		"total", "", "", "", string(l.Run.Status), strings.Join(note, "; "), seconds(t.Seconds),
		micro(t.Joules), micro(t.Low), micro(t.High), cell(t.Method),
		micro(t.RouterJoules), micro(t.RetrievalJoules), micro(t.Dollars),
		strconv.Itoa(t.Tokens.Input), strconv.Itoa(t.Tokens.Cached), strconv.Itoa(t.Tokens.Output),
		strconv.Itoa(t.Tokens.Reasoning), cell(t.Tokens.Counted), "", "",
	}
}

func micro(m *research.Micro) string {
	if m == nil {
		return ""
	}
	return m.String()
}

func seconds(f float64) string { return strconv.FormatFloat(f, 'f', 3, 64) }

func ratio(f float64) string { return strconv.FormatFloat(f, 'f', 4, 64) }

// cell makes text safe for spreadsheets, which run cells that begin like a
// formula: such text gets an apostrophe in front.
func cell(s string) string {
	s = oneLine(s)
	if s != "" && strings.ContainsRune("=+-@|%＝＋－＠", []rune(s)[0]) {
		return "'" + s
	}
	return s
}

// costDocument is the JSON form of the cost summary.
type costDocument struct {
	ID       string          `json:"id"`
	Question string          `json:"question"`
	Status   research.Status `json:"status"`
	Policy   research.Policy `json:"policy"`
	Budget   research.Budget `json:"budget"`
	Steps    []costStep      `json:"steps"`
	Totals   costTotals      `json:"totals"`
	// WhatIf is what the run would have cost under other assignments of tiers, and
	// what routing saved: estimates all.
	WhatIf reckon.Run `json:"what_if"`
}

type costStep struct {
	Index           int              `json:"index"`
	Role            research.Role    `json:"role"`
	Tier            research.Tier    `json:"tier"`
	Model           string           `json:"model"`
	Outcome         research.Outcome `json:"outcome"` // empty: in flight, costs not known yet
	Reason          string           `json:"reason"`
	Seconds         float64          `json:"seconds"`
	Dollars         *research.Micro  `json:"dollars"`
	Energy          research.Energy  `json:"energy"`
	RouterJoules    *research.Micro  `json:"router_joules"`
	RetrievalJoules *research.Micro  `json:"retrieval_joules"`
	Tokens          research.Tokens  `json:"tokens"`
	ProgressBefore  float64          `json:"progress_before"`
	ProgressAfter   float64          `json:"progress_after"`
}

// CostJSON writes the same as CostCSV with unknown amounts as null.
func CostJSON(l *research.Ledger, _ string) ([]byte, error) {
	d := costDocument{
		ID: l.Run.ID, Question: l.Run.Question, Status: l.Run.Status, Policy: l.Run.Policy,
		Budget: l.Run.Budget, Steps: []costStep{}, Totals: totalsOf(l.Steps, l.Run.ActiveSeconds),
		WhatIf: reckon.OfRun(l),
	}
	for _, s := range l.Steps {
		d.Steps = append(d.Steps, costStep{
			s.Index, s.Role, s.Tier, s.Model, s.Outcome, s.Decision.Reason, s.Seconds, s.Dollars,
			s.Energy, s.RouterJoules, s.RetrievalJoules, s.Tokens, s.ProgressBefore, s.ProgressAfter,
		})
	}
	return indented(d)
}

// JSON writes the whole run in the form of research.RunDocument.
func JSON(l *research.Ledger, lang string) ([]byte, error) {
	md, err := Markdown(l, lang)
	if err != nil {
		return nil, err
	}
	return indented(l.Document(md))
}

// indented writes JSON for people and diffs; <, > and & stay readable, since
// the file is never parsed as HTML.
func indented(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
