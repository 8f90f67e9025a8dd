package web

import (
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router/whatif"
	"github.com/progrouter/progrouter/web/reckon"
)

// RoutingInput is what the routing page is built from.
type RoutingInput struct {
	Days      int // window shown: 7, 30, 90, or 0 for everything
	Learning  research.Learning
	FirstFit  int // finished steps before the predictor is trained at all
	Allowance research.Micro
	Period    reckon.Period
	Targets   []reckon.Target
}

// RoutingView is the routing page (/dashboard/routing).
type RoutingView struct {
	Page
	Windows []WindowLink
	Savings SavingsView
	Learned LearnedView
	Quality QualityView
	OneStep OneStepView
}

// SavingsView is what routing saved over a period: the top of the routing page,
// and a part of the dashboard.
type SavingsView struct {
	Page
	Empty     bool
	Sides     []SavingsSide
	Notes     []string // what counts, and what does not
	Downloads []Link
	More      string // address of the routing page; empty on it
	Load      string // address to load it from once the page is shown; empty: it is here
}

// SavingsSide is the savings against one tier. Class is saved, lost, open, even or
// nothing.
type SavingsSide struct {
	Title, Figure, Word, Of, Class string
	Sentence                       string
}

// LearnedView is what the router has learned.
type LearnedView struct {
	State string // in a sentence; says so where nothing has been learned
	Facts []Fact
}

// QualityView is how well gains are predicted.
type QualityView struct {
	Empty  bool
	Lead   []string
	Chart  ChartView
	Groups []QualityGroup
}

// QualityGroup is a block of the table of errors; Title is empty for the total.
type QualityGroup struct {
	Title string
	Rows  []QualityLine
}

// QualityLine is a row of errors, those of the paths in the order of
// research.Paths.
type QualityLine struct {
	Label, Steps string
	Errors       []ErrorCell
	Bias         string
}

// ErrorCell is a mean absolute error; Least marks the best of the learned ways.
type ErrorCell struct {
	Text  string
	Least bool
}

// OneStepView is what other rules would have brought in single steps.
type OneStepView struct {
	Empty bool
	Rows  []OneStepLine
	Note  string
}

// OneStepLine is a rule. Why says why there is no estimate, "" where there is one.
type OneStepLine struct {
	Rule                 string
	Gain, GainRange      string
	Joules, JoulesRange  string
	Count, Size, Support string
	Why                  string
	Recorded             bool
}

// WhatIfView is what a run would have cost on other tiers, and what routing saved.
type WhatIfView struct {
	Empty   bool
	Title   string
	Savings []string
	Short   string // the savings against the large tier in a few words
	Rows    []WhatIfLine
	Taken   WhatIfCell
	TakenBy string
	Notes   []string
}

// WhatIfLine prices the run with some of its steps on each tier.
type WhatIfLine struct {
	Label string
	Cells []WhatIfCell // by tier, as research.Tiers lists them
}

// WhatIfCell is a price; Unknown counts the steps that it lacks.
type WhatIfCell struct{ Joules, Range, Unknown string }

func savingsClass(s whatif.Savings) string {
	switch s.Note.Code {
	case whatif.NoteSaved:
		return "saved"
	case whatif.NoteLost:
		return "lost"
	case whatif.NoteEven:
		return "even"
	case whatif.NoteOpen:
		return "open"
	}
	return "nothing"
}
