package embedded

import (
	"context"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/rank"
)

// bundle is an engine over a few documents, with a ledger to work on.
type bundle struct {
	t      *testing.T
	engine *Engine
	lib    *memory
	enc    *bagEncoder
	l      *research.Ledger
	limits research.Limits
}

func setup(t *testing.T, question, lang string, docs ...research.Document) *bundle {
	t.Helper()
	enc := &bagEncoder{}
	lib := newMemory(docs...)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return &bundle{
		t: t, lib: lib, enc: enc, limits: research.LimitsFor(research.Standard),
		engine: New(Config{Finder: lib, Ranker: ranking{rank.New(enc, nil, nil)}, Encoder: enc, Now: func() time.Time { return now }}),
		l:      &research.Ledger{Run: research.Run{Request: research.Request{Question: question, Language: lang, Library: true}}},
	}
}

// do takes a step and writes it into the ledger.
func (b *bundle) do(ctx context.Context, model string, role research.Role, focus ...string) research.Result {
	b.t.Helper()
	task := research.Task{Role: role, Model: model, Ledger: b.l, Focus: focus, Limits: b.limits, Step: len(b.l.Steps)}
	r, err := b.engine.Do(ctx, task)
	if err != nil {
		b.t.Fatalf("%s: %v", role, err)
	}
	apply(b.l, task, r)
	return r
}

// run takes all steps of a run without gaps.
func (b *bundle) run(model string) {
	b.t.Helper()
	ctx := context.Background()
	b.do(ctx, model, research.Planner)
	b.do(ctx, model, research.Searcher)
	for _, q := range b.l.Plan.Subquestions {
		b.do(ctx, model, research.Reader, q.ID)
	}
	b.do(ctx, model, research.Writer)
	b.do(ctx, model, research.Reviewer)
}

func doc(url, title, body string) research.Document {
	return research.Document{URL: url, Title: title, Text: body, SHA256: research.HashText(body)}
}

// lighthouses is a small library about one topic, with other things beside it.
func lighthouses() []research.Document {
	return []research.Document{
		doc("library:alba.md", "Alba lighthouse", "# Alba lighthouse\n\nThe Alba lighthouse was built in 1872 by the engineer Maria Stein. "+
			"It stands on a reef north of the harbour and is 41 metres tall. However, its first lamp burned whale oil until 1890.\n\n"+
			"# Keepers\n\nThree keepers lived in the Alba lighthouse at a time. They changed every four weeks.\n"),
		doc("library:coast.md", "Lights of the coast", "# Lights of the coast\n\nThe Alba lighthouse was built in 1874 by the engineer Maria Stein. "+
			"The lens of the Alba lighthouse came from Paris and weighed two tonnes.\n\n- [Home](/home) - [About](/about) - [Contact us](/contact)\n"),
		doc("library:bread.md", "Bread", "# Bread\n\nBread is made of flour, water and salt. A sour dough needs a day to rise before it is baked.\n"),
	}
}
