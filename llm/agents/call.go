package agents

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/llm/agents/parse"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// call is one call of a model, prepared.
type call struct {
	model   *model
	prompt  prompt
	request chat.Request
	bound   float64 // of the prompt
	input   float64 // its tokens as expected …
	worst   float64 // … and at worst
	least   int     // fewest tokens that an answer is of use with
	lessons lessons
	repair  bool

	looped bool // it repeated itself and was stopped
	capped bool // it was stopped at its cap, which the server ignored
	late   bool // it was stopped when the time for it was up
	parts  int  // in which its text arrived
}

var (
	errLoop = errors.New("the answer repeats itself")
	errCap  = errors.New("the answer is longer than it may be")
)

// actionCall is the kind of an action that asked a language model.
const actionCall = "call"

// call makes the call, counts what it cost and records it. When we stopped it
// ourselves what arrived is the answer; the error is then nil, unless nothing did.
func (d *director) call(ctx context.Context, c *call) (chat.Outcome, error) {
	c.request.Seed = d.seed
	start := d.now()
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if !d.purse.until.IsZero() {
		var end context.CancelFunc
		inner, end = context.WithTimeout(inner, d.purse.until.Sub(start))
		defer end()
	}
	g := &guard{most: c.request.MaxTokens, cancel: cancel, live: d.live}
	var reading energy.Reading
	if c.model.Gauge != nil {
		reading = c.model.Gauge.Begin(ctx, c.model.Name)
		g.progress = func(out int) {
			so := reading.Progress(energy.CallUse{Input: up(c.input), Output: out})
			if d.purse.over(c.model, so) {
				cancel(errCap)
			}
		}
	}
	d.live.begin()
	out, err := c.model.Caller.Call(inner, c.request, chat.Watch{
		Delta: g.add, Restart: g.restart, Wait: d.live.wait,
		Need: seconds(c.model.seconds(c.input, float64(c.least), c.lessons)),
		Room: func(lost []chat.Usage) int { return g.limit(d.again(c, lost)) },
	})
	c.looped = errors.Is(context.Cause(inner), errLoop)
	c.capped = errors.Is(context.Cause(inner), errCap)
	c.late = !c.stopped() && inner.Err() != nil && ctx.Err() == nil
	if c.late && out.Response.Text+out.Response.Reasoning == "" {
		c.late, err = false, &chat.Error{Kind: chat.TimedOut, Detail: "nothing arrived in the time of the step"} // not an answer that is empty
	}
	c.parts = g.seen()
	out.Response.Text, out.Response.Reasoning = cut(out.Response.Text), cut(out.Response.Reasoning)
	d.account(c, start, &out, err, reading)
	if c.stopped() {
		return out, nil
	}
	return out, err
}

// mostText is how much of an answer is read and stored, in bytes. Servers that do
// not stream may send any amount at once.
const mostText = 1 << 18

func cut(s string) string {
	if len(s) <= mostText {
		return s
	}
	return strings.ToValidUTF8(s[:mostText], "")
}

// stopped says whether we ended the call ourselves.
func (c *call) stopped() bool { return c.looped || c.capped || c.late }

// again is how many tokens an answer may have after attempts that were lost.
func (d *director) again(c *call, lost []chat.Usage) int {
	paid := research.Cost{Joules: research.Known(0), Dollars: research.Known(0)}
	for _, u := range lost {
		paid = sum(paid, c.model.cost(float64(max(u.Input, up(c.input))), float64(u.Output), c.lessons))
	}
	n := d.purse.room(c.model, c.worst, c.request.MaxTokens+spareTokens, c.lessons, d.now(), paid) - spareTokens
	if n < c.least {
		return 0
	}
	return n
}

