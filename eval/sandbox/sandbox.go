// Package sandbox runs an untrusted Python program in a child process that can
// compute and print, and nothing else. It owns what such a program may do and
// take. It must not know what programs are for.
//
// A small launcher runs in the interpreter before the program and gives up, in
// this order: environment and descriptors, resources (limits), capabilities,
// new privileges, the file system (Landlock, where the kernel has it) and all
// system calls but those a single-threaded computation needs (seccomp). All of
// it is enforced by the kernel, needs no privileges and no namespaces, and
// cannot be taken back by the program. The program runs only after the launcher
// has reported that everything holds.
package sandbox

import (
	"context"
	"time"

	"github.com/progrouter/progrouter/research"
)

// Config says which interpreter runs programs and what one program may take.
// Zero values take the defaults.
type Config struct {
	Python string        // name or path of Python 3.8 or newer; default python3
	Wall   time.Duration // default 60 s: the CPU time decides, this ends what sleeps
	CPU    time.Duration // rounded up to whole seconds; default 5 s
	Memory int64         // bytes of address space; default 512 MiB
	Output int           // bytes kept of each of Stdout, Stderr and Report; default 64 KiB

	// without leaves a protection out, so that tests see it missed.
	without string
}

// Defaults of Config.
const (
	DefaultWall   = 60 * time.Second
	DefaultCPU    = 5 * time.Second
	DefaultMemory = 512 << 20
	DefaultOutput = 64 << 10
)

func (c Config) withDefaults() Config {
	if c.Python == "" {
		c.Python = "python3"
	}
	if c.Wall <= 0 {
		c.Wall = DefaultWall
	}
	if c.CPU <= 0 {
		c.CPU = DefaultCPU
	}
	if c.Memory <= 0 {
		c.Memory = DefaultMemory
	}
	if c.Output <= 0 {
		c.Output = DefaultOutput
	}
	return c
}

// Result is what a program came to.
type Result struct {
	Exit        int    // exit status; -1 where a signal ended it
	Signal      string // the signal's name, else empty
	TimedOut    bool   // it took more wall or CPU time than allowed
	OutOfMemory bool   // it asked for more memory than allowed
	Stdout      string // cut at Config.Output bytes
	Stderr      string // likewise
	// Report is what the program wrote to descriptor 3, out of the way of
	// anything it prints; cut likewise.
	Report string
	Cut    bool // output went beyond Config.Output and was dropped
	Wall   time.Duration
	CPU    time.Duration // user and system time, the interpreter's start included
}

// OK reports whether the program ended by itself with status 0.
func (r Result) OK() bool { return r.Exit == 0 && r.Signal == "" && !r.TimedOut && !r.OutOfMemory }

// Sandbox runs programs, any number at once.
type Sandbox struct {
	cfg    Config
	python string // resolved interpreter
	hides  bool
	filter []byte
}

// HidesFiles reports whether files other than the interpreter's own library and
// the system's shared libraries are unreadable for programs. It needs a kernel
// with Landlock. Where it is false a program can read what this process's user
// can read, but has nowhere to send it except its output. Writing is refused
// everywhere in either case.
func (s *Sandbox) HidesFiles() bool { return s.hides }

// Limits are the limits in force.
func (s *Sandbox) Limits() Config { return s.cfg }

// New finds the interpreter and proves, by a program that tries what it must
// not be able to do, that the protections hold on this machine. The error says
// what is missing and how to get it; there is no weaker mode.
func New(ctx context.Context, cfg Config) (*Sandbox, error) {
	return open(ctx, cfg.withDefaults())
}

// Run runs program to its end or to a limit. An error means that nothing can be
// said about the program: it could not be started safely, or ctx ended.
func (s *Sandbox) Run(ctx context.Context, program string) (Result, error) {
	return s.run(ctx, program)
}

func unsafe(format string, args ...any) *research.Error {
	return research.Errorf(research.EUnavailable, "sandbox_unsafe", "Programs of language models cannot be run safely on this machine: "+format, args...)
}
