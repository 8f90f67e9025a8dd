package agents

import (
	"context"
	"errors"
	"fmt"

	"github.com/progrouter/progrouter/llm/agents/parse"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// query is what a role asks of a model.
type query struct {
	prompt prompt
	size   size
	// data fills the prompt in with as much as fits so many tokens, told by the
	// given count. It is asked again where a prompt turns out too long.
	data func(room float64, count func(string) float64) any
	// read takes an answer, or says what is wrong with it. It is called for every
	// answer until one is taken.
	read func(answer string) *flaw
}

// asked is what came of asking one model.
type asked int

const (
	taken   asked = iota // the answer was used
	refused              // it answered, but nothing of use
	notMade              // the call would not fit
	broken               // the server failed
)

// ask asks the chosen model, and those of its tier in its place when its server
// fails. It reports whether an answer was taken; the error is the context's.
func (d *director) ask(ctx context.Context, q query) (bool, error) {
	if d.idle {
		return false, nil
	}
	down := false // a server failed
	for i, m := range d.models {
		if i > 0 {
			if !d.allowed(m) {
				continue
			}
			if code, _ := m.canAnswer(d.task.Role, q.size.least(m, d.fixed(d.task.Role, d.question)), d.now()); code != "" {
				continue
			}
		}
		what, err := d.askOne(ctx, m, q)
		switch {
		case err != nil:
			return false, err
		case what == broken:
			down = true
			continue
		case what == notMade && down:
			continue // nobody answered, which is not the same as nobody asked
		case what == taken:
			d.answered = m
			if i > 0 {
				d.note(noteInstead, args{"Model": m.Name, "Chosen": d.task.Model}, fmt.Sprintf("%s answered in place of %s.", m.Name, d.task.Model))
			}
		}
		return what == taken, nil
	}
	d.idle = true
	d.failed(research.OutcomeError)
	return false, nil
}

// allowed says whether a model may answer in another's place: where the user set
// a budget, only one whose cost in it is known.
func (d *director) allowed(m *model) bool {
	given := d.task.Ledger.Run.Given
	return (given.Joules == nil || m.joules(1, 1, false, 1) != nil) && (given.Dollars == nil || m.Price != nil)
}

// askOne asks one model: once, and again when the answer is of no use or the
// prompt was too long.
func (d *director) askOne(ctx context.Context, m *model, q query) (asked, error) {
	var wrong *flaw
	repair, shorter := false, false
	for {
		c, ok, err := d.prepare(m, q, wrong)
		if err != nil {
			return broken, err
		}
		if !ok {
			return d.notMade(m, wrong), stopped(ctx)
		}
		c.repair = repair
		out, err := d.call(ctx, c)
		if ctx.Err() != nil {
			return broken, ctx.Err()
		}
		if err != nil {
			failed := &chat.Error{Kind: chat.Garbage, Err: err}
			errors.As(err, &failed)
			if failed.Kind == chat.ContextLength && !shorter {
				shorter = true
				m.learned.narrower(int(c.worst) * 7 / 10)
				d.note(noteTailored, args{"Model": m.Name}, fmt.Sprintf("The prompt was too long for %s and was made shorter.", m.Name))
				continue
			}
			if failed.Kind == chat.TimedOut && out.Tries == 0 {
				return d.notMade(m, wrong), nil // it waited for a place until the time was up
			}
			d.notes = append(d.notes, failed.Note(m.Name))
			return broken, nil
		}
		again := wrong == nil
		if wrong = c.take(out, q.read); wrong == nil {
			d.used(c, out)
			return taken, nil
		}
		if !again || wrong.stop || c.late {
			return d.useless(m, wrong), nil
		}
		repair = true
	}
}

// used notes what is worth saying of an answer that was taken.
func (d *director) used(c *call, out chat.Outcome) {
	m := c.model
	if c.repair {
		d.note(noteRepaired, args{"Model": m.Name}, fmt.Sprintf("%s was asked twice: its first answer could not be used.", m.Name))
	}
	if out.Response.Finish == chat.Length || c.stopped() {
		d.note(noteCutAnswer, args{"Model": m.Name}, fmt.Sprintf("The answer of %s was cut off at the token limit; what was complete was used.", m.Name))
	}
}

func (d *director) useless(m *model, f *flaw) asked {
	d.note(f.note(), args{"Model": m.Name}, fmt.Sprintf("%s gave no usable answer: %s.", m.Name, f.text))
	if f.empty {
		d.failed(research.OutcomeEmpty)
	} else {
		d.failed(research.OutcomeInvalid)
	}
	return refused
}

// notMade says that a call did not fit; where it was a repair turn, the first
// answer is what counts.
func (d *director) notMade(m *model, wrong *flaw) asked {
	if wrong != nil {
		return d.useless(m, wrong)
	}
	d.note(noteNotAsked, args{"Model": m.Name}, fmt.Sprintf("%s was not asked: the call would not fit what this step may use.", m.Name))
	return notMade
}

// prepare makes the request of a call and sizes it. ok is false when it does not
// fit what is left.
func (d *director) prepare(m *model, q query, wrong *flaw) (c *call, ok bool, err error) {
	l := m.lessons(d.now())
	want := q.size.output(m, d.language)
	if wrong != nil {
		want = max(q.size.leastOutput, want/2)
	}
	think := m.think(l, want)
	want += think
	fixed, _ := m.learned.tokens(d.fixed(q.prompt.role, d.question))
	room := q.size.prompt(m, l, want, fixed)
	for range 4 {
		request, err := q.prompt.render(d.mark(), q.data(room, func(s string) float64 { n, _ := m.learned.tokens(bound(s)); return n }))
		if err != nil {
			return nil, false, err
		}
		if wrong != nil {
			request = q.prompt.again(request, wrong.tell)
		}
		c = &call{model: m, prompt: q.prompt, request: request, bound: boundOf(request), lessons: l}
		c.input, c.worst = m.learned.tokens(c.bound)
		if over := c.worst + float64(want) - float64(m.window(l)); over <= 0 {
			break
		}
		room *= 0.7
	}
	least := q.size.leastOutput + think
	c.least = least
	want = min(want, m.window(l)-up(c.worst))
	c.request.MaxTokens = d.purse.room(m, c.worst, want+spareTokens, l, d.now(), research.Cost{Joules: research.Known(0), Dollars: research.Known(0)}) - spareTokens
	return c, c.request.MaxTokens >= least, nil
}

// spareTokens are kept of the room of an answer: one that is stopped at its cap
// has passed it by two tokens.
const spareTokens = 3

// take reads an answer, or says what is wrong with it.
func (c *call) take(out chat.Outcome, read func(string) *flaw) *flaw {
	answer, _ := parse.Split(out.Response.Text)
	answer = parse.WithoutTemplate(answer)
	empty := len(answer) == 0 || parse.TemplateNoise(out.Response.Text)
	if !empty {
		f := read(answer)
		if f == nil {
			return nil
		}
		if special := c.special(out, answer); special != nil {
			return special
		}
		return f
	}
	switch {
	case parse.TemplateNoise(out.Response.Text):
		return flawTemplate
	case out.Response.Finish == chat.Refused:
		return flawFiltered
	case out.Response.Finish == chat.ToolCalls:
		return flawTool
	case c.looped:
		return flawLoop
	case c.thought(out) != "":
		return flawThought
	}
	return flawEmpty
}

// special is what is known of an answer beyond that it cannot be read.
func (c *call) special(out chat.Outcome, answer string) *flaw {
	switch {
	case out.Response.Finish == chat.Refused:
		return flawFiltered
	case out.Response.Finish == chat.ToolCalls, parse.CallsTool(answer):
		return flawTool
	case c.looped:
		return flawLoop
	case parse.Refuses(answer):
		return flawRefused
	case out.Response.Finish == chat.Length, c.capped, c.late:
		return flawCut
	}
	return nil
}

// thought is what the model thought aloud.
func (c *call) thought(out chat.Outcome) string {
	_, inside := parse.Split(out.Response.Text)
	if out.Response.Reasoning != "" && inside != "" {
		return out.Response.Reasoning + "\n" + inside
	}
	return out.Response.Reasoning + inside
}
