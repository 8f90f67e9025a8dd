package trial

import "github.com/progrouter/progrouter/router"

// DefaultParams are those of attempts. Attempts differ by tenths in what they are
// expected to bring, not by hundredths as the steps of research do, so V is
// smaller, and nothing stands in for a queue that fills within a few runs. Found
// on simulated streams and development tasks.
func DefaultParams() router.Params {
	p := router.DefaultParams()
	p.V, p.QueueFloor = 10, 0
	return p
}
