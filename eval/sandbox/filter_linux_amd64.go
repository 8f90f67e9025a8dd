package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	sysOpen   = unix.SYS_OPEN
)

// plainOlder are the forms of plain calls that only this architecture has.
var plainOlder = []uint32{
	unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_ACCESS, unix.SYS_READLINK, unix.SYS_GETDENTS, unix.SYS_DUP2, unix.SYS_PIPE,
	unix.SYS_POLL, unix.SYS_SELECT, unix.SYS_TIME, unix.SYS_GETRLIMIT, unix.SYS_GETPGRP, unix.SYS_ALARM, unix.SYS_ARCH_PRCTL,
}
