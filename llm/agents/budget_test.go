package agents

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// unruly is a server that does whatever servers do: it fails before and in the
// middle of answers, ignores its cap, rambles, thinks, repeats itself, counts
// wrongly or not at all.
type unruly struct {
	t     *rapid.T
	ratio float64 // tokens per byte of its prompts
}

func (u *unruly) Chat(ctx context.Context, r chat.Request, on func(chat.Delta)) (chat.Response, error) {
	bytes := 0
	for _, m := range r.Messages {
		bytes += len(m.Text)
	}
	input := int(float64(bytes)*u.ratio) + 10
	fault := rapid.SampledFrom([]string{"", "", "", "before", "middle", "no usage", "no cap"}).Draw(u.t, "fault")
	if fault == "before" {
		kind := rapid.SampledFrom([]chat.Kind{chat.RateLimited, chat.Overloaded, chat.Unreachable, chat.ContextLength, chat.Rejected}).Draw(u.t, "kind")
		return chat.Response{}, &chat.Error{Kind: kind}
	}
	text := rapid.SampledFrom([]string{
		good[r.Name], good[r.Name], "", "no JSON here", `{"use":[1,`, strings.Repeat("again and again ", 400), rambling(900), "<think>" + rambling(400),
	}).Draw(u.t, "text")
	out := chat.Response{Finish: chat.Stopped}
	written := 0
	for _, w := range pieces(text) {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if written >= r.MaxTokens && fault != "no cap" {
			out.Finish = chat.Length
			break
		}
		if fault == "middle" && written > 10 {
			out.Usage = chat.Usage{Input: input, Output: written, Counted: chat.FromLocal}
			return out, &chat.Error{Kind: chat.Cut}
		}
		written++
		out.Text += w
		on(chat.Delta{Text: w})
	}
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	if fault != "no usage" {
		out.Usage = chat.Usage{Input: input, Cached: rapid.IntRange(0, input).Draw(u.t, "cached"), Output: written, Counted: chat.FromServer}
	}
	return out, nil
}

func rambling(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "word%d ", i*i)
	}
	return b.String()
}

// Whatever a server does, no step costs more than what was reserved for it.
func TestNoStepCostsMoreThanItsReservation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		u := &unruly{t: rt, ratio: rapid.Float64Range(0.15, 0.45).Draw(rt, "ratio")}
		question := built + strings.Repeat(" And what of the Alba keepers?", rapid.IntRange(0, 12).Draw(rt, "long"))
		two := part{name: "test/b", client: u}
		b := setup(t, question, "en", lighthouses(), part{name: "test/a", client: u}, two)
		for _, role := range []research.Role{research.Planner, research.Searcher, research.Searcher, research.Reader, research.Writer, research.Reviewer, research.Writer} {
			task := b.task(role)
			task.Rewrite = role == research.Searcher && len(b.l.Queries) > 0
			e := b.engine.Estimate(t.Context(), task.Model, task)
			share := rapid.Float64Range(0, 1.3).Draw(rt, "share")
			task.Own = e.Own
			task.Reserved = research.Cost{
				Joules:  research.Known(*e.Own + research.Micro(share*float64(*e.Worst.Joules-*e.Own))),
				Dollars: research.Known(research.Micro(share * float64(*e.Worst.Dollars))),
			}
			r, err := b.engine.Do(t.Context(), task)
			if err != nil {
				rt.Fatal(err)
			}
			b.l.Apply(research.Step{Index: task.Step, Role: role, Model: task.Model, Outcome: r.Outcome, Actions: r.Actions}, r)
			b.check(rt, task, r, e, share >= 1)
		}
	})
}

func (b *bundle) check(rt *rapid.T, task research.Task, r research.Result, e research.Estimate, ample bool) {
	calls, joules, dollars := 0, research.Micro(0), research.Micro(0)
	for _, a := range r.Actions {
		if a.Call == nil {
			continue
		}
		calls++
		joules += *a.Call.Energy.Joules
		dollars += *a.Call.Dollars
	}
	if left := *task.Reserved.Joules - *task.Own; joules > left {
		rt.Fatalf("%s: %s J of %s after %d calls", task.Role, joules, left, calls)
	}
	if dollars > *task.Reserved.Dollars {
		rt.Fatalf("%s: $%s of $%s", task.Role, dollars, task.Reserved.Dollars)
	}
	if calls > 0 && (*r.Energy.Joules != joules || *r.Dollars != dollars) {
		rt.Fatalf("sums %s and %s, calls %s and %s", r.Energy.Joules, r.Dollars, joules, dollars)
	}
	for _, m := range b.engine.models {
		ample = ample && m.learned.window == 0 // it may not fit a window that proved narrower than stated
	}
	if ample && calls == 0 && *e.Worst.Joules > *e.Own && strings.Contains(noteCodes(r), noteNotAsked) {
		rt.Fatalf("%s: not asked with all of %s J reserved", task.Role, task.Reserved.Joules)
	}
}

// What attempts cost that broke off is taken from the room of the next one.
func TestLostAttemptsAreWithinTheReservation(t *testing.T) {
	t.Parallel()
	for _, share := range []float64{0.3, 0.4, 0.5, 0.7, 1} {
		attempts := 0
		breaks := clientFunc(func(ctx context.Context, r chat.Request, on func(chat.Delta)) (chat.Response, error) {
			attempts++
			s := scripted(chat.Response{Text: rambling(900)})
			if attempts%2 == 0 {
				return s.Chat(ctx, r, on)
			}
			r.MaxTokens = min(r.MaxTokens, 40)
			out, err := s.Chat(ctx, r, on)
			if err == nil {
				err = &chat.Error{Kind: chat.Cut}
			}
			return out, err
		})
		b := setup(t, built, "en", lighthouses(), part{name: "test/m", client: breaks})
		task := b.task(research.Planner)
		e := b.engine.Estimate(t.Context(), task.Model, task)
		left := research.Micro(share * float64(*e.Worst.Joules-*e.Own))
		task.Own, task.Reserved.Joules = e.Own, research.Known(*e.Own+left)
		r := b.take(t.Context(), task)
		if r.Energy != nil && *r.Energy.Joules > left {
			t.Errorf("%.1f: %s J of %s in %d attempts", share, r.Energy.Joules, left, attempts)
		}
		if share == 1 && (attempts < 2 || r.Tokens.Output < 50) {
			t.Errorf("%d attempts, %d tokens", attempts, r.Tokens.Output)
		}
	}
}
