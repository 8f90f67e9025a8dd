package calibrate

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// lab plays a server with known costs, the clock and the gauge on it.
type lab struct {
	now     time.Time
	cold    bool
	joules  float64
	failing func(call int) error
	blind   bool
	retries int
	calls   int
	asked   []chat.Request
}

const (
	callJ, readJ, writeJ, loadJ = 0.5, 0.1, 1.2, 40.0
	readS, writeS               = 0.005, 0.05
)

func newLab() *lab { return &lab{now: time.Unix(1e9, 0), cold: true} }

func (l *lab) Call(_ context.Context, r chat.Request, _ chat.Watch) (chat.Outcome, error) {
	l.calls++
	l.asked = append(l.asked, r)
	if l.failing != nil {
		if err := l.failing(l.calls); err != nil {
			return chat.Outcome{Tries: 1}, err
		}
	}
	in, out := len(strings.Fields(r.Messages[0].Text))+20, r.MaxTokens
	l.joules += callJ + readJ*float64(in) + writeJ*float64(out)
	took := 0.1 + readS*float64(in) + writeS*float64(out)
	var load time.Duration
	if l.cold {
		l.cold, load = false, 2*time.Second
		l.joules += loadJ
		took += 2
	}
	l.now = l.now.Add(time.Duration(took * float64(time.Second)))
	return chat.Outcome{Tries: 1 + l.retries, Response: chat.Response{Load: load, Usage: chat.Usage{Input: in, Output: out, Counted: "server"}}}, nil
}

func (l *lab) Joules() (research.Micro, bool) { return research.ToMicro(l.joules + 1), !l.blind }

func (l *lab) target(unload bool) Target {
	t := Target{Model: research.LanguageModel{Name: "lab/m"}, Caller: l, Device: "a lab", Gauge: energy.NewDevice(energy.DeviceConfig{
		Counter: l, Method: research.MethodCPU, Low: .5, High: 2, Now: func() time.Time { return l.now },
	})}
	if unload {
		t.Unload = func(context.Context) error { l.cold = true; return nil }
	}
	return t
}

func (l *lab) options(calls int) Options {
	return Options{Calls: calls, Now: func() time.Time { return l.now }}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > .01*want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestCalibrationFindsTheCosts(t *testing.T) {
	t.Parallel()
	l := newLab()
	r, err := Model(t.Context(), l.target(true), l.options(0))
	if err != nil {
		t.Fatal(err)
	}
	c := r.Coefficients
	near(t, "call", c.Call, callJ)
	near(t, "read", c.Prefill, readJ)
	near(t, "write", c.Decode, writeJ)
	near(t, "load", c.Load, loadJ)
	near(t, "write s", c.Seconds.Decode, writeS)
	near(t, "load s", c.Seconds.Load, 2)
	if r.Model != "lab/m" || c.Device != "a lab" || c.Method != research.MethodCPU || c.Samples != DefaultCalls+coldCalls || r.Failed != 0 || c.At.IsZero() {
		t.Errorf("%+v", r)
	}
}

func TestCalibrationWithoutUnloadingDoesNotKnowTheLoad(t *testing.T) {
	t.Parallel()
	l := newLab()
	r, err := Model(t.Context(), l.target(false), l.options(12))
	if err != nil || r.Coefficients.Load != 0 || !strings.Contains(r.Coefficients.Note, "loading") || r.Coefficients.Samples != 12 {
		t.Errorf("%+v, %v", r.Coefficients, err)
	}
}

func TestCalibrationBearsSomeFailures(t *testing.T) {
	t.Parallel()
	l := newLab()
	l.failing = func(call int) error {
		if call%4 == 0 {
			return &chat.Error{Kind: chat.Cut}
		}
		return nil
	}
	r, err := Model(t.Context(), l.target(false), l.options(16))
	if err != nil || r.Failed != 4 || r.Coefficients.Samples != 12 {
		t.Errorf("%d failed, %+v, %v", r.Failed, r.Coefficients, err)
	}
}

func TestCalibrationSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	refused := &chat.Error{Kind: chat.Unreachable, Detail: "nobody listens"}
	for name, tt := range map[string]struct {
		spoil func(*lab)
		want  string
	}{
		"server down":      {func(l *lab) { l.failing = func(int) error { return refused } }, "nobody listens"},
		"not measurable":   {func(l *lab) { l.blind = true }, "could not be measured"},
		"too many retries": {func(l *lab) { l.retries = 1 }, "16 failed"},
		"fails later": {func(l *lab) {
			l.failing = func(call int) error {
				if call > 4 {
					return refused
				}
				return nil
			}
		}, "13 failed"},
	} {
		l := newLab()
		tt.spoil(l)
		if _, err := Model(t.Context(), l.target(false), l.options(16)); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "lab/m") {
			t.Errorf("%s: %v, want something with %q", name, err, tt.want)
		}
	}
	l := newLab()
	ctx, cancel := context.WithCancel(t.Context())
	l.failing = func(call int) error {
		if call == 3 {
			cancel()
			return context.Canceled
		}
		return nil
	}
	if _, err := Model(ctx, l.target(false), l.options(16)); !errors.Is(err, context.Canceled) || l.calls != 3 {
		t.Errorf("cancelled: %v after %d calls", err, l.calls)
	}
}

// Prompts differ from their first words on, and lengths vary independently within
// what the model takes.
func TestShapesFitTheModel(t *testing.T) {
	t.Parallel()
	pairs := map[shape]bool{}
	for _, s := range shapes(16, 4096, 1024) {
		pairs[s] = true
	}
	if len(pairs) != 16 {
		t.Errorf("16 calls have %d shapes", len(pairs))
	}
	for _, s := range shapes(32, 512, 64) {
		if s.prompt > 512/3 || s.answer > 64 || s.prompt < 1 || s.answer < 1 {
			t.Errorf("%+v does not fit", s)
		}
	}
	starts := map[string]bool{}
	for i := range 200 {
		starts[strings.SplitAfterN(shape{prompt: 100}.text(i), " ", 3)[1]] = true
	}
	if len(starts) != 200 {
		t.Errorf("200 prompts begin in %d ways", len(starts))
	}
	short, long := len(strings.Fields(shape{prompt: 40}.text(1))), len(strings.Fields(shape{prompt: 800}.text(1)))
	if long-short != 760 {
		t.Errorf("prompts of 40 and 800 have %d and %d words", short, long)
	}
}
