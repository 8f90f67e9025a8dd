// Package calibrate measures what calls of a local language model take: it asks
// prompts and answers of various lengths while a gauge watches the server, and
// fits the coefficients by which later calls are estimated. It must not know
// roles, prompts of agents, or where coefficients are kept.
package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// Bounds of the number of measured calls.
const (
	DefaultCalls = 16
	LeastCalls   = 12 // calls that fail or cannot be measured must leave enough for a fit
	MostCalls    = 200
)

// coldCalls is how often the loading of a model is measured.
const coldCalls = 2

// Caller asks a model; *chat.Caller does.
type Caller interface {
	Call(ctx context.Context, r chat.Request, w chat.Watch) (chat.Outcome, error)
}

// Target is a model whose server runs on this machine.
type Target struct {
	Model  research.LanguageModel
	Caller Caller
	Gauge  energy.Gauge
	Device string // what the gauge measures
	// Unload makes the server forget the model, so that loading can be measured;
	// nil where it cannot.
	Unload func(ctx context.Context) error
}

// Options of a calibration. Zero values mean the defaults.
type Options struct {
	Calls int
	Now   func() time.Time
	// Step is told of every call before it starts.
	Step func(done, all int)
}

// Result is what a calibration found.
type Result struct {
	Model        string                `json:"model"`
	Coefficients research.Coefficients `json:"coefficients"`
	Samples      []energy.Sample       `json:"samples"`
	Failed       int                   `json:"failed"` // calls that failed or could not be measured
}

// Model measures a model. The first call is not counted: it loads the model and
// whatever else a server does at first. Its errors say which model and what to
// do about it; a cancelled context ends it at once.
func Model(ctx context.Context, t Target, o Options) (Result, error) {
	if o.Calls == 0 {
		o.Calls = DefaultCalls
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Step == nil {
		o.Step = func(int, int) {}
	}
	m := &measuring{Target: t, Options: o, out: Result{Model: t.Model.Name}}
	if err := m.run(ctx); err != nil {
		return m.out, err
	}
	c, err := energy.Fit(m.out.Samples)
	if err != nil {
		return m.out, m.wrap(err)
	}
	c.Device = t.Device
	m.out.Coefficients = c
	return m.out, nil
}

type measuring struct {
	Target
	Options
	out  Result
	done int
}

func (m *measuring) run(ctx context.Context) error {
	plan := shapes(m.Calls, window(m.Target.Model), most(m.Target.Model))
	colds := 0
	if m.Unload != nil {
		colds = coldCalls
	}
	all := 1 + colds + len(plan)
	m.Step(0, all)
	if _, _, err := m.call(ctx, shape{prompt: 30, answer: 4}); err != nil {
		return m.first(ctx, err)
	}
	for i := range colds {
		m.next(all)
		if err := m.Unload(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			break // the load stays unknown, and the fit says so
		}
		if err := m.sample(ctx, shape{prompt: 60, answer: 8 + 8*i}, true); err != nil {
			return err
		}
	}
	for _, s := range plan {
		m.next(all)
		if err := m.sample(ctx, s, false); err != nil {
			return err
		}
	}
	return nil
}

func (m *measuring) next(all int) {
	m.done++
	m.Step(m.done, all)
}

// first explains why nothing can be measured.
func (m *measuring) first(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, errUnmeasured) {
		return research.Errorf(research.EUnavailable, "calibrate_gauge", "%s answers, but its server's work could not be measured (%s). Run the server on this machine, outside of a container, and try again.", m.Target.Model.Name, m.Device).
			With(map[string]any{"Model": m.Target.Model.Name, "Device": m.Device})
	}
	return research.Errorf(research.EUnavailable, "calibrate_call", "%s does not answer: %v. Start its server and try again.", m.Target.Model.Name, err).
		With(map[string]any{"Model": m.Target.Model.Name, "Reason": err.Error()}).Wrap(err)
}

