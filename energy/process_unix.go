//go:build unix

package energy

import (
	"time"

	"golang.org/x/sys/unix"
)

// ProcessCPU is the CPU time of the whole process so far, and false where the
// system does not tell.
func ProcessCPU() (time.Duration, bool) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
