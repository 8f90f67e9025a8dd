package trial

import (
	"context"
	"testing"

	"github.com/progrouter/progrouter/research"
)

// A large V prices energy steadily, but an empty queue would have to be run up by
// overspending first. Foreseeing the price spares that.
func TestAnAllowanceIsKeptFromTheStart(t *testing.T) {
	t.Parallel()
	const allowance = 60
	o := Options{
		Policies: []research.Policy{research.ProgRouter, research.NoQueue}, Seeds: []int{101, 102, 103, 104, 105},
		Allowance: allowance, Params: params(), MaxAttempts: 3,
	}
	o.Params.V, o.Params.QueueFloor, o.Params.QueueCap = 10, 0, 1
	res, err := Play(context.Background(), newDesk(40), o)
	if err != nil {
		t.Fatal(err)
	}
	early := map[research.Policy]float64{}
	all := map[research.Policy]float64{}
	for _, r := range res.Rows {
		all[r.Policy] += r.Units / 200
		if r.Position < 10 {
			early[r.Policy] += r.Units / 50
		}
	}
	t.Logf("first ten runs %v, all %v of %d", early, all, allowance)
	if all[research.NoQueue] < 1.2*allowance {
		t.Errorf("the allowance does not press: %v", all)
	}
	if all[research.ProgRouter] > keptWithin*allowance || early[research.ProgRouter] > allowance || all[research.ProgRouter] < 0.5*allowance {
		t.Errorf("%g in the first ten runs and %g in all, of %d", early[research.ProgRouter], all[research.ProgRouter], allowance)
	}
}
