package embedded

import (
	"context"

	"github.com/progrouter/progrouter/research"
)

// Guide is what a language model decides in place of the engine's own rules. The
// engine keeps searching, opening, ranking, offsets, checking and composing, and
// it holds every answer to its own: a Guide can better a step, not ruin it.
//
// A zero answer means "as the engine would". An error ends the step and is only
// for the end of the context; a model that fails is the Guide's own affair.
type Guide interface {
	// Plan proposes up to room narrower questions beside those of named, and
	// search wordings for the question itself.
	Plan(ctx context.Context, question string, named []research.Subquestion, room int) (Proposal, error)
	// Queries proposes further search wordings, by id of the sub-question. used
	// are those that were tried.
	Queries(ctx context.Context, open []research.Subquestion, used map[string][]string) (map[string][]string, error)
	// Choose picks from sentences, the engine's own choice of which comes first.
	Choose(ctx context.Context, q research.Subquestion, from []Candidate, room int) (Choice, error)
	// Draft writes claims on quotes.
	Draft(ctx context.Context, plan research.Plan, from []Quotation) (Draft, error)
	// Judge names the claims (by id) whose quotes do not say them, in its view.
	Judge(ctx context.Context, claims []Judged) ([]string, error)
}

// Proposal is a Guide's answer to a question.
type Proposal struct {
	Subquestions []string
	Queries      []string
}

// Candidate is a sentence that may become evidence, as a report would show it.
type Candidate struct {
	Text    string
	Title   string // of its page
	Heading string // nearest above, "" if none
	URL     string
}

// Choice is which candidates help, by index. None says that the Guide looked and
// found that nothing helps; a zero Choice has no opinion.
type Choice struct {
	Use  []int
	None bool
}

// Quotation is evidence as the writer sees it.
type Quotation struct {
	ID          string // of the evidence
	Subquestion string
	Text        string
	Title       string // of its page
}

// Draft is what a Guide would write.
type Draft struct {
	Claims  []DraftClaim
	Summary string // one sentence, "" for the engine's choice
}

// DraftClaim is a sentence with the ids of the evidence it rests on.
type DraftClaim struct {
	Text string
	Cite []string
}

// Judged is a claim with the quotes it rests on.
type Judged struct {
	ID     string
	Text   string
	Quotes []string
}

// DoGuided takes one step as Do does, with the means of a tier and with a guide.
// The model named in the task is noted on what it brings.
func (e *Engine) DoGuided(ctx context.Context, t research.Task, base research.Tier, g Guide) (research.Result, error) {
	return e.do(ctx, t, base, g)
}

// EstimateGuided is what the engine's own part of a guided step costs.
func (e *Engine) EstimateGuided(ctx context.Context, t research.Task, base research.Tier) research.Estimate {
	for _, m := range e.Models() {
		if m.Tier == base {
			t.Model = m.Name
			return e.Estimate(ctx, m.Name, t)
		}
	}
	return e.Estimate(ctx, "", t)
}

// Base is the tier of the engine that works beneath a language model of a tier:
// the same, or the small one where its transformer does not read the language.
func (e *Engine) Base(tier research.Tier, language string) research.Tier {
	if tier != research.Small && !e.encoder.Supports(language) {
		return research.Small
	}
	return tier
}

// Working are the sub-questions a task works on.
func (e *Engine) Working(t research.Task) []research.Subquestion {
	return newStep(e, t, research.Small).focus()
}

// Unplanned are the sub-questions of a search for which the plan has no wording
// left that was not tried, with what was tried.
func (e *Engine) Unplanned(t research.Task) ([]research.Subquestion, map[string][]string) {
	s := newStep(e, t, research.Small)
	used := map[string][]string{}
	for _, d := range t.Ledger.Queries {
		used[d.Subquestion] = append(used[d.Subquestion], d.Text)
	}
	var open []research.Subquestion
	for _, q := range s.focus() {
		if t.Rewrite || len(used[q.ID]) > 0 {
			open = append(open, q)
		}
	}
	return open, used
}

// Written are the claims of a report that are not quotes word for word: those a
// reviewer has to judge.
func Written(l *research.Ledger) []Judged {
	var out []Judged
	for _, c := range l.Report.Claims {
		if j, written := judged(l, c); written {
			out = append(out, j)
		}
	}
	return out
}

func judged(l *research.Ledger, c research.Claim) (Judged, bool) {
	j := Judged{ID: c.ID, Text: c.Text}
	for _, id := range c.EvidenceIDs {
		e, ok := l.EvidenceByID(id)
		if !ok {
			continue
		}
		quote := claimText(e)
		if quote == c.Text {
			return j, false
		}
		j.Quotes = append(j.Quotes, quote)
	}
	return j, len(j.Quotes) > 0
}
