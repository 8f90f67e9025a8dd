package trial

import (
	"github.com/progrouter/progrouter/eval/stats"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
)

// Metric is the quality of a run that is not graded.
const Metric = "share of tasks solved"

// Document is the contract of the JSON that is written. Units are those of
// Unit.Symbol; intervals are of 95 %, over items and paired where two policies
// are compared, see stats.Cloud.
type Document struct {
	World           string                     `json:"world"`
	Unit            UnitDocument               `json:"unit"`
	Suites          []string                   `json:"suites"`
	Split           string                     `json:"split,omitempty"`
	Items           int                        `json:"items"`
	Seeds           int                        `json:"seeds"`
	SeedList        []int                      `json:"seed_list"`
	Models          []ModelDocument            `json:"models"`
	Allowance       float64                    `json:"allowance_units"`
	AllowanceJoules *float64                   `json:"allowance_joules,omitempty"` // the same, where units are joules
	LargeUnits      *float64                   `json:"fixed_large_units"`
	Budgets         map[string]Limit           `json:"budgets"` // per kind of task
	MaxAttempts     int                        `json:"max_attempts"`
	Settling        float64                    `json:"settling"` // share of the stream before the steady state
	Params          router.Params              `json:"params"`
	Policies        []PolicyDocument           `json:"policies"`
	FixedLine       stats.Front                `json:"fixed_line"` // hull of the fixed tiers, whole stream
	FixedAIQ        *float64                   `json:"fixed_line_aiq"`
	Hull            stats.Front                `json:"hull"` // of every policy but the oracle
	Skipped         map[research.Policy]string `json:"skipped,omitempty"`
	Notes           []string                   `json:"notes,omitempty"`
}

// UnitDocument says what costs are counted in.
type UnitDocument struct {
	Symbol    string `json:"symbol"`
	Method    string `json:"method,omitempty"`
	Simulated bool   `json:"simulated"`
}

// ModelDocument names a candidate.
type ModelDocument struct {
	Name string        `json:"name"`
	Tier research.Tier `json:"tier"`
}

// PolicyDocument sums one policy: the whole stream at the top, the steady state
// beside it. BySuite maps each suite to the same fields.
type PolicyDocument struct {
	Policy research.Policy `json:"policy,omitempty"`
	Figures
	Steady    *Figures                   `json:"steady"`
	BySuite   map[string]*PolicyDocument `json:"by_suite,omitempty"`
	Curve     []CurvePoint               `json:"curve,omitempty"`
	AIQ       *float64                   `json:"aiq"`
	APGR      *float64                   `json:"apgr"`
	Predictor *PredictorDocument         `json:"predictor,omitempty"`
}

// Figures sum some of a policy's runs.
type Figures struct {
	Runs     int                `json:"runs"`
	Quality  Quality            `json:"quality"`
	Score    float64            `json:"score"` // mean share of the checks, by the best attempt
	Units    Amount             `json:"units"`
	Joules   *JouleRange        `json:"joules,omitempty"`
	Dollars  float64            `json:"dollars"`
	Seconds  float64            `json:"seconds"`
	Attempts float64            `json:"attempts"`
	Shares   map[string]float64 `json:"shares"`   // percent of attempts per model
	Stopped  map[string]int     `json:"stopped"`  // runs by why they ended
	Explored float64            `json:"explored"` // percent of attempts
	Overruns int                `json:"budget_overruns"`
	Beyond   int                `json:"beyond_worst"` // attempts dearer than the worst case given for them

	// AllowanceKept: the mean of every stream is at most 1.01 Ẽ. StreamsKept says
	// how many are, KeptOnAverage whether their mean is. The runs of a suite share
	// the stream's allowance with others, so a suite alone may well exceed it.
	AllowanceKept bool `json:"allowance_kept"`
	StreamsKept   int  `json:"streams_kept"`
	KeptOnAverage bool `json:"allowance_kept_on_average"`

	Standing
}

// Quality is the mean with its interval over items, and over seeds where there
// are enough.
type Quality struct {
	Metric string `json:"metric"`
	stats.Interval
	Seeds *stats.Interval `json:"over_seeds,omitempty"`
}

// Amount is a mean cost with its intervals.
type Amount struct {
	stats.Interval
	Seeds *stats.Interval `json:"over_seeds,omitempty"`
}

// JouleRange is a mean with the range of the meter or the model of it.
type JouleRange struct {
	Mean   float64 `json:"mean"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Method string  `json:"method"`
}

// Standing is where a policy stands among the others. Fields are nil where what
// they compare with was not played.
type Standing struct {
	// AboveLine is the quality above what a mixture of the fixed tiers has at the
	// same cost.
	AboveLine *stats.Interval `json:"above_fixed_line"`
	// OfLarge are quality and cost as shares of fixed-large's.
	OfLarge *Shares `json:"of_fixed_large"`
	// Regret is what the oracle has more in quality and less in units.
	Regret *Shares `json:"regret"`
	// Headroom is (quality − best fixed) / (oracle − best fixed), the best fixed
	// policy among those that keep the allowance on average. OverMixture is the same
	// over a mixture of the fixed tiers that uses the allowance; there is one where
	// no fixed tier keeps it too.
	Headroom    *stats.Interval `json:"headroom"`
	OverMixture *stats.Interval `json:"headroom_over_mixture"`
	// Against compares with every other policy: this one less the other.
	Against map[research.Policy]Difference `json:"against,omitempty"`
	// BeatenBy are policies that keep the allowance on average and whose quality is
	// significantly higher. DominatedBy are those, the oracle apart, that are no
	// worse in quality and cost and better in one, by their means.
	BeatenBy    []research.Policy `json:"beaten_by"`
	DominatedBy []research.Policy `json:"dominated_by"`
}

// Shares are figures of quality and of cost with their intervals.
type Shares struct {
	Quality stats.Interval `json:"quality"`
	Units   stats.Interval `json:"units"`
}

// Difference is this policy less another, paired by item.
type Difference struct {
	Quality stats.Interval `json:"quality"`
	Units   stats.Interval `json:"units"`
}

// CurvePoint is a policy at one allowance.
type CurvePoint struct {
	Allowance float64 `json:"allowance_units"`
	Quality   float64 `json:"quality"`
	Units     float64 `json:"units"`
	Strong    float64 `json:"strong_share"` // of attempts, 0 to 1
	Kept      bool    `json:"allowance_kept_on_average"`
}
