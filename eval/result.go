package eval

import (
	"math/rand/v2"
	"slices"

	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/research"
)

// qualityMetric names the quality of a research run.
const qualityMetric = "harmonic mean of statement recall and citation precision"

// Row is what one run brought and cost.
type Row struct {
	Policy     research.Policy
	Seed       int
	Suite      string
	QuestionID string
	Status     research.Status

	Quality, CitationPrecision, SourcePrecision, GoldPageRecall, StatementRecall float64
	PageRecall5, PageRecall10                                                    *float64 // fixed policies only

	Joules, Low, High, Dollars, Seconds float64
	Method                              string
	Decisions                           map[string]int // per model
	Overrun                             bool

	position int             // in the stream
	steps    []trial.StepRow // what was foreseen of each step, and what came
}

// Result is the outcome of a bench.
type Result struct {
	Suites      []string
	Seeds       int
	First       int
	Split       string
	Allowance   float64
	Metric      string
	IndexEnergy []research.Energy
	Rows        []Row
}

// Document is the contract of bench.json.
type Document struct {
	Suites      []string          `json:"suites"`
	Split       string            `json:"split,omitempty"`
	Seeds       int               `json:"seeds"`
	First       int               `json:"first_seed"`
	Allowance   float64           `json:"allowance_joules"`
	IndexEnergy []research.Energy `json:"index_energy"`
	Policies    []PolicyDocument  `json:"policies"`
	// Pareto is the picture of quality over joules, an SVG document.
	Pareto string `json:"-"`
}

// PolicyDocument sums one policy; BySuite maps each suite to the same fields.
type PolicyDocument struct {
	Policy            research.Policy            `json:"policy,omitempty"`
	BySuite           map[string]*PolicyDocument `json:"by_suite,omitempty"`
	Runs              int                        `json:"runs"`
	Quality           Interval                   `json:"quality"`
	CitationPrecision float64                    `json:"citation_precision"`
	SourcePrecision   float64                    `json:"source_precision"`
	PageRecall5       *float64                   `json:"page_recall_5"`
	PageRecall10      *float64                   `json:"page_recall_10"`
	GoldPageRecall    float64                    `json:"gold_page_recall"`
	StatementRecall   float64                    `json:"statement_recall"`
	Joules            JouleRange                 `json:"joules"`
	Dollars           float64                    `json:"dollars"`
	Seconds           float64                    `json:"seconds"`
	Shares            map[string]float64         `json:"shares"`
	AllowanceKept     bool                       `json:"allowance_kept"`
	BudgetOverruns    int                        `json:"budget_overruns"`
	Statuses          map[research.Status]int    `json:"statuses"`

	// Where the policy stands among the others, over the whole stream, and its
	// figures in the steady state; see package trial for what they mean. Predictor
	// says how well gains were foreseen.
	Standing  *trial.Standing          `json:"standing,omitempty"`
	Steady    *trial.Figures           `json:"steady,omitempty"`
	Predictor *trial.PredictorDocument `json:"predictor,omitempty"`
}

// Interval is a mean with its 95 % bootstrap interval over questions.
type Interval struct {
	Metric string  `json:"metric"`
	Mean   float64 `json:"mean"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// JouleRange is a mean with the modelled range.
type JouleRange struct {
	Mean   float64 `json:"mean"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Method string  `json:"method"`
}

func (r *Result) meanJoules(p research.Policy) (float64, bool) {
	rows := r.of(p, "")
	if len(rows) == 0 {
		return 0, false
	}
	return mean(rows, func(x Row) float64 { return x.Joules }), true
}

func (r *Result) of(p research.Policy, suite string) []Row {
	var out []Row
	for _, x := range r.Rows {
		if x.Policy == p && (suite == "" || x.Suite == suite) {
			out = append(out, x)
		}
	}
	return out
}

// Document sums the rows.
func (r *Result) Document() (Document, error) {
	d := Document{Suites: r.Suites, Split: r.Split, Seeds: r.Seeds, First: r.First, Allowance: r.Allowance, IndexEnergy: r.IndexEnergy}
	var seen []research.Policy
	for _, x := range r.Rows {
		if !slices.Contains(seen, x.Policy) {
			seen = append(seen, x.Policy)
		}
	}
	for _, p := range seen {
		pd := r.sum(r.of(p, ""))
		pd.Policy, pd.BySuite = p, map[string]*PolicyDocument{}
		for _, s := range r.Suites {
			one := r.sum(r.of(p, s))
			pd.BySuite[s] = &one
		}
		d.Policies = append(d.Policies, pd)
	}
	return d, r.stand(&d)
}

