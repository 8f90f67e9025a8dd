package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
	sysOpen   = 0
)

// plainOlder are the forms of plain calls that only other architectures have.
var plainOlder []uint32
