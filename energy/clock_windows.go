package energy

import (
	"time"

	"golang.org/x/sys/windows"
)

// ClockKind says what the chunk clock measures here.
const ClockKind = "thread CPU time"

// GetThreadTimes is not wrapped by x/sys/windows.
var procGetThreadTimes = windows.NewLazySystemDLL("kernel32.dll").NewProc("GetThreadTimes")

// threadCPU is the CPU time of the calling thread, in steps of the scheduler's
// tick (about 16 ms); only meaningful on a locked one.
func threadCPU() time.Duration {
	var created, exited, kernel, user windows.Filetime
	ok, _, _ := procGetThreadTimes.Call(uintptr(windows.CurrentThread()),
		pointer(&created), pointer(&exited), pointer(&kernel), pointer(&user))
	if ok == 0 {
		return 0
	}
	return ticks(kernel) + ticks(user)
}

func threadID() int64 { return int64(windows.GetCurrentThreadId()) }

// ProcessCPU is the CPU time of the whole process so far.
func ProcessCPU() (time.Duration, bool) {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		return 0, false
	}
	return ticks(kernel) + ticks(user), true
}

// ticks converts a duration in 100 ns units; Filetime.Nanoseconds would take it
// for a date.
func ticks(f windows.Filetime) time.Duration {
	return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * 100
}

// threadCPUOf is unknown here; work in flight then counts when it ends.
func threadCPUOf(int64) (time.Duration, bool) { return 0, false }
