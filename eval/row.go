package eval

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/progrouter/progrouter/eval/measure"
	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/research"
)

// runLine is one line of runs.jsonl: everything a figure can be recomputed from.
type runLine struct {
	Policy     research.Policy      `json:"policy"`
	Seed       int                  `json:"seed"`
	Suite      string               `json:"suite"`
	QuestionID string               `json:"question_id"`
	Ranking    []RankedPassage      `json:"ranking"`
	Run        research.RunDocument `json:"run"`
}

func (o Options) measure(ctx context.Context, lab Lab, p research.Policy, seed int, it item, l *research.Ledger) (Row, error) {
	doc := l.Document("")
	scores := measure.Run(it.question, doc)
	row := Row{
		Policy: p, Seed: seed, Suite: it.suite.Name, QuestionID: it.question.ID, Status: l.Run.Status,
		Quality: scores.Quality, CitationPrecision: scores.CitationPrecision, SourcePrecision: scores.SourcePrecision,
		GoldPageRecall: scores.GoldPageRecall, StatementRecall: scores.StatementRecall,
		Decisions: map[string]int{},
	}
	row.charge(l)
	ranking, err := row.rank(ctx, lab, it)
	if err != nil {
		return row, err
	}
	if o.Runs == nil {
		return row, nil
	}
	line := runLine{Policy: p, Seed: seed, Suite: it.suite.Name, QuestionID: it.question.ID, Ranking: ranking, Run: doc}
	if err := json.NewEncoder(o.Runs).Encode(line); err != nil {
		return row, fmt.Errorf("write run: %w", err)
	}
	return row, nil
}

// charge reads what the run cost and whether it kept its budget.
func (r *Row) charge(l *research.Ledger) {
	t, b := l.Totals(), l.Run.Budget
	r.Joules, r.Low, r.High, r.Method = t.Joules.Units(), t.Low.Units(), t.High.Units(), t.Method
	r.Dollars, r.Seconds = t.Dollars.Units(), t.Seconds+replayed(l)
	r.Overrun = (b.Joules != nil && t.Joules > *b.Joules) || (b.Dollars != nil && t.Dollars > *b.Dollars) ||
		(b.Seconds != nil && t.Seconds > *b.Seconds+secondsTolerance)
	for _, s := range l.Steps {
		r.foresee(s)
		chosen := s.Decision.Chosen // another model of the tier may have answered
		if chosen == "" {
			chosen = s.Model
		}
		r.Decisions[chosen]++
	}
}

// foresee keeps what was expected of a step and what came of it. Nothing was
// foreseen of one that was cut off from outside or that another model took.
func (r *Row) foresee(s research.Step) {
	st := trial.StepRow{Model: s.Model, Verdict: string(s.Outcome), Explored: s.Decision.Explored, Gain: s.ProgressAfter - s.ProgressBefore, Units: research.OrZero(s.Energy.Joules).Units()}
	for _, c := range s.Decision.Candidates {
		cut := s.Outcome == research.OutcomeInterrupted || s.Outcome == research.OutcomeCancelled
		if c.Model == s.Decision.Chosen && c.Model == s.Model && !cut {
			st.Predicted, st.Expected = c.Predicted, research.OrZero(c.Expected.Joules).Units()
		}
	}
	r.steps = append(r.steps, st)
}

// secondsTolerance is how late a step may be cut off.
const secondsTolerance = 0.1

// rank gives fixed policies their page recall for the original question.
func (r *Row) rank(ctx context.Context, lab Lab, it item) ([]RankedPassage, error) {
	tier, fixed := r.Policy.FixedTier()
	if !fixed {
		return []RankedPassage{}, nil
	}
	ranking, err := lab.Rank(ctx, tier, it.suite, it.question.Question, rankedKept)
	if err != nil {
		return nil, fmt.Errorf("rank %s: %w", it.question.ID, err)
	}
	urls := make([]string, len(ranking))
	for i, p := range ranking {
		urls[i] = p.URL
	}
	five, ten := measure.PageRecall(urls, it.question.GoldURLs, 5), measure.PageRecall(urls, it.question.GoldURLs, 10)
	r.PageRecall5, r.PageRecall10 = &five, &ten
	return ranking, nil
}

// replayed is how long the calls took that were answered from a cache, when they
// were really made.
func replayed(l *research.Ledger) float64 {
	sum := 0.0
	for _, s := range l.Steps {
		for _, a := range s.Actions {
			if a.Call != nil && a.Call.Replayed {
				sum += a.Seconds
			}
		}
	}
	return sum
}
