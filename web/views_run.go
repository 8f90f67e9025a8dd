package web

import (
	"time"

	"github.com/a-h/templ"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web/chart"
)

// RunInput is what the run page needs beside the ledger.
type RunInput struct {
	Cursor        int64 // id of the last event the ledger includes; the stream continues after it
	QueuePosition int   // 1 is next; 0 when not queued
	Meter         Meter
	Formats       []string // export formats offered: md, html, json …
	// Progress is where the run stands now; nil takes what the last decision saw.
	Progress *research.ProgressView
	// Live is what the step in flight is doing right now.
	Live research.Live
	// Raise is the form for a higher budget as it was sent; nil shows it closed
	// with the present limits.
	Raise *RaiseForm
}

// RaiseForm is the form for a higher budget as typed, with what is wrong by
// field name; "" is the whole form.
type RaiseForm struct {
	Joules, Dollars, Seconds string
	Errors                   map[string]string
}

// Fragment is a part of the run page that is sent again when it changes: Event
// is the SSE event name and the id of its element is "run-"+Event.
type Fragment struct {
	Event     string
	Component templ.Component
}

// RunView is the run page (/runs/{id}), the timeline page and the report.
type RunView struct {
	Page
	ID, Question string
	Href         string // /runs/{id}
	Stream       string // address of the live stream; empty when the run is final
	Status       StatusMark
	StopReason   string
	Facts        []Fact // asked when, depth, policy, language, where searched
	Queue        string
	Now          NowView
	Live         LiveView
	Actions      ActionsView
	Notices      []string
	ModelNote    string // which language models were used, or that none was
	Connect      bool   // none was used: a link says how to connect one
	Progress     ProgressView
	Joules       Amount
	Dollars      Amount
	Seconds      Amount
	Carbon       string // what the joules stand for; "" hides it
	UnknownSteps string // "2 steps of unknown energy are not in the sum"
	Gauges       []Gauge
	Charts       []ChartView
	Steps        []StepView
	WhatIf       WhatIfView
	Report       ReportView
	Exports      []Link
	AskAgain     string
	CompareWith  string
}

// Fact is a labelled value.
type Fact struct{ Label, Value string }

// NowView is what is being worked on at this moment.
type NowView struct {
	Active    bool
	Text      string // "Step 4 · Reader · embedded/medium"
	Doing     string
	Tier      TierMark
	Since     time.Time
	Age       string
	LastError string
	LastAge   string
	Waiting   string // queue position, paused, stopping
}

// ActionsView is which buttons show. Each posts to Href of the run + "/" + name:
// pause, resume, cancel, delete, raise (joules, dollars, seconds).
type ActionsView struct {
	Href                                 string
	Pause, Resume, Cancel, Delete, Raise bool
	Stopping, Pausing                    bool
	RaiseOpen                            bool
	Budget                               RaiseForm // the present budget, or what was typed
}

// ProgressView is g with the four views it is made of.
type ProgressView struct {
	G       string
	Value   float64
	Regime  string
	Explain string
	Views   []ProgressPart
}

// ProgressPart is one view of the score.
type ProgressPart struct {
	Name, Value, Note string
	Share             float64 // 0 to 1, for the bar
	Signed            bool    // a trend: −1 to 1
}

// Gauge is a budget and what is spent of it.
type Gauge struct {
	Name, Spent, Limit, Left string
	Share                    float64
	Percent                  string
	Level                    string // ok, near (80 %), full (95 %)
	Default                  bool   // the budget was left open
}

// ChartView is a chart with its caption and its figures as a table.
type ChartView struct {
	ID, Title, Caption string
	Drawings           []chart.Drawing
	Head               []string
	Rows               [][]string
	Legend             []LegendItem
}

// LegendItem explains a colour or shape. Class as in TierMark or a series class.
type LegendItem struct{ Class, Label, Value string }

// StepView is a row of the timeline.
type StepView struct {
	Index, ID           string
	Number              int
	Role, RoleClass     string
	Tier                TierMark
	Model               string
	Outcome             string
	OutcomeClass        string
	Reason              string // why this tier
	Note                string // what the step did
	Started             string
	StartedAt           time.Time
	Joules, Dollars     Amount
	Router, Retrieval   string
	Seconds             string
	Tokens              string
	Before, After, Gain string
	Loss                bool // the step took progress back
	AfterValue          float64
	Focus               []string
	Actions             []ActionView
	Decision            DecisionView
	Running             bool
}

// ActionView is something done inside a step.
type ActionView struct {
	Kind, Detail, Seconds, Error string
	Call                         *CallView // set for a call of a language model
}

// CallView is a call of a language model: what it read, wrote and cost, and what
// it answered.
type CallView struct {
	Facts     []string
	Answer    string
	Reasoning string
}

