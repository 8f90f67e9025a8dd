package orchestrator

import (
	"strings"

	"github.com/progrouter/progrouter/research"
)

// Move is what the coordinator wants next: a step, or the end.
type Move struct {
	Role    research.Role
	Focus   []string
	Rewrite bool
	Finish  bool
	Stop    Stop // why, when Finish
}

// Stop says why no further step is taken.
type Stop string

// Reasons to stop. StopDone means that nothing useful is left to do.
const (
	StopDone    Stop = "done"
	StopBudget  Stop = "budget"
	StopSteps   Stop = "steps"
	StopStalled Stop = "stalled"
	StopErrors  Stop = "errors"
	StopTier    Stop = "tier"
)

const (
	// maxFailures is how often one piece of work may fail in a row. A search or a
	// reading that keeps failing is passed over; a plan, a draft or a review that
	// does ends the run with what it has.
	maxFailures = 3
	// maxInterrupted is the same for steps cut off by a crash or a stop: a step
	// that kills the process must not loop for ever.
	maxInterrupted = 5
	// maxReads is more than any depth reads a sub-question in a row.
	maxReads = 100
	// graceSteps beyond the depth's cap are for drafting and reviewing.
	graceSteps = 4
)

// Next reads the ledger and names the next move. With spent set, no new ground
// is broken: what was found is written up and reviewed. The order of a run is
// plan → search → read each sub-question → draft → review → close gaps → end.
func Next(l *research.Ledger, lim research.Limits, spent bool) Move {
	v := survey(l)
	switch {
	case v.hopeless:
		return Move{Finish: true, Stop: StopErrors}
	case len(l.Steps) >= lim.Steps+graceSteps:
		return Move{Finish: true, Stop: StopSteps}
	case len(l.Steps) >= lim.Steps:
		return wrapUp(l, StopSteps)
	case spent:
		return wrapUp(l, StopBudget)
	}
	if len(l.Plan.Subquestions) == 0 {
		return Move{Role: research.Planner}
	}
	if m, ok := gather(l, lim, v); ok {
		return m
	}
	if m, ok := report(l); ok {
		return m
	}
	return closeGaps(l, lim, v)
}

// gather searches sub-questions nobody has searched and reads what was found.
func gather(l *research.Ledger, lim research.Limits, v view) (Move, bool) {
	var unsearched []string
	for _, q := range l.Plan.Subquestions {
		if !q.GaveUp && v.searches[q.ID] == 0 {
			unsearched = append(unsearched, q.ID)
		}
	}
	if len(unsearched) > 0 {
		return Move{Role: research.Searcher, Focus: unsearched}, true
	}
	for _, q := range l.Plan.Subquestions {
		if !q.GaveUp && v.worthReading(l, lim, q) {
			return Move{Role: research.Reader, Focus: []string{q.ID}}, true
		}
	}
	return Move{}, false
}

// worthReading says whether a reader should work on a sub-question: something
// was found since it was last read, or what was found is not all read although
// nothing has come of it yet, or the user gave it to be read.
func (v view) worthReading(l *research.Ledger, lim research.Limits, q research.Subquestion) bool {
	if v.newHits[q.ID] {
		return true // without room for sources it looks into those already read
	}
	if len(l.Sources) >= lim.Sources || v.reads[q.ID] == 0 || v.reads[q.ID] > lim.Sources/max(1, lim.PerQuestion) {
		return false
	}
	if len(l.Unread(q.ID)) == 0 {
		return false
	}
	return len(l.EvidenceFor(q.ID)) == 0 || q.Main && len(l.GivenUnread()) > 0
}

// report drafts when evidence is newer than the draft, and reviews a new draft.
func report(l *research.Ledger) (Move, bool) {
	if len(l.Evidence) > l.Report.EvidenceSeen {
		return Move{Role: research.Writer}, true
	}
	if l.Report.Draft > 0 && !l.Report.Reviewed {
		return Move{Role: research.Reviewer}, true
	}
	return Move{}, false
}

// closeGaps searches again, in other words, for sub-questions without a
// supported claim, while rounds are left and the last round brought something.
func closeGaps(l *research.Ledger, lim research.Limits, v view) Move {
	gaps := Gaps(l)
	if len(gaps) == 0 {
		return Move{Finish: true, Stop: StopDone}
	}
	var again []string
	for _, id := range gaps {
		if v.searches[id] <= lim.ReviewRounds {
			again = append(again, id)
		}
	}
	if len(again) == 0 || len(l.Sources) >= lim.Sources {
		return Move{Finish: true, Stop: StopDone}
	}
	if v.barrenRounds >= 2 {
		return Move{Finish: true, Stop: StopStalled}
	}
	return Move{Role: research.Searcher, Focus: again, Rewrite: true}
}

