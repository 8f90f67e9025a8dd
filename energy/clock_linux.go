package energy

import (
	"time"

	"golang.org/x/sys/unix"
)

// ClockKind says what the chunk clock measures here.
const ClockKind = "thread CPU time"

// threadCPU is the CPU time of the calling thread; only meaningful on a locked
// one.
func threadCPU() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

func threadID() int64 { return int64(unix.Gettid()) }

// threadCPUOf is the CPU time of another thread of this process. The clock's
// number is the kernel's encoding of "scheduler clock of thread n"
// (linux/posix-timers.h).
func threadCPUOf(thread int64) (time.Duration, bool) {
	const perThread, sched = 4, 2
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^thread<<3)|perThread|sched, &ts); err != nil {
		return 0, false
	}
	return time.Duration(ts.Nano()), true
}
