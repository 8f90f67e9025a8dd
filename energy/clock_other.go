//go:build !linux && !windows

package energy

import (
	"bytes"
	"runtime"
	"strconv"
	"time"
)

// ClockKind says what the chunk clock measures here: no per-thread CPU clock is
// reachable without cgo, so chunks are timed by the wall clock, which is too
// high when the machine is busy with other things.
const ClockKind = "wall time of the chunk"

var epoch = time.Now()

func threadCPU() time.Duration { return time.Since(epoch) }

// threadID is the goroutine's number, which serves as well here: it only tells
// nested measurements apart.
func threadID() int64 {
	var buf [64]byte
	line := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	number, _, _ := bytes.Cut(line, []byte(" "))
	id, _ := strconv.ParseInt(string(number), 10, 64)
	return id
}

// threadCPUOf is the same wall clock for everyone.
func threadCPUOf(int64) (time.Duration, bool) { return threadCPU(), true }
