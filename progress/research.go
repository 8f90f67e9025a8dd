package progress

import (
	"github.com/progrouter/progrouter/research"
)

// Milestones of one sub-question; they sum to 1. One answering source is what
// counts as covered, so it weighs most; a second from another document makes
// the answer safer; a claim that the reviewer supported is what the reader of
// the report gets.
const (
	creditSearched = 0.10 // a search for it proposed documents
	creditCovered  = 0.40 // one document answers it, as surely as its reader chooses
	creditSecond   = 0.10 // a second document answers it
	creditDrafted  = 0.15 // the report has a claim for it
	creditVerified = 0.25 // a claim of it is supported
	creditWeak     = 0.10 // …or at least weakly supported
	// creditNotFound is what knowing that the sources do not answer is worth,
	// less than any answer that is covered and drafted.
	creditNotFound = 0.50
	// creditPlan is the share of the plan itself in the completion.
	creditPlan = 0.05
)

// sureness is how far a quote chosen by a tier counts as an answer. Whether a
// sentence answers is not to be seen in the ledger: no sign in it that was tried
// tells a good choice from a poor one. What is known is that larger tiers choose
// better, as statement recall on development questions shows (docs/evaluation.md);
// a score that did not know it would teach the router that they bring nothing.
func sureness(t research.Tier) float64 {
	switch t {
	case research.Small:
		return 0.80
	case research.Medium:
		return 0.90
	}
	return 1
}

// ScoreResearch scores a research run. It reads only the ledger, so the same
// ledger always scores the same.
func ScoreResearch(l *research.Ledger, lim research.Limits) research.ProgressView {
	return Score(newResearchState(l, lim), l.Steps)
}

// researchState is the ledger indexed by sub-question, built in one pass.
type researchState struct {
	l         *research.Ledger
	lim       research.Limits
	documents map[string]string // source id → document identity
	hits      map[string]bool
	covered   map[string]map[string]bool // sub-question → documents that answer
	sure      map[string]float64         // sub-question → how surely, by its surest quote
	verdict   map[string]float64         // sub-question → best verification credit
	drafted   map[string]bool
	notFound  map[string]bool // texts the report lists
	grounded  int             // claims that cite existing evidence
	supported int
}

func newResearchState(l *research.Ledger, lim research.Limits) *researchState {
	s := &researchState{
		l: l, lim: lim,
		documents: make(map[string]string, len(l.Sources)),
		hits:      map[string]bool{},
		covered:   map[string]map[string]bool{},
		sure:      map[string]float64{},
		verdict:   map[string]float64{},
		drafted:   map[string]bool{},
		notFound:  map[string]bool{},
	}
	for _, h := range l.Hits {
		s.hits[h.Subquestion] = true
	}
	s.readEvidence()
	s.readReport()
	return s
}

func (s *researchState) readEvidence() {
	for _, src := range s.l.Sources {
		// The same text under two addresses is one document.
		id := src.SHA256
		if id == "" {
			id = src.URL
		}
		s.documents[src.ID] = id
	}
	tiers := make(map[int]research.Tier, len(s.l.Steps))
	for _, st := range s.l.Steps {
		tiers[st.Index] = st.Tier
	}
	for _, e := range s.l.Evidence {
		doc, ok := s.documents[e.SourceID]
		if !ok {
			continue // a quote without its snapshot answers nothing
		}
		if s.covered[e.Subquestion] == nil {
			s.covered[e.Subquestion] = map[string]bool{}
		}
		s.covered[e.Subquestion][doc] = true
		s.sure[e.Subquestion] = max(s.sure[e.Subquestion], sureness(tiers[e.StepIndex]))
	}
}

func (s *researchState) readReport() {
	known := make(map[string]bool, len(s.l.Evidence))
	for _, e := range s.l.Evidence {
		known[e.ID] = true
	}
	for _, c := range s.l.Report.Claims {
		if !anyIn(c.EvidenceIDs, known) {
			continue
		}
		s.grounded++
		s.drafted[c.Subquestion] = true
		switch c.Verdict {
		case research.Supported:
			s.supported++
			s.verdict[c.Subquestion] = creditVerified
		case research.Weak:
			s.verdict[c.Subquestion] = max(s.verdict[c.Subquestion], creditWeak)
		}
	}
	for _, t := range s.l.Report.NotFound {
		s.notFound[t] = true
	}
}

// Completion is the plan's credit plus the mean credit of the sub-questions.
func (s *researchState) Completion() float64 {
	qs := s.l.Plan.Subquestions
	if len(qs) == 0 {
		return 0
	}
	sum := 0.0
	for _, q := range qs {
		sum += s.credit(q)
	}
	return creditPlan + (1-creditPlan)*sum/float64(len(qs))
}

func (s *researchState) credit(q research.Subquestion) float64 {
	c := s.verdict[q.ID]
	docs := len(s.covered[q.ID])
	if s.hits[q.ID] || docs > 0 {
		c += creditSearched
	}
	if docs > 0 {
		c += creditCovered * s.sure[q.ID]
	}
	if docs > 1 {
		c += creditSecond
	}
	if s.drafted[q.ID] {
		c += creditDrafted
	}
	if s.reportedNotFound(q) {
		c = max(c, creditNotFound)
	}
	return c
}

// reportedNotFound: the user is told that the sources do not answer it.
func (s *researchState) reportedNotFound(q research.Subquestion) bool {
	return q.GaveUp || (s.l.Report.Reviewed && s.notFound[q.Text])
}

// Regime is the outcome view, by rules:
//
//	invalid      no plan yet, or a report none of whose claims cites a quote we hold
//	recoverable  a plan, but no sub-question is covered
//	partial      at least one sub-question is covered
//	complete     reviewed, something is supported, and every sub-question has a
//	             supported claim or is reported as not found
func (s *researchState) Regime() research.Regime {
	qs := s.l.Plan.Subquestions
	switch {
	case len(qs) == 0, len(s.l.Report.Claims) > 0 && s.grounded == 0:
		return research.RegimeInvalid
	case s.finished(qs):
		return research.RegimeComplete
	}
	for _, q := range qs {
		if len(s.covered[q.ID]) > 0 {
			return research.RegimePartial
		}
	}
	return research.RegimeRecoverable
}

func (s *researchState) finished(qs []research.Subquestion) bool {
	if s.supported == 0 || !s.l.Report.Reviewed {
		return false
	}
	for _, q := range qs {
		if s.verdict[q.ID] < creditVerified && !s.reportedNotFound(q) {
			return false
		}
	}
	return true
}

func anyIn(ids []string, set map[string]bool) bool {
	for _, id := range ids {
		if set[id] {
			return true
		}
	}
	return false
}
