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
}

// figures per task with all its attempts.
type figures struct {
	solved  float64 // share
	joules  float64
	seconds float64
}

func rows() []row {
	return []row{
		{"humaneval+", code, 164, "pass rate", figures{.191, 5952, 21.0}, figures{.940, 7837, 17.5}},
		{"mbpp", code, 200, "pass rate", figures{.080, 5571, 22.3}, figures{.853, 7207, 17.0}},
		{"math-500", mathematics, 200, "pass rate", figures{.434, 8830, 28.1}, figures{.922, 26276, 55.1}},
		{"asqa", question, 100, "citation precision, played as the share of tasks whose citations hold", figures{.892, 17028, 60.2}, figures{.923, 21887, 80.0}},
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
	// Attempts is how often a task is tried at most in the workflow that the rows
	// are fitted to.
	Attempts = 5
	// spread is what a standard deviation of difficulty takes from the log-odds. The
	// wider, the less a second attempt helps: with this one the large model solves
	// 81 % of HumanEval+ at once and 94 % within five attempts.
	spread = 3.0
	// knack is the standard deviation of a model's own luck with an item, in
	// log-odds: sometimes the small model can what the large one cannot.
	knack = 1.0
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

// capacity is what is fitted of one model on one row: its ability in log-odds,
// and the mean joules and seconds of one attempt at an item drawn at random.
type capacity struct {
	ability, joules, seconds float64
}

// fitted are what fit finds for the smallest and the largest model of each row,
// rounded to five digits. The test of fit compares them and prints the table
// anew where an assumption or a row has changed.
var fitted = map[string]map[research.Tier]capacity{
	"humaneval+": {
		research.Small: {ability: -5.0758, joules: 1293.3, seconds: 4.5631},
		research.Large: {ability: 3.2249, joules: 4907, seconds: 10.957},
	},
	"mbpp": {
		research.Small: {ability: -6.9420, joules: 1147.4, seconds: 4.5927},
		research.Large: {ability: 1.5192, joules: 3353.7, seconds: 7.9108},
	},
	"math-500": {
		research.Small: {ability: -2.6240, joules: 2260.9, seconds: 7.195},
		research.Large: {ability: 2.7663, joules: 15238, seconds: 31.954},
	},
	"asqa": {
		research.Small: {ability: 2.1542, joules: 8873.3, seconds: 31.37},
		research.Large: {ability: 2.7895, joules: 12743, seconds: 46.578},
	},
}