func (m *measuring) wrap(err error) error {
	if m.out.Failed > 0 {
		return fmt.Errorf("%s, of whose calls %d failed or could not be measured: %w", m.Target.Model.Name, m.out.Failed, err)
	}
	return fmt.Errorf("%s: %w", m.Target.Model.Name, err)
}

// sample measures a call. One that fails is counted and left out; only the
// context's end is an error.
func (m *measuring) sample(ctx context.Context, s shape, cold bool) error {
	got, tries, err := m.call(ctx, s)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil, tries > 1: // a second try mixes waiting and work
		m.out.Failed++
		return nil
	}
	got.Use.Cold = got.Use.Cold || cold
	m.out.Samples = append(m.out.Samples, got)
	return nil
}

var errUnmeasured = errors.New("the gauge could not measure the call")

func (m *measuring) call(ctx context.Context, s shape) (sample energy.Sample, tries int, err error) {
	r := chat.Request{
		Messages:    []chat.Message{{Role: chat.User, Text: s.text(m.done)}},
		MaxTokens:   s.answer,
		Temperature: 1,
	}
	reading := m.Gauge.Begin(ctx, m.Target.Model.Name)
	start := m.Now()
	got, err := m.Caller.Call(ctx, r, chat.Watch{})
	took := m.Now().Sub(start) - got.Waited
	paid := got.Paid()
	use := energy.CallUse{Input: paid.Input, Cached: paid.Cached, Output: paid.Output, Cold: loaded(got.Response)}
	e, ok := reading.End(use)
	if err == nil && !ok {
		err = errUnmeasured
	}
	return energy.Sample{Use: use, Energy: e, Seconds: took.Seconds(), At: start}, got.Tries, err
}

// loaded says whether the server had to load the model: some report a load time
// of milliseconds for a model that was there.
func loaded(r chat.Response) bool {
	const little = 500 * time.Millisecond
	return r.Load > little
}

// Defaults of a model, as research.LanguageModel says.
const (
	defaultWindow = 4096
	defaultOutput = 1024
)

func window(m research.LanguageModel) int {
	if m.Context > 0 {
		return m.Context
	}
	return defaultWindow
}

func most(m research.LanguageModel) int {
	if m.Output > 0 {
		return m.Output
	}
	return defaultOutput
}

// shape is the size of a call, in tokens.
type shape struct{ prompt, answer int }

// shapes are calls in which prompt and answer vary independently: every pair of
// four lengths each, in an order in which any four calls in a row have all of
// them.
func shapes(n, window, output int) []shape {
	prompts := fitted([]int{40, 160, 400, 800}, window/3)
	answers := fitted([]int{8, 32, 72, 120}, min(window/6, output))
	out := make([]shape, n)
	for i := range out {
		out[i] = shape{prompts[i%4], answers[(i+i/4)%4]}
	}
	return out
}

// fitted scales lengths down until the longest is at most most.
func fitted(lengths []int, most int) []int {
	longest := lengths[len(lengths)-1]
	if longest <= most {
		return lengths
	}
	out := make([]int, len(lengths))
	for i, l := range lengths {
		out[i] = max(1, int(math.Round(float64(l)*float64(most)/float64(longest))))
	}
	return out
}

// Everyday words of one token each in the usual vocabularies.
var words = strings.Fields("water house light green river stone paper music winter garden market bridge window mountain letter summer silver forest island morning")

// text is a prompt of about so many tokens. It begins with a number of its own,
// so that a server's cache of earlier prompts does not shorten the reading, and
// asks for something that does not end by itself.
func (s shape) text(nonce int) string {
	const around = 24 // the instruction and what servers wrap around a message
	var b strings.Builder
	fmt.Fprintf(&b, "List %d.", 1000+nonce*37)
	for i := range max(0, s.prompt-around) {
		b.WriteByte(' ')
		b.WriteString(words[(i*7+nonce*3+i/len(words))%len(words)])
	}
	b.WriteString(". Go on with this list of words for as long as you can, without any comment.")
	return b.String()
}
