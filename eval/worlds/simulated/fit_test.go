package simulated

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

// The constants are what fit finds.
func TestFitted(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	stale := false
	for _, r := range rows() {
		fmt.Fprintf(&table, "\t%q: {\n", r.name)
		for _, end := range []struct {
			tier research.Tier
			want figures
			name string
		}{{research.Small, r.small, "Small"}, {research.Large, r.large, "Large"}} {
			c, have := fit(end.want, end.tier), fitted[r.name][end.tier]
			fmt.Fprintf(&table, "\t\tresearch.%s: {ability: %.4f, joules: %.5g, seconds: %.5g},\n", end.name, c.ability, c.joules, c.seconds)
			for _, d := range []float64{c.ability - have.ability, 1 - have.joules/c.joules, 1 - have.seconds/c.seconds} {
				stale = stale || !(math.Abs(d) < 1e-3)
			}
		}
		fmt.Fprintln(&table, "\t},")
	}
	if stale {
		t.Errorf("the fitted constants are not those of the rows any more:\n%s", table.String())
	}
}

func TestFinish(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ crux, routine, solved, attempts float64 }{
		"sure":            {1, 1, 1, Stages},
		"never begins":    {1, 0, 0, Attempts},
		"never ends":      {0, 1, 0, Attempts},
		"crux is chancy":  {.5, 1, 1 - math.Pow(.5, Attempts-Stages+1), Stages - 1 + 2*(1-math.Pow(.5, Attempts-Stages+1))},
		"nothing is sure": {.5, .5, 1 - binomialBelow(Stages), 7.8086},
	} {
		solved, attempts := finish(c.crux, c.routine)
		if math.Abs(solved-c.solved) > 1e-9 || math.Abs(attempts-c.attempts) > 1e-4 {
			t.Errorf("%s: %v solved in %v attempts", name, solved, attempts)
		}
	}
}

// binomialBelow is the chance of fewer than n heads in Attempts tosses.
func binomialBelow(n int) float64 {
	sum, ways := 0., 1.
	for k := range n {
		sum += ways / math.Pow(2, Attempts)
		ways = ways * float64(Attempts-k) / float64(k+1)
	}
	return sum
}