// wrapUp writes and reviews what is there, then ends for the given reason.
func wrapUp(l *research.Ledger, why Stop) Move {
	if m, ok := report(l); ok {
		return m
	}
	return Move{Finish: true, Stop: why}
}

// Gaps lists the sub-questions that no claim answers and that were not given up.
func Gaps(l *research.Ledger) []string {
	var out []string
	for _, q := range l.Open() {
		out = append(out, q.ID)
	}
	return out
}

// view is what the coordinator derives from the steps.
type view struct {
	searches     map[string]int  // searches done per sub-question
	newHits      map[string]bool // hits found since the sub-question was last read
	reads        map[string]int  // readings per sub-question since hits were last found
	barrenRounds int             // searches in a row that led to no new evidence
	hopeless     bool            // work the run cannot do without keeps failing
	failed, cut  map[string]int  // failures and interruptions in a row, per piece of work
}

func survey(l *research.Ledger) view {
	v := view{searches: map[string]int{}, newHits: map[string]bool{}, reads: map[string]int{}, failed: map[string]int{}, cut: map[string]int{}}
	hits, found := hitsByStep(l), evidenceByStep(l)
	for i, s := range l.Steps {
		if i > 0 {
			v.passed(l.Steps[i-1], s)
		}
		switch s.Outcome {
		case research.OutcomeEmpty:
			if s.Role != research.Searcher && s.Role != research.Reader {
				v.fail(s) // a search may find nothing; a plan or a draft may not be empty
				continue
			}
			v.done(s, hits[s.Index], found[s.Index])
		case research.OutcomeOK:
			v.done(s, hits[s.Index], found[s.Index])
		case research.OutcomeError, research.OutcomeInvalid:
			if brought(s, hits[s.Index], found[s.Index]) {
				v.done(s, hits[s.Index], found[s.Index])
				continue
			}
			v.fail(s)
		case research.OutcomeInterrupted:
			v.fail(s)
		}
	}
	return v
}

// passed forgets the failures of a plan, a draft or a review that other work came
// after: it stands, as the engine makes it where a model is of no use, or it would
// have been sought again.
func (v *view) passed(before, s research.Step) {
	key := workKey(before)
	if before.Role != research.Searcher && before.Role != research.Reader && key != workKey(s) {
		v.failed[key] = 0
	}
}

// brought says whether a search or a reading whose model was of no use found
// something all the same: then there is nothing to repeat.
func brought(s research.Step, hits map[string]bool, found int) bool {
	switch s.Role {
	case research.Searcher:
		return len(hits) > 0
	case research.Reader:
		return found > 0
	}
	return false
}

func (v *view) done(s research.Step, hits map[string]bool, found int) {
	key := workKey(s)
	v.failed[key], v.cut[key] = 0, 0
	switch s.Role {
	case research.Searcher:
		for _, id := range s.Focus {
			v.searches[id]++
			if hits[id] {
				v.newHits[id], v.reads[id] = true, 0
			}
		}
		v.barrenRounds++
	case research.Reader:
		for _, id := range s.Focus {
			v.newHits[id] = false
			v.reads[id]++
		}
		if found > 0 {
			v.barrenRounds = 0
		}
	}
}

func (v *view) fail(s research.Step) {
	key := workKey(s)
	if s.Outcome == research.OutcomeInterrupted {
		v.cut[key]++
	} else {
		v.failed[key]++
	}
	if v.failed[key] < maxFailures && v.cut[key] < maxInterrupted {
		return
	}
	if s.Role == research.Searcher || s.Role == research.Reader {
		v.done(s, nil, 0)
		for _, id := range s.Focus {
			v.reads[id] += maxReads // reading on would fail again
		}
		return
	}
	v.hopeless = true
}

func workKey(s research.Step) string { return string(s.Role) + " " + strings.Join(s.Focus, ",") }

func hitsByStep(l *research.Ledger) map[int]map[string]bool {
	m := map[int]map[string]bool{}
	for _, h := range l.Hits {
		if m[h.StepIndex] == nil {
			m[h.StepIndex] = map[string]bool{}
		}
		m[h.StepIndex][h.Subquestion] = true
	}
	return m
}

func evidenceByStep(l *research.Ledger) map[int]int {
	m := map[int]int{}
	for _, e := range l.Evidence {
		m[e.StepIndex]++
	}
	return m
}
