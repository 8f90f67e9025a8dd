package trial

import "github.com/progrouter/progrouter/router"

// DefaultParams are those of attempts, found on simulated streams with seeds from
// 101 and on development tasks.
//
// Attempts differ by tenths in what they are expected to bring, not by hundredths
// as the steps of research do, so V is smaller, and nothing stands in for a queue
// that fills within a few runs. Where a task that is not solved is attempted again,
// the smallest allowances cannot be kept by any choice; the queue's price is capped
// low there, so that it does not make the router give every task up. Where each
// model answers once, a run is a single step, whose whole cost stands against its
// gain: V is smaller again, and the queue may have its way.
func DefaultParams(w World) router.Params {
	p := router.DefaultParams()
	p.V, p.QueueFloor, p.QueueCap = 10, 0, 0.08
	if r, ok := w.(Repeatable); ok && !r.Repeatable() {
		p.V, p.QueueCap = 1, 1
	}
	return p
}
