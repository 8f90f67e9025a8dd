package web

import "github.com/progrouter/progrouter/research"

// call is what a language model was asked and answered, fact by fact.
func (p Page) call(c *research.ModelCall) *CallView {
	if c == nil {
		return nil
	}
	v := &CallView{Answer: c.Text, Reasoning: c.Reasoning}
	t := c.Tokens
	v.add(p.T("step.tokens", "Input", p.L.Int(t.Input), "Cached", p.L.Int(t.Cached), "Output", p.L.Int(t.Output), "Reasoning", p.L.Int(t.Reasoning)))
	if t.Counted == "local" {
		v.add(p.T("call.counted_here"))
	}
	v.add(p.joules(c.Energy.Joules), p.dollars(c.Dollars))
	if c.Answered != "" {
		v.add(p.T("call.answered", "Name", c.Answered))
	}
	if c.Finish != "" && c.Finish != "stop" {
		v.add(p.L.Or("call.finish."+c.Finish, c.Finish))
	}
	if c.Tries > 1 {
		v.add(p.L.N("call.tries", c.Tries))
	}
	if c.Waited >= 0.1 {
		v.add(p.T("call.waited", "Time", p.L.Seconds(c.Waited)))
	}
	if c.Repair {
		v.add(p.T("call.repair"))
	}
	if c.Cold {
		v.add(p.T("call.cold"))
	}
	if c.Replayed {
		v.add(p.T("call.replayed"))
	}
	if c.Prompt != "" {
		v.add(p.T("call.prompt", "Name", c.Prompt))
	}
	return v
}

func (v *CallView) add(facts ...string) { v.Facts = append(v.Facts, facts...) }
