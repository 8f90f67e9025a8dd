package embedded

import (
	"context"
	"time"
)

// timeShare bounds how long a step opens documents, so that time is left to
// choose from them.
type timeShare struct {
	page time.Duration // one page at most
	end  time.Time     // no page is begun after it
}

const (
	freePage  = 20 * time.Second // where the step has no deadline
	leastPage = 3 * time.Second  // a normal page needs no more
)

// shareOfTime gives opening three quarters of the step's remaining time, and one
// page a quarter.
func shareOfTime(ctx context.Context) timeShare {
	until, ok := ctx.Deadline()
	if !ok {
		return timeShare{page: freePage, end: time.Now().Add(time.Hour)}
	}
	left := time.Until(until)
	page := min(max(left/4, leastPage), left/2)
	return timeShare{page: page, end: time.Now().Add(left*3/4 - page)}
}

func (t timeShare) over() bool { return time.Now().After(t.end) }