func (r *Result) sum(rows []Row) PolicyDocument {
	at := func(f func(Row) float64) float64 { return mean(rows, f) }
	d := PolicyDocument{
		Runs:              len(rows),
		Quality:           r.interval(rows),
		CitationPrecision: at(func(x Row) float64 { return x.CitationPrecision }),
		SourcePrecision:   at(func(x Row) float64 { return x.SourcePrecision }),
		GoldPageRecall:    at(func(x Row) float64 { return x.GoldPageRecall }),
		StatementRecall:   at(func(x Row) float64 { return x.StatementRecall }),
		PageRecall5:       meanKnown(rows, func(x Row) *float64 { return x.PageRecall5 }),
		PageRecall10:      meanKnown(rows, func(x Row) *float64 { return x.PageRecall10 }),
		Dollars:           at(func(x Row) float64 { return x.Dollars }),
		Seconds:           at(func(x Row) float64 { return x.Seconds }),
		Shares:            shares(rows),
		AllowanceKept:     r.kept(rows),
		Statuses:          map[research.Status]int{},
	}
	d.Joules = JouleRange{Mean: at(func(x Row) float64 { return x.Joules }), Low: at(func(x Row) float64 { return x.Low }), High: at(func(x Row) float64 { return x.High })}
	for _, x := range rows {
		d.Joules.Method = research.MixMethods(d.Joules.Method, x.Method)
		d.Statuses[x.Status]++
		if x.Overrun {
			d.BudgetOverruns++
		}
	}
	return d
}

// kept reports whether the mean of every stream stays within the allowance.
func (r *Result) kept(rows []Row) bool {
	sum, n := map[int]float64{}, map[int]int{}
	for _, x := range rows {
		sum[x.Seed] += x.Joules
		n[x.Seed]++
	}
	for seed, s := range sum {
		if s/float64(n[seed]) > 1.01*r.Allowance {
			return false
		}
	}
	return true
}

const resamples = 2000

// interval resamples questions, so that seeds of one question are not counted
// as independent.
func (r *Result) interval(rows []Row) Interval {
	iv := Interval{Metric: r.Metric}
	if len(rows) == 0 {
		return iv
	}
	by := map[string][]float64{}
	var keys []string
	for _, x := range rows {
		k := x.Suite + "\x00" + x.QuestionID
		if by[k] == nil {
			keys = append(keys, k)
		}
		by[k] = append(by[k], x.Quality)
	}
	slices.Sort(keys)
	means := make([]float64, len(keys))
	for i, k := range keys {
		means[i] = average(by[k])
	}
	iv.Mean = average(means)
	rng := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // reproducible intervals
	draws := make([]float64, resamples)
	for i := range draws {
		var s float64
		for range means {
			s += means[rng.IntN(len(means))]
		}
		draws[i] = s / float64(len(means))
	}
	slices.Sort(draws)
	iv.Low, iv.High = draws[resamples*25/1000], draws[resamples*975/1000]
	return iv
}

func shares(rows []Row) map[string]float64 {
	n, total := map[string]int{}, 0
	for _, x := range rows {
		for m, k := range x.Decisions {
			n[m] += k
			total += k
		}
	}
	out := map[string]float64{}
	for m, k := range n {
		out[m] = 100 * float64(k) / float64(total)
	}
	return out
}

func mean(rows []Row, f func(Row) float64) float64 {
	if len(rows) == 0 {
		return 0
	}
	var s float64
	for _, x := range rows {
		s += f(x)
	}
	return s / float64(len(rows))
}

func meanKnown(rows []Row, f func(Row) *float64) *float64 {
	var s float64
	n := 0
	for _, x := range rows {
		if v := f(x); v != nil {
			s += *v
			n++
		}
	}
	if n == 0 {
		return nil
	}
	s /= float64(n)
	return &s
}

func average(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += x
	}
	return s / float64(len(v))
}
