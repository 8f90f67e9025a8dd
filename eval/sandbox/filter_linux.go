//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"slices"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// What a seccomp filter sees (struct seccomp_data) and answers.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16

	retAllow = 0x7fff0000 // SECCOMP_RET_ALLOW
	retErrno = 0x00050000 // SECCOMP_RET_ERRNO
	retKill  = 0x80000000 // SECCOMP_RET_KILL_PROCESS

	fionclex, fioclex = 0x5450, 0x5451 // keep or close a descriptor on exec
)

// writing are the flags of open that ask for more than reading.
const writing = unix.O_ACCMODE | unix.O_CREAT | unix.O_TRUNC | unix.O_APPEND | (unix.O_TMPFILE &^ unix.O_DIRECTORY)

// plain are the system calls of a computation that reads files, prints and
// watches the clock. None of them reaches another process, the network or
// anything that outlives the program. Absent on purpose: every way to make a
// process or thread (there is exactly one), sockets and pairs of them (a
// datagram pair can be pointed at any Unix socket), io_uring, signals to anybody,
// ptrace and its kin, shared memory, everything that changes files, and prctl
// (it could take back the parent death signal).
var plain = []uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_PREAD64, unix.SYS_LSEEK,
	unix.SYS_CLOSE, unix.SYS_CLOSE_RANGE, unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_PIPE2,
	unix.SYS_FSTAT, unix.SYS_NEWFSTATAT, unix.SYS_STATX, unix.SYS_STATFS, unix.SYS_FSTATFS,
	unix.SYS_READLINKAT, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_GETDENTS64,
	unix.SYS_GETCWD, unix.SYS_CHDIR, unix.SYS_FADVISE64,
	unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MPROTECT, unix.SYS_MREMAP, unix.SYS_MADVISE, unix.SYS_BRK,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_RT_SIGPENDING,
	unix.SYS_SETITIMER, unix.SYS_GETITIMER, unix.SYS_RESTART_SYSCALL,
	unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES,
	unix.SYS_GETTIMEOFDAY, unix.SYS_TIMES, unix.SYS_GETRUSAGE, unix.SYS_SYSINFO, unix.SYS_UNAME, unix.SYS_GETRANDOM,
	unix.SYS_GETPID, unix.SYS_GETPPID, unix.SYS_GETTID, unix.SYS_GETPGID, unix.SYS_GETSID,
	unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID, unix.SYS_GETRESUID, unix.SYS_GETRESGID, unix.SYS_GETGROUPS,
	unix.SYS_FUTEX, unix.SYS_SET_ROBUST_LIST, unix.SYS_SET_TID_ADDRESS, unix.SYS_RSEQ, unix.SYS_MEMBARRIER,
	unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_GETCPU,
	unix.SYS_PPOLL, unix.SYS_PSELECT6,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
}

// absent are calls that the C library tries first and replaces by an older one
// when the kernel does not know them.
var absent = []uint32{unix.SYS_CLONE3, unix.SYS_OPENAT2}

// fcntlCommands and ioctlCommands look at descriptors or copy them. Others can
// aim signals at processes (F_SETOWN) or type into terminals (TIOCSTI).
var (
	fcntlCommands = []uint32{unix.F_DUPFD, unix.F_DUPFD_CLOEXEC, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL}
	ioctlCommands = []uint32{unix.TCGETS, unix.TIOCGWINSZ, unix.TIOCINQ, fioclex, fionclex}
)

// filter is the seccomp program, as the kernel reads it (struct sock_filter).
func filter() ([]byte, error) {
	raw, err := bpf.Assemble(filterProgram())
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, in := range raw {
		out = binary.NativeEndian.AppendUint16(out, in.Op)
		out = append(out, in.Jt, in.Jf)
		out = binary.NativeEndian.AppendUint32(out, in.K)
	}
	return out, nil
}

func filterProgram() []bpf.Instruction {
	allow, refuse := bpf.RetConstant{Val: retAllow}, bpf.RetConstant{Val: retErrno | uint32(unix.EPERM)}
	p := []bpf.Instruction{
		// Another architecture's calls have other numbers.
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		bpf.RetConstant{Val: retKill},
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
	}
	for _, nr := range slices.Concat(plain, plainOlder) {
		p = append(p, bpf.JumpIf{Cond: bpf.JumpEqual, Val: nr, SkipFalse: 1}, allow)
	}
	for _, nr := range absent {
		p = append(p, bpf.JumpIf{Cond: bpf.JumpEqual, Val: nr, SkipFalse: 1}, bpf.RetConstant{Val: retErrno | uint32(unix.ENOSYS)})
	}
	readOnly := func(arg uint32) []bpf.Instruction {
		return []bpf.Instruction{
			bpf.LoadAbsolute{Off: low(arg), Size: 4},
			bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: writing, SkipFalse: 1},
			bpf.RetConstant{Val: retErrno | uint32(unix.EACCES)},
			allow,
		}
	}
	p = append(p, when(unix.SYS_OPENAT, readOnly(2))...)
	if sysOpen != 0 {
		p = append(p, when(sysOpen, readOnly(1))...)
	}
	p = append(p, when(unix.SYS_FCNTL, oneOf(1, fcntlCommands))...)
	p = append(p, when(unix.SYS_IOCTL, oneOf(1, ioctlCommands))...)
	// Reading one's own limits; the same call sets those of other processes.
	p = append(p, when(unix.SYS_PRLIMIT64, []bpf.Instruction{
		bpf.LoadAbsolute{Off: low(0), Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: 5},
		bpf.LoadAbsolute{Off: low(2), Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: 3},
		bpf.LoadAbsolute{Off: low(2) + 4, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: 1},
		allow,
		refuse,
	})...)
	return append(p, refuse)
}

// low is the place of the lower half of an argument. Both architectures are
// little-endian.
func low(arg uint32) uint32 { return offArgs + 8*arg }

// when runs body, which must return, for one system call.
func when(nr uint32, body []bpf.Instruction) []bpf.Instruction {
	return append([]bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpEqual, Val: nr, SkipFalse: uint8(len(body))}}, body...)
}

func oneOf(arg uint32, values []uint32) []bpf.Instruction {
	p := []bpf.Instruction{bpf.LoadAbsolute{Off: low(arg), Size: 4}}
	for _, v := range values {
		p = append(p, bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipFalse: 1}, bpf.RetConstant{Val: retAllow})
	}
	return append(p, bpf.RetConstant{Val: retErrno | uint32(unix.EPERM)})
}
