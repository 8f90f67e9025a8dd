//go:build !linux

package energy

import (
	"net/netip"
	"time"
)

const procRoot = ""

// findServer finds nothing: which process listens on an address is only told on
// Linux.
func findServer(string, netip.AddrPort) map[int]uint64 { return nil }

func treeCPU(string, map[int]uint64) (time.Duration, bool) { return 0, false }

func descendants(string, map[int]uint64) map[int]bool { return nil }

// MachineCPU is not known here.
func MachineCPU() (time.Duration, bool) { return 0, false }
