package research

import "time"

// Budget holds hard limits per run. A nil field is open.
type Budget struct {
	Joules  *Micro   `json:"joules"`
	Dollars *Micro   `json:"dollars"`
	Seconds *float64 `json:"seconds"`
}

// NoLimitSeconds stands for "no limit" where a number is needed: ten years.
const NoLimitSeconds = 315_360_000

// Left is what a budget leaves, never below zero. An open limit leaves unknown
// (nil), and NoLimitSeconds of time.
func (b Budget) Left(spent Cost) Cost {
	minus := func(limit, used *Micro) *Micro {
		if limit == nil {
			return nil
		}
		return Known(max(0, max(0, *limit)-max(0, OrZero(used))))
	}
	left := Cost{Joules: minus(b.Joules, spent.Joules), Dollars: minus(b.Dollars, spent.Dollars), Seconds: NoLimitSeconds}
	if b.Seconds != nil {
		used := spent.Seconds
		if !(used > 0) { // NaN is no time
			used = 0
		}
		left.Seconds = 0
		if rest := *b.Seconds - used; rest > 0 {
			left.Seconds = rest
		}
	}
	return left
}

// Request is what a user asks for. It does not change once the run is stored,
// except that a budget may be raised.
type Request struct {
	Question string   `json:"question"`
	Language string   `json:"language"` // BCP 47 base tag: en, ko, ja, zh …
	Depth    Depth    `json:"depth"`
	Policy   Policy   `json:"policy"`
	Given    Budget   `json:"-"` // what the user set; nil fields were left open
	URLs     []string `json:"-"`
	Follow   int      `json:"-"` // how many links deep to follow on the same site, 0 to 2
	Library  bool     `json:"-"` // search the library
	Web      bool     `json:"-"` // search the web
	// Collections limits the library to these collections; empty means all.
	Collections []string `json:"-"`
	Seed        int64    `json:"-"`
	// Skipped are given files that could not be used; they become the first
	// discarded documents of the run and are not read back into a request.
	Skipped []Discarded `json:"-"`
}

// Run is one question being worked on.
type Run struct {
	Request
	ID         string
	Status     Status
	StopReason string // in words; empty while running
	StopCode   string // stable word pages translate the reason by
	Budget     Budget // effective: what was given, else the depth's default
	CreatedAt  time.Time
	StartedAt  *time.Time
	FinishedAt *time.Time
	// ActiveSeconds is wall time spent working: without queue, pause, downtime.
	ActiveSeconds float64
	// CancelRequested and PauseRequested are wishes a worker honours.
	CancelRequested bool
	PauseRequested  bool
	// Notices are things the user should know, said once ("no network").
	Notices []Note
}

// Subquestion is one part of the plan and one heading of the report.
type Subquestion struct {
	ID      string   `json:"id"` // q1, q2 …
	Text    string   `json:"text"`
	Heading string   `json:"heading"`
	Queries []string `json:"queries"`  // search wordings, the best first
	GaveUp  bool     `json:"gave_up"`  // searched enough; reported as not found
	Main    bool     `json:"main"`     // the question itself
	AskedIn int      `json:"asked_in"` // plan round that added it, from 0
}

// Plan is the planner's product.
type Plan struct {
	Subquestions []Subquestion `json:"subquestions"`
}

// Query is one search that was made.
type Query struct {
	Subquestion string `json:"subquestion"`
	Text        string `json:"text"`
	Provider    string `json:"provider"` // library, urls, wikipedia, searxng
	Results     int    `json:"results"`
	Error       string `json:"error,omitempty"`
	ErrorCode   string `json:"error_code,omitempty"` // stable word pages translate the error by
	StepIndex   int    `json:"step"`
}

// Hit is a document proposed by a search and not necessarily read yet.
type Hit struct {
	Subquestion string  `json:"subquestion"`
	URL         string  `json:"url"`
	Title       string  `json:"title"`
	Snippet     string  `json:"snippet"`
	Provider    string  `json:"provider"`
	Score       float64 `json:"score"`
	StepIndex   int     `json:"step"`
}

// Source is a fetched document with an immutable text snapshot.
type Source struct {
	ID        string    `json:"id"` // s1, s2 … within the run
	URL       string    `json:"url"`
	Title     string    `json:"title"`
	Text      string    `json:"text"`
	FetchedAt time.Time `json:"fetched_at"`
	SHA256    string    `json:"sha256"` // of the UTF-8 text, lower-case hex
	MediaType string    `json:"media_type,omitempty"`
	Published string    `json:"published,omitempty"` // date found in the page, RFC 3339 date
	StepIndex int       `json:"step"`
}

// Discarded is a document that was proposed or fetched and not used.
type Discarded struct {
	URL       string `json:"url"`
	Reason    string `json:"reason"` // a sentence for people
	Code      string `json:"code"`   // stable word: robots, private_address, login_page, too_big, not_relevant …
	StepIndex int    `json:"step"`
}

// Evidence is a verbatim quote. Start and End count Unicode code points of the
// source's text; text[Start:End] equals Quote exactly.
type Evidence struct {
	ID          string  `json:"id"` // e1, e2 … within the run
	SourceID    string  `json:"source_id"`
	Subquestion string  `json:"subquestion"`
	Quote       string  `json:"quote"`
	Start       int     `json:"start"`
	End         int     `json:"end"`
	Heading     string  `json:"heading,omitempty"` // nearest heading above the quote
	Score       float64 `json:"score"`             // relevance to the sub-question, 0 to 1
	Model       string  `json:"model"`
	StepIndex   int     `json:"step"`
}

// Claim is one sentence of the report with what it rests on.
type Claim struct {
	ID          string   `json:"id"` // c1, c2 …
	Subquestion string   `json:"subquestion"`
	Text        string   `json:"text"`
	EvidenceIDs []string `json:"evidence_ids"`
	Verdict     Verdict  `json:"verdict"`
	Note        string   `json:"note,omitempty"`        // the reviewer's remark
	Contradicts []string `json:"contradicts,omitempty"` // ids of claims that say otherwise
	InSummary   bool     `json:"in_summary,omitempty"`  // also shown in the summary on top
	Similar     []string `json:"similar_ids,omitempty"` // evidence merged into this claim as duplicates
}

// Section groups claims under one heading, in report order.
type Section struct {
	Subquestion string   `json:"subquestion"`
	Heading     string   `json:"heading"`
	ClaimIDs    []string `json:"claim_ids"`
}

// Report is the draft while a run works and its product at the end.
type Report struct {
	Title    string    `json:"title"`
	Summary  []string  `json:"summary"` // claim ids
	Sections []Section `json:"sections"`
	Claims   []Claim   `json:"claims"`
	NotFound []string  `json:"not_found"`
	Draft    int       `json:"draft"`    // how many times it was written, from 1
	Reviewed bool      `json:"reviewed"` // the reviewer has seen this draft
	// EvidenceSeen is how many pieces of evidence existed when it was written.
	EvidenceSeen int `json:"evidence_seen"`
}

// Ledger is the whole persisted record of a run: the only source of truth for
// where it stands.
type Ledger struct {
	Run       Run
	Plan      Plan
	Queries   []Query
	Hits      []Hit
	Sources   []Source
	Discarded []Discarded
	Evidence  []Evidence
	Report    Report
	Steps     []Step
}
