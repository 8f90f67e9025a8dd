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
			c, have := fit(end.want), fitted[r.name][end.tier]
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