// account counts what a call cost, records it, and learns from it.
func (d *director) account(c *call, start time.Time, out *chat.Outcome, err error, reading energy.Reading) {
	m, now := c.model, d.now()
	cold := max(out.Response.Load, out.Loaded) > coldLoad
	if out.Tries > 0 {
		m.host.called(m, c.lessons.warm, cold)
	}
	c.count(out, err)
	paid := out.Paid()
	t := research.Tokens{Input: paid.Input, Cached: paid.Cached, Output: paid.Output, Reasoning: paid.Reasoning, Counted: paid.Counted}
	if t.Counted == "" {
		t.Counted = "none"
	}
	thought := c.thought(*out)
	if t.Reasoning == 0 && thought != "" {
		t.Reasoning = min(t.Output, chat.Count(thought))
	}
	record := &research.ModelCall{
		Model: m.Name, Answered: clip(plain(out.Response.Model), 200), Prompt: c.prompt.name(), Finish: c.finish(*out, err), Tokens: t,
		Dollars: d.price(m, t), Energy: d.joules(m, t, cold, out.Response, reading, c.lessons.warm), Tries: out.Tries, Waited: out.Waited.Seconds(),
		KgPerKWh: intensity(m.Provider), Repair: c.repair, Cold: cold, Reasoning: thought, Text: out.Response.Text,
	}
	a := research.Action{Kind: actionCall, Detail: m.Name, Start: start, Seconds: now.Sub(start).Seconds(), Call: record}
	if r := out.Response.Recorded; r != nil && r.Replayed {
		record.Replayed, a.Seconds = true, out.Response.Took.Seconds()
	}
	var failed *chat.Error
	if errors.As(err, &failed) && !c.stopped() {
		a.Error = failed.Note(m.Name).Text
	}
	d.calls = append(d.calls, a)
	d.purse.pay(record.Energy.Joules, record.Dollars)
	d.learn(c, *out, err, now)
}

// coldLoad is the loading time from which a model counts as loaded for the call;
// servers also report some milliseconds for one that was in memory.
const coldLoad = 500 * time.Millisecond

// count gives a usage to what the server did not count. What was stopped or
// broke off has read its prompt.
func (c *call) count(out *chat.Outcome, err error) {
	u := &out.Response.Usage
	if u.Input+u.Output > 0 || out.Tries == 0 {
		return
	}
	if out.Response.Text+out.Response.Reasoning != "" {
		*u = chat.CountResponse(c.request, out.Response.Text, out.Response.Reasoning)
		u.Input, u.Output = up(c.input), streamed(c.parts, u.Output)
		u.Reasoning = min(u.Reasoning, u.Output)
		return
	}
	var failed *chat.Error
	if err == nil || !errors.As(err, &failed) || failed.Kind == chat.TimedOut || failed.Kind == chat.Cut {
		*u = chat.Usage{Input: up(c.input), Counted: chat.FromLocal}
	}
}

func (c *call) finish(out chat.Outcome, err error) string {
	switch {
	case c.looped:
		return "loop"
	case c.capped, c.late:
		return string(chat.Length)
	case err != nil && errors.Is(err, context.Canceled):
		return string(chat.Cancelled)
	case err != nil:
		return string(chat.Broken)
	case out.Response.Finish == "":
		return string(chat.Stopped)
	}
	return string(out.Response.Finish)
}

func (d *director) price(m *model, t research.Tokens) *research.Micro {
	if t.Input+t.Output == 0 {
		return research.Known(0)
	}
	if m.Price == nil {
		return nil
	}
	return research.Known(energy.Dollars(*m.Price, t))
}

// joules is what a call used: measured where that is possible, as recorded where
// the answer was replayed, else estimated.
func (d *director) joules(m *model, t research.Tokens, cold bool, r chat.Response, reading energy.Reading, warm bool) research.Energy {
	use := energy.UseOf(t, cold)
	use.Writing = max(0, r.Took-r.First).Seconds()
	if reading != nil {
		e, ok := reading.End(use)
		if ok && (r.Recorded == nil || !r.Recorded.Replayed) {
			m.compare(e, use, warm)
			return e
		}
	}
	if r.Recorded != nil && r.Recorded.Energy.Joules != nil {
		return r.Recorded.Energy
	}
	if t.Input+t.Output == 0 {
		method := research.MethodModel
		if m.Coefficients != nil && m.Coefficients.Method != "" {
			method = m.Coefficients.Method
		}
		return research.Energy{Joules: research.Known(0), Low: research.Known(0), High: research.Known(0), Method: method}
	}
	if m.Coefficients == nil {
		return research.Energy{Method: research.MethodUnknown}
	}
	return energy.CallEnergy(*m.Coefficients, use)
}