// DecisionView is the decision card: everything the router saw.
type DecisionView struct {
	Sentence   string
	Policy     string
	Chosen     string
	Explored   string
	Propensity string
	Views      []Fact
	Queue      string
	Allowance  string
	Spent      []Fact
	Remaining  []Fact
	Candidates []CandidateView
	PriorOnly  bool // nothing has been learned about the choice
	Realised   []Fact
}

// CandidateView is a model as the router saw it.
type CandidateView struct {
	Model                        string
	Tier                         TierMark
	Chosen, Eligible             bool
	WhyNot                       string
	Structured, Semantic, Gate   string  // "" where not trained
	Prior                        string  // what the rule of thumb alone expects
	Bar                          float64 // the gain as a share of the largest one
	Attempts                     string
	Switching                    string
	BelievedGain, BelievedCost   string
	Gain, Basis                  string
	Joules, Dollars, Seconds     string
	WorstJoules, WorstSeconds    string
	WorstDollars                 string
	StandIn                      bool
	Value, QueueTerm, EnergyTerm string
	TimeTerm, DollarTerm, Score  string
}

// ReportView is the report with its citations.
type ReportView struct {
	Title        string
	Empty        string // why there is no report yet
	Draft        string // "Draft 2, not reviewed yet"
	Summary      []ClaimView
	Sections     []SectionView
	NotFound     []string
	Tried        []string // queries made, shown when nothing was found
	Sources      []SourceView
	Discarded    []DiscardedView
	Verdicts     []LegendItem
	ClaimCount   string
	SourceCount  string
	QualityLines []Fact
}

// SectionView is a heading with its claims.
type SectionView struct {
	ID, Heading string
	Paragraphs  []ParagraphView
}

// ParagraphView holds claims from one source, named once in front, or claims
// that contradict each other (Versus), which are put side by side.
type ParagraphView struct {
	Source string
	Versus bool
	Claims []ClaimView
}

// ClaimView is a sentence with its markers.
type ClaimView struct {
	ID           string // unique on the page
	Text         string // the sentence but for its last word
	Last         string // kept on one line with the markers
	Marked       bool   // the verdict is shown beside the sentence
	Verdict      string
	VerdictClass string
	Note         string
	Cites        []CiteView
}

// CiteView is a citation marker and what its popover shows.
type CiteView struct {
	ID       string // unique on the page
	Number   string
	Label    string // for screen readers
	Quote    string
	Title    string
	URL      templ.SafeURL // empty when the address cannot be opened in a browser
	Shown    string        // the address as text
	Heading  string
	Fetched  string
	Snapshot templ.SafeURL // the stored text, scrolled to the quote
	Verdict  string
	VClass   string
	Similar  string
}

// SourceView is an entry of the sources list.
type SourceView struct {
	Number    string
	ID        string
	Title     string
	URL       templ.SafeURL
	Shown     string
	Fetched   string
	Published string
	SHA256    string
	Quotes    string
	Snapshot  templ.SafeURL
	Cited     bool
}

// DiscardedView is a document that was not used, and why.
type DiscardedView struct {
	URL    templ.SafeURL
	Shown  string
	Reason string
}

// SnapshotView is the stored text of a source with the quotes marked
// (/runs/{id}/sources/{sid}); marks have the ids of their evidence.
type SnapshotView struct {
	Page
	Run    Link
	Source SourceView
	Blocks []SnapshotBlock
}

// SnapshotBlock is a heading of a snapshot, or the text up to the next one.
type SnapshotBlock struct {
	Level    int // of a heading within the page, from 2; 0 is text
	Segments []Segment
}

// Segment is a stretch of a snapshot. Quoted ones are marked; the first of a
// quote has the evidence's id as its own.
type Segment struct {
	Text   string
	Quoted bool
	ID     string
}

// CompareInput is what the comparison needs beside the ledgers. A nil ledger
// shows the picker: Choices are offered.
type CompareInput struct {
	A, B    *research.Ledger
	Meter   Meter
	Choices []research.RunSummary
}

// CompareView is two runs side by side.
type CompareView struct {
	Page
	Ready        bool
	A, B         CompareSide
	Rows         []CompareGroup
	ChoicesA     []Option
	ChoicesB     []Option
	SameQuestion bool
}

// CompareSide heads a column.
type CompareSide struct {
	Question, Href string
	Status         StatusMark
	Policy, Depth  string
	When           string
	Share          []ChartView // none before the first step
}

// CompareGroup is a block of compared figures.
type CompareGroup struct {
	Title string
	Rows  []CompareRow
}

// CompareRow is one figure of both runs. Better is "a", "b" or empty.
type CompareRow struct{ Label, A, B, Delta, Better string }
