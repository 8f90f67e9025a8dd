package research

import "testing"

// What is not known is never shown as nothing: a run of a model without a price
// has no dollars of 0.
func TestUnknownDollarsAreNotZero(t *testing.T) {
	t.Parallel()
	known, free, unknown := Step{Dollars: Known(5)}, Step{Dollars: Known(0)}, Step{}
	for name, tt := range map[string]struct {
		steps    []Step
		want     *Micro
		unpriced int
	}{
		"no step":             {nil, Known(0), 0},
		"free":                {[]Step{free}, Known(0), 0},
		"unknown":             {[]Step{unknown, unknown}, nil, 2},
		"unknown beside free": {[]Step{free, unknown}, nil, 1},
		"known in part":       {[]Step{known, unknown}, Known(5), 1},
	} {
		l := &Ledger{}
		for _, s := range tt.steps {
			s.Outcome = OutcomeOK
			l.Steps = append(l.Steps, s)
		}
		sum := l.Totals()
		row := UsageRow{Dollars: sum.Dollars, UnpricedSteps: sum.UnpricedSteps}
		for _, got := range []*Micro{sum.KnownDollars(), row.KnownDollars()} {
			if (got == nil) != (tt.want == nil) || OrZero(got) != OrZero(tt.want) || sum.UnpricedSteps != tt.unpriced {
				t.Errorf("%s: %v, %d without a price", name, got, sum.UnpricedSteps)
			}
		}
	}
}