// compare learns how a reading lies beside the estimate of the same call.
func (m *model) compare(read research.Energy, use energy.CallUse, warm bool) {
	if m.Coefficients == nil || read.Joules == nil {
		return
	}
	if e := energy.CallEnergy(*m.Coefficients, use); e.Joules != nil {
		m.learned.measured(read.Joules.Units(), e.Joules.Units(), warm)
	}
}

func (d *director) learn(c *call, out chat.Outcome, err error, now time.Time) {
	u, l := out.Response.Usage, c.model.learned
	if c.late && u.Output > 0 { // that it is slow is just what must be learned
		c.timed(out.Response, now)
		return
	}
	if err != nil || u.Counted != chat.FromServer {
		return
	}
	if len(out.Lost) == 0 {
		l.read(c.bound, u.Input)
	}
	if out.Response.Took > 0 {
		c.timed(out.Response, now)
	}
	answer, _ := parse.Split(out.Response.Text)
	l.wrote(c.prompt.role, u, out.Response.Finish == chat.Length && answer == "" && c.thought(out) != "")
}

// timed learns how long the call took beside what was foreseen.
func (c *call) timed(r chat.Response, now time.Time) {
	foreseen := c.model.seconds(float64(r.Usage.Input-r.Usage.Cached), float64(r.Usage.Output), lessons{pace: 1, warm: r.Load < coldLoad})
	c.model.learned.took(foreseen, r.Took, now, c.lessons.warm)
}

// guard follows an answer as it arrives: it shows it, and stops it when it grows
// beyond its cap (servers may ignore it) or repeats itself.
type guard struct {
	most     int
	cancel   context.CancelCauseFunc
	live     *ticker
	progress func(out int)

	mu     sync.Mutex
	parts  int // that came; servers send a token at a time or more
	text   strings.Builder
	looked int
}

// lookEvery is after how many new bytes a loop is looked for.
const lookEvery = 120

func (g *guard) add(delta chat.Delta) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.live.add(delta.Text)
	if delta.Text+delta.Reasoning == "" {
		return
	}
	g.parts++
	if g.progress != nil && g.parts%8 == 1 {
		g.progress(g.parts)
	}
	g.text.WriteString(delta.Reasoning)
	g.text.WriteString(delta.Text)
	so := g.text.String()
	if g.parts > g.most+1 || len(so) > g.most && streamed(g.parts, chat.Count(so)) > g.most+1 {
		g.cancel(errCap)
		return
	}
	if len(so)-g.looked >= lookEvery {
		g.looked = len(so)
		if parse.Loops(so) {
			g.cancel(errLoop)
		}
	}
}

// streamed is how many tokens arrived: as many as parts, where the server sends
// token by token, and as many as are counted where it sends them in bundles.
func streamed(parts, counted int) int {
	if counted*2 <= parts*3 {
		return parts
	}
	return counted
}

func (g *guard) seen() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.parts
}

// limit lowers the cap for a further attempt.
func (g *guard) limit(most int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.most = min(g.most, most)
	return most
}

// restart begins anew for a further attempt.
func (g *guard) restart() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.parts, g.looked = 0, 0
	g.text.Reset()
	g.live.begin()
}

// intensity is the carbon intensity of a provider's power in kg per kWh, 0 where
// its region was not set.
func intensity(p research.Provider) float64 {
	if p.Region == "" {
		return 0
	}
	kg, _ := energy.Carbon(p.Region)
	return kg
}
