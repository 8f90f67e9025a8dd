package rank

import (
	"context"
	"fmt"

	"github.com/progrouter/progrouter/research"
)

// Level is how much work a ranking may cost.
type Level int

// The levels, cheapest first.
const (
	Lexical Level = iota // BM25 over fields, positions and pages
	Rerank               // the transformer over the best few passages
	Deep                 // the transformer over many passages, pages weighed by their vectors
)

func (l Level) String() string {
	switch l {
	case Lexical:
		return "lexical"
	case Rerank:
		return "rerank"
	case Deep:
		return "deep"
	}
	return fmt.Sprintf("level %d", int(l))
}

// Encoder turns texts into L2-normalised vectors of one size.
type Encoder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	Supports(lang string) bool
}

// Static turns a text into one normalised vector at next to no cost.
type Static interface {
	Embed(text string) []float32
}

// Runner meters work: it runs fn for 0 to n-1 and charges the context's account.
type Runner interface {
	Run(ctx context.Context, n int, fn func(i int)) error
}

// Scored is a passage with how well it answers, best first in a ranking.
//
// Score lies in 0 to 1 and is comparable between questions: below Threshold of
// the level the passage does not answer. Lexical is the share of the question's
// weight that the passage's words carry, Semantic the cosine with the question
// (0 where the encoder did not look).
type Scored struct {
	research.Passage
	Score    float64
	Lexical  float64
	Semantic float64
}

// Ranker ranks. It is safe for concurrent use.
type Ranker struct {
	enc    Encoder
	static Static
	run    Runner
	tune   tuning
}

// New returns a Ranker. enc and static may be nil: then only Lexical works.
// A nil runner runs the work in place, unmetered.
func New(enc Encoder, static Static, runner Runner) *Ranker {
	if runner == nil {
		runner = inPlace{}
	}
	return &Ranker{enc: enc, static: static, run: runner, tune: standard()}
}

type inPlace struct{}

func (inPlace) Run(ctx context.Context, n int, fn func(int)) error {
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		fn(i)
	}
	return nil
}

// Supports reports whether a level can work in a language; the reason is a
// sentence for people.
func (r *Ranker) Supports(level Level, lang string) (bool, string) {
	switch {
	case level == Lexical:
		return true, ""
	case r.enc == nil:
		return false, "There is no encoder."
	case !r.enc.Supports(lang):
		return false, "The encoder of this tier reads English only."
	}
	return true, ""
}

// Passages ranks what the index found (or FromPassages made) for a question,
// best first, spread over pages. It fails when the level does not work in the
// language, with the encoder's error, or with the runner's (context done,
// energy used up).
func (r *Ranker) Passages(ctx context.Context, level Level, query, lang string, found research.PassagesFound) ([]Scored, error) {
	if ok, why := r.Supports(level, lang); !ok {
		return nil, languageError(level, why)
	}
	var cands []candidate
	err := r.run.Run(ctx, 1, func(int) { cands = r.tune.lexical(query, found) })
	if err != nil {
		return nil, err
	}
	if level != Lexical {
		if err := r.semantic(ctx, level, query, cands); err != nil {
			return nil, err
		}
	}
	var out []Scored
	err = r.run.Run(ctx, 1, func(int) { out = r.tune.order(cands) })
	return out, err
}

func languageError(level Level, why string) error {
	return research.Errorf(research.EInvalid, "rank_language",
		"The ranking %q cannot be used for this question. %s Use the lexical ranking.", level, why)
}

// Threshold is the score of the best passage below which the passages do not
// answer the question. Asked about pages on other subjects, few questions reach
// it; asked about their own, few stay below (TestThreshold measures both).
func Threshold(level Level) float64 {
	if level == Lexical {
		return 0.15
	}
	return 0.25
}
