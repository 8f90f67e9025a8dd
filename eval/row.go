package eval

import (
	"context"

	"github.com/progrouter/progrouter/research"
)

func (o Options) measure(ctx context.Context, lab Lab, p research.Policy, seed int, it item, l *research.Ledger) (Row, error) {
	return Row{}, nil
}
