package simulated

import "github.com/progrouter/progrouter/research"

// row is what was published of a benchmark: steady-state means per task of the
// smallest and the largest model alone (arXiv 2608.25992, the table of main
// results).
type row struct {
	name  string // of the suite
	kind  string
	tasks int // of the benchmark
	// measure is what the published success is a share of.
	measure      string
	small, large figures
	// allowance is Ẽ of the published router, joules per task, and routed what it
	// came to. Nothing is fitted to either.
	allowance float64
	routed    figures
	// floor is the least that any policy can use here, joules per task, where that
	// is more than the allowance.
	floor float64
}

// figures per task with all its attempts.
type figures struct {
	solved  float64 // share
	joules  float64
	seconds float64
}

func rows() []row {
	return []row{
		{"humaneval+", code, 164, "pass rate", figures{.191, 5952, 21.0}, figures{.940, 7837, 17.5}, 4800, figures{.930, 4796, 13.7}, 0},
		{"mbpp", code, 200, "pass rate", figures{.080, 5571, 22.3}, figures{.853, 7207, 17.0}, 4500, figures{.794, 3376, 10.3}, 0},
		{"math-500", mathematics, 200, "pass rate", figures{.434, 8830, 28.1}, figures{.922, 26276, 55.1}, 7000, figures{.843, 6112, 19.0}, 7700},
		{"asqa", question, 100, "citation precision, played as the share of tasks whose citations hold", figures{.892, 17028, 60.2}, figures{.923, 21887, 80.0}, 19000, figures{.921, 18373, 61.6}, 0},
	}
}

// Kinds of tasks.
const (
	code        = "code"
	mathematics = "mathematics"
	question    = "question"
)

// What the published figures do not tell and we assume, the same for every row.
const (
	// Stages of a task, one of them the crux: understand, plan, solve, check.
	Stages = 4
	// Attempts is how many attempts a task gets, at all its stages together, in the
	// workflow that the rows are fitted to.
	Attempts = 12
	// spread is what a standard deviation of difficulty takes from the log-odds at
	// the crux. The wider, the less a second attempt helps.
	spread = 3.0
	// knack is the standard deviation of a model's own luck with an item, in
	// log-odds: sometimes the small model can what the large one cannot.
	knack = 1.0
	// ease is what a standard deviation of difficulty takes from the log-odds at a
	// routine stage.
	ease = 0.5
	// slope is how much dearer an attempt at an item is that is harder by a
	// standard deviation (as a logarithm), noise what is left of its cost's
	// spread, and pace the spread of seconds given joules.
	slope = 0.2
	noise = 0.3
	pace  = 0.1
	// most is how many times a model's mean attempt an attempt may cost; there it
	// is cut.
	most = 3.5
	// The medium model lies between: two thirds of the way in ability, half of it
	// in the logarithm of cost. Quality rises faster than cost in families of
	// models, but where exactly is our choice and not a published figure.
	mediumAbility = 2. / 3
	mediumCost    = 0.5
)

// routine is the log-odds of a model at a routine stage of an item of middling
// difficulty: 82, 90 and 95 %.
func routine(t research.Tier) float64 {
	switch t {
	case research.Small:
		return 1.5
	case research.Medium:
		return 2.25
	}
	return 3
}

// capacity is what is fitted of one model on one row: its ability in log-odds at the crux,
// and the mean joules and seconds of one attempt at an item drawn at random.
type capacity struct {
	ability, joules, seconds float64
}

// fitted are what fit finds for the smallest and the largest model of each row,
// rounded to five digits. The test of fit compares them and prints the table
// anew where an assumption or a row has changed.
var fitted = map[string]map[research.Tier]capacity{
	"humaneval+": {
		research.Small: {ability: -5.6387, joules: 529.59, seconds: 1.8685},
		research.Large: {ability: 2.6069, joules: 1470.3, seconds: 3.2833},
	},
	"mbpp": {
		research.Small: {ability: -7.5104, joules: 475.27, seconds: 1.9024},
		research.Large: {ability: 0.9006, joules: 1125.8, seconds: 2.6555},
	},
	"math-500": {
		research.Small: {ability: -3.1731, joules: 889.26, seconds: 2.8299},
		research.Large: {ability: 2.1479, joules: 4711.9, seconds: 9.8807},
	},
	"asqa": {
		research.Small: {ability: 1.6770, joules: 2689.9, seconds: 9.5098},
		research.Large: {ability: 2.1711, joules: 3934.2, seconds: 14.38},
	},
}
