package solver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/eval/verify"
	"github.com/progrouter/progrouter/eval/worlds/records"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// played is a model whose answers and joules are known.
type played struct {
	answer string
	used   float64
	asked  []chat.Request
	fail   error
	after  int // calls until it fails
}

func (p *played) Joules() (research.Micro, bool) { return research.ToMicro(1 + p.used), true }

func (p *played) Call(_ context.Context, r chat.Request, _ chat.Watch) (chat.Outcome, error) {
	if p.fail != nil && len(p.asked) >= p.after {
		return chat.Outcome{}, p.fail
	}
	p.asked = append(p.asked, r)
	p.used += 5
	time.Sleep(time.Millisecond) // so that it takes time
	return chat.Outcome{Tries: 1, Response: chat.Response{
		Text: p.answer, Finish: chat.Length, Usage: chat.Usage{Input: 40, Output: 12, Counted: "server"},
	}}, nil
}

func (p *played) model(name string, tier research.Tier) Model {
	return Model{Name: name, Tier: tier, Caller: p, Gauge: energy.NewDevice(energy.DeviceConfig{Counter: p, Method: research.MethodCPU, Low: .5, High: 2})}
}

// exact passes an answer that holds the word right.
type exact struct{ word string }

func (e exact) Check(_ context.Context, _ verify.Task, text string) (verify.Verdict, error) {
	if strings.Contains(text, e.word) {
		return verify.Verdict{Code: "passed", Share: 1}, nil
	}
	return verify.Verdict{Code: "wrong", Said: "no"}, nil
}

func tasks(n int) []verify.Task {
	var out []verify.Task
	for i := range n {
		out = append(out, verify.Task{ID: "own/" + string(rune('a'+i)), Suite: "own", Kind: verify.Mathematics, Prompt: "How many?", Answer: "4"})
	}
	return out
}

func TestAskSaysWhatItTook(t *testing.T) {
	t.Parallel()
	p := &played{answer: "\\boxed{4}"}
	a, err := Ask(t.Context(), p.model("play/a", research.Small), tasks(1)[0], "it was 5", 7, DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	if a.Tokens.Output != 12 || a.Tokens.Input != 40 || !a.Cut || a.Seconds <= 0 {
		t.Errorf("%+v", a)
	}
	if a.Energy.Joules == nil || a.Energy.Joules.Units() != 5 || a.Energy.Method != research.MethodCPU {
		t.Errorf("energy %+v", a.Energy)
	}
	r := p.asked[0]
	if *r.Seed != 7 || r.Temperature <= 0 || r.MaxTokens != 400 || !strings.Contains(r.Messages[1].Text, "it was 5") {
		t.Errorf("asked %+v", r)
	}
}

func TestPromptsShowWhatATaskIsCheckedBy(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		task verify.Task
		want []string
	}{
		"entry": {verify.Task{Kind: verify.Code, Entry: "double", Prompt: "def double(x):\n", Test: "secret"}, []string{"def double(x):", "```python"}},
		"tests": {verify.Task{Kind: verify.Code, Prompt: "Double a number.", Tests: []string{"assert double(2) == 4"}}, []string{"Double a number.", "assert double(2) == 4"}},
		"exact": {verify.Task{Kind: verify.Mathematics, Prompt: "Two and two?", Answer: "4444"}, []string{"Two and two?", "\\boxed"}},
	} {
		ms := messages(tc.task, "")
		all := ms[0].Text + "\n" + ms[1].Text
		for _, w := range tc.want {
			if !strings.Contains(all, w) {
				t.Errorf("%s: %q is not in %q", name, w, all)
			}
		}
		if strings.Contains(all, "secret") || strings.Contains(all, "4444") {
			t.Errorf("%s gives the solution away: %q", name, all)
		}
	}
}

func recording(t *testing.T, ms ...Model) Recording {
	t.Helper()
	return Recording{Models: ms, Check: exact{"right"}, Attempts: 2, Settings: DefaultSettings(), Watts: 10, File: filepath.Join(t.TempDir(), "attempts.jsonl")}
}

func TestRecordingGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	down := &chat.Error{Kind: chat.Unreachable}
	a, b := &played{answer: "right"}, &played{answer: "no", fail: down, after: 2}
	r := recording(t, a.model("play/a", research.Small), b.model("play/b", research.Large))
	err := r.Run(t.Context(), tasks(3))
	if research.CodeOf(err) != research.EUnavailable {
		t.Fatalf("a server that is down: %v", err)
	}
	before, err := records.Read(r.File)
	if err != nil || len(before) != 5 { // a b, a b, a, and b is down
		t.Fatalf("%d records, %v", len(before), err)
	}
	b.fail = nil
	if err := r.Run(t.Context(), tasks(3)); err != nil {
		t.Fatal(err)
	}
	all, err := records.Read(r.File)
	if err != nil || len(all) != 2*3*2 || len(a.asked) != 6 || len(b.asked) != 6 {
		t.Fatalf("%d records, %d and %d asked, %v", len(all), len(a.asked), len(b.asked), err)
	}
	seeds := map[int64]bool{}
	for _, x := range all {
		seeds[x.Seed] = true
		if want := map[string]string{"play/a": "passed", "play/b": "wrong"}[x.Model]; x.Verdict != want || x.Joules != 5 || x.Low != 2.5 || x.CPUSeconds != .5 {
			t.Errorf("%+v", x)
		}
	}
	if len(seeds) != len(all) {
		t.Errorf("%d seeds for %d attempts: they are not independent", len(seeds), len(all))
	}
}

func TestRecheckVerifiesAnewWithoutAsking(t *testing.T) {
	t.Parallel()
	p := &played{answer: "nearly"}
	r := recording(t, p.model("play/a", research.Small))
	if err := r.Run(t.Context(), tasks(2)); err != nil {
		t.Fatal(err)
	}
	asked := len(p.asked)
	r.Check = exact{"nearly"}
	n, err := r.Recheck(t.Context(), tasks(2)[:1])
	if err != nil || n != 2 || len(p.asked) != asked {
		t.Fatalf("%d changed, %v", n, err)
	}
	rs, err := records.Read(r.File)
	if err != nil || len(rs) != 4 {
		t.Fatal(len(rs), err)
	}
	for _, x := range rs {
		if want := map[string]string{"own/a": "passed", "own/b": "wrong"}[x.Task]; x.Verdict != want {
			t.Errorf("%s: %s", x.Task, x.Verdict)
		}
	}
	if err := os.Remove(r.File + AnswersSuffix); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Recheck(t.Context(), tasks(2)); research.CodeOf(err) != research.ENotFound {
		t.Errorf("without answers: %v", err)
	}
}

// Killed at any byte of what it was writing, a recording loses that attempt and no
// other: it is made again, and its answer can be verified anew.
func TestATornAnswerTearsNoOther(t *testing.T) {
	t.Parallel()
	p := &played{answer: "nearly"}
	whole := recording(t, p.model("play/a", research.Small))
	if err := whole.Run(t.Context(), tasks(2)); err != nil {
		t.Fatal(err)
	}
	file, err1 := os.ReadFile(whole.File)
	answers, err2 := os.ReadFile(whole.File + AnswersSuffix)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	for _, torn := range []int{1, 2, 40} {
		r := recording(t, p.model("play/a", research.Small))
		// The answer is written before the outcome, which was not reached.
		kept := file[:strings.LastIndex(strings.TrimSpace(string(file)), "\n")+1]
		err1, err2 := os.WriteFile(r.File, kept, 0o600), os.WriteFile(r.File+AnswersSuffix, answers[:len(answers)-torn], 0o600)
		if err := errors.Join(err1, err2, r.Run(t.Context(), tasks(2))); err != nil {
			t.Fatal(err)
		}
		texts, err := readAnswers(r.File + AnswersSuffix)
		rs, err3 := records.Read(r.File)
		if err != nil || err3 != nil || len(texts) != 4 || len(rs) != 4 {
			t.Errorf("%d bytes torn: %d answers of %d attempts, %v, %v", torn, len(texts), len(rs), err, err3)
		}
	}
}

func TestACancelledRecordingKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	p := &played{answer: "right", fail: context.Canceled, after: 3}
	r := recording(t, p.model("play/a", research.Small))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Run(ctx, tasks(2)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := records.Read(r.File); err != nil {
		t.Error(err)
	}
}

func TestASampleGrowsAndStaysTheSame(t *testing.T) {
	t.Parallel()
	all := tasks(20)
	ids := func(ts []verify.Task) (out []string) {
		for _, x := range ts {
			out = append(out, x.ID)
		}
		return out
	}
	five, ten := ids(Sample(all, 5)), ids(Sample(all, 10))
	if !slices.Equal(five, ten[:5]) || len(ids(Sample(all, 0))) != 20 || len(Sample(nil, 3)) != 0 {
		t.Errorf("%v and %v", five, ten)
	}
	if slices.Equal(five, ids(all[:5])) {
		t.Error("the sample is the head of the file")
	}
}
