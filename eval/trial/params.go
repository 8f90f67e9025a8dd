package trial

import "github.com/progrouter/progrouter/router"

// DefaultParams are those of attempts. They were found on invented records and on
// simulated streams with seeds from 101, and on development tasks.
//
// Attempts differ by tenths in what they are expected to bring, not by hundredths
// as the steps of research do, so V is smaller. What stands in for a queue that
// would have to fill first is foreseen before every run (router.Price). Where a
// task has many stages, giving it up with the cheapest model is dearer than going
// on, and the queue's price is capped low, so that it does not make the router give
// every task up.
func DefaultParams(w World) router.Params {
	p := router.DefaultParams()
	p.V, p.QueueFloor, p.QueueCap = 10, 0, 1
	if _, staged := w.(Staged); staged {
		p.QueueCap = 0.08
	}
	return p
}
