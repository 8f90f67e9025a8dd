package energy

import (
	"context"

	"github.com/progrouter/progrouter/research"
)

// Gauge measures the energy of calls of a server on this machine. It is safe
// for concurrent use: calls that run at the same time share what was measured.
type Gauge interface {
	// Begin starts the measurement of a call of a model. It never fails; what
	// cannot be measured shows at the end.
	Begin(ctx context.Context, model string) Reading
}

// Reading is the measurement of one call.
type Reading interface {
	// Progress says how far the call has come: what it has read and written until
	// now, its whole prompt once the first token arrives. It may be left out; then
	// the call's tokens are spread evenly over its time, which is less fair to
	// calls beside it. It returns the joules measured so far, about a second old at
	// most; 0 where nothing can be measured.
	Progress(use CallUse) research.Micro
	// End finishes it. False means that nothing could be measured; the energy is
	// then to be estimated by CallEnergy. Ending twice gives the first answer.
	End(use CallUse) (research.Energy, bool)
	// Idle is the part of End's energy that the device would have drawn anyway.
	Idle() research.Micro
}
