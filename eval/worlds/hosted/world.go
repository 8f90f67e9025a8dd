package hosted

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/research"
)

// solvedFrom is the score from which an answer counts as solved. Most scores are
// 0 or 1; those between are of translations and long answers. An outcome's share
// is the score itself, so means of the benchmark's own measure stay possible.
const solvedFrom = 0.5

// World plays recorded answers. It is made by Open and does not change.
type World struct {
	name    string
	byMoney bool
	models  []trial.Model
	items   []trial.Item
	answers map[string]map[string]answer // by item and model
	notes   []string
}

var (
	_ trial.World      = (*World)(nil)
	_ trial.Repeatable = (*World)(nil)
)

// Open reads a file of recorded answers: costs are thousandths of a dollar where
// every answer has its dollars, else thousands of characters written. Queries
// that lack the answer of a model are left out, which Notes tells.
func Open(path string) (*World, error) {
	list, err := read(path)
	if err != nil {
		return nil, err
	}
	w := &World{name: nameOf(path), answers: map[string]map[string]answer{}}
	names := w.keep(list)
	if len(w.items) == 0 {
		return nil, broken(path, 0, errors.New("no query was answered by every model"))
	}
	if err := w.price(); err != nil {
		return nil, broken(path, 0, err)
	}
	if err := w.rank(names); err != nil {
		return nil, broken(path, 0, err)
	}
	return w, nil
}

// keep takes the queries that every model answered and returns the models.
func (w *World) keep(list []query) []string {
	all := map[string]bool{}
	for _, q := range list {
		for model := range q.Answers {
			all[model] = true
		}
	}
	for _, q := range list {
		if len(q.Answers) != len(all) {
			continue
		}
		w.items = append(w.items, trial.Item{ID: q.ID, Suite: w.name, Kind: kindOf(q), Text: q.Prompt})
		w.answers[q.ID] = q.Answers
	}
	if left := len(list) - len(w.items); left > 0 {
		w.notes = append(w.notes, fmt.Sprintf("%d of %d queries are left out: not every model answered them.", left, len(list)))
	}
	return sorted(all)
}

// price settles what costs are counted in.
func (w *World) price() error {
	w.byMoney = true
	lengths := true
	for _, answers := range w.answers {
		for _, a := range answers {
			w.byMoney = w.byMoney && a.Dollars != nil
			lengths = lengths && a.OutputChars != nil
		}
	}
	if !w.byMoney && !lengths {
		return errors.New(`every answer needs its "dollars", or every answer its "output_chars"`)
	}
	return nil
}

// kindOf tells what verifies an answer: an exact answer where it is right or
// wrong, else what the words of the query say (a chosen option, tests, a
// reference text).
func kindOf(q query) string {
	for _, a := range q.Answers {
		if a.Score == nil {
			return "answer"
		}
	}
	p := strings.ToLower(q.Prompt)
	for _, k := range []struct{ word, kind string }{
		{"multiple-choice", "choice"}, {"python function", "code"}, {"translate the following", "translation"},
		{"mathematical problem", "mathematics"},
	} {
		if strings.Contains(p, k.word) {
			return k.kind
		}
	}
	return "question"
}

// Name is the name of the file.
func (w *World) Name() string { return w.name }

// Unit is a thousandth of a dollar or a thousand characters; never joules.
func (w *World) Unit() trial.Unit {
	if w.byMoney {
		return trial.Unit{Symbol: "m$"}
	}
	return trial.Unit{Symbol: "kchar"}
}

// Models lists the models, cheapest first.
func (w *World) Models() []trial.Model { return slices.Clone(w.models) }

// Items lists the queries in the order of the file.
func (w *World) Items() []trial.Item { return slices.Clone(w.items) }

// Notes tells what a reader of the figures must know.
func (w *World) Notes() []string { return slices.Clone(w.notes) }

// Repeatable is false: each model answered once.
func (w *World) Repeatable() bool { return false }

// Attempt is the recorded answer, the same every time.
func (w *World) Attempt(ctx context.Context, it trial.Item, model string, _ int, _ string, _ *rand.Rand) (trial.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return trial.Outcome{}, err
	}
	a, ok := w.answers[it.ID][model]
	if !ok {
		return trial.Outcome{}, research.Errorf(research.ENotFound, "outcome_missing",
			"%s holds no answer of %s to %s. Choose among the models and queries of the file.", w.name, model, it.ID)
	}
	out := trial.Outcome{Share: a.share(), Cost: w.cost(a), Tokens: tokens(a), Verdict: trial.Wrong}
	switch {
	case out.Share >= solvedFrom:
		out.Verdict = trial.Passed
	case out.Share > 0:
		out.Verdict = trial.Partly
	}
	return out, nil
}

func (w *World) cost(a answer) trial.Cost {
	c := trial.Cost{Dollars: of(a.Dollars), Seconds: of(a.Seconds)}
	if w.byMoney {
		c.Units = 1000 * c.Dollars
	} else {
		c.Units = float64(of(a.OutputChars)) / 1000
	}
	return c
}

func tokens(a answer) research.Tokens {
	if a.InputTokens == nil && a.OutputTokens == nil {
		return research.Tokens{Counted: "none"}
	}
	return research.Tokens{Input: of(a.InputTokens), Output: of(a.OutputTokens), Counted: "server"}
}

// Chance is 1 for answers that were recorded as solved and 0 for others.
func (w *World) Chance(it trial.Item, model string) (float64, bool) {
	a, ok := w.answers[it.ID][model]
	switch {
	case !ok:
		return 0, false
	case a.share() >= solvedFrom:
		return 1, true
	}
	return 0, true
}
