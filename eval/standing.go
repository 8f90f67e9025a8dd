package eval

import (
	"fmt"

	"github.com/progrouter/progrouter/eval/stats"
	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/research"
)

// settling is the share of a stream before its steady state.
const settling = 0.3

// again counts the runs of a fixed policy for a further seed. They start from
// cold caches and always use one tier, so a seed changes nothing but their order.
func (r *Result) again(o Options, p research.Policy, seed int) {
	first := map[string]Row{}
	for _, x := range r.of(p, "") {
		if x.Seed == r.First {
			first[x.Suite+"\x00"+x.QuestionID] = x
		}
	}
	for i, it := range o.items(seed) {
		x := first[it.suite.Name+"\x00"+it.question.ID]
		x.Seed, x.position = seed, i
		r.Rows = append(r.Rows, x)
	}
}

// trial is the result in the terms of streams of attempts, whose statistics serve
// research too.
func (r *Result) trial() *trial.Result {
	out := &trial.Result{
		World: "research", Metric: r.Metric, Unit: trial.Unit{Symbol: "J", Method: r.method()},
		Suites: r.Suites, Allowance: r.Allowance, Options: trial.Options{Stable: settling},
	}
	length, items := map[int]int{}, map[string]bool{}
	for _, x := range r.Rows {
		items[x.Suite+"\x00"+x.QuestionID] = true
		length[x.Seed] = max(length[x.Seed], x.position+1)
	}
	for i := range r.Seeds {
		out.Options.Seeds = append(out.Options.Seeds, r.First+i)
	}
	for _, x := range r.Rows {
		quality := x.Quality
		out.Rows = append(out.Rows, trial.Row{
			Policy: x.Policy, Seed: x.Seed, Suite: x.Suite, Item: x.QuestionID, Position: x.position,
			Steady: stats.Steady(x.position, length[x.Seed], settling), Graded: &quality, Share: quality,
			Units: x.Joules, Low: x.Low, High: x.High, Dollars: x.Dollars, Seconds: x.Seconds, Overrun: x.Overrun,
			Stopped: string(x.Status), Steps: x.steps,
		})
	}
	out.Items = len(items)
	return out
}

// method is how the joules of all runs came about.
func (r *Result) method() string {
	method := ""
	for _, x := range r.Rows {
		method = research.MixMethods(method, x.Method)
	}
	return method
}

// stand adds where the policies stand among each other.
func (r *Result) stand(d *Document) error {
	t, err := r.trial().Document()
	if err != nil {
		return fmt.Errorf("compare policies: %w", err)
	}
	d.Pareto = t.Picture().Draw()
	for i := range d.Policies {
		p := &d.Policies[i]
		for _, x := range t.Policies {
			if x.Policy == p.Policy {
				p.Standing, p.Steady, p.Predictor = &x.Figures.Standing, x.Steady, x.Predictor
			}
		}
	}
	return nil
}
