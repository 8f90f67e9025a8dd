//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

// needPython skips on a machine without Python, except on CI.
func needPython(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil && os.Getenv("CI") == "" {
		t.Skip("python3 is not installed")
	}
}

func newSandbox(t *testing.T, cfg Config) *Sandbox {
	t.Helper()
	needPython(t)
	s, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func runs(t *testing.T, s *Sandbox, program string) Result {
	t.Helper()
	res, err := s.Run(t.Context(), program)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestOrdinaryPrograms(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, Config{})
	for name, tc := range map[string]struct {
		program, stdout, stderr string
		exit                    int
	}{
		"prints":          {program: "print('안녕', 1 + 1)", stdout: "안녕 2\n"},
		"exit status":     {program: "import sys\nsys.exit(3)", exit: 3},
		"exit with words": {program: "raise SystemExit('no')", exit: 1},
		"raises":          {program: "def f():\n    return 1 // 0\nf()", exit: 1, stderr: "ZeroDivisionError: integer division or modulo by zero\n"},
		"is no program":   {program: "def f(:", exit: 1, stderr: "SyntaxError: invalid syntax\n"},
		"is the main":     {program: "if __name__ == '__main__':\n    print(__name__)", stdout: "__main__\n"},
		"has no input":    {program: "import sys\nprint(repr(sys.stdin.read()))", stdout: "''\n"},
		"imports":         {program: "import math, re, collections, itertools, functools, heapq, bisect, string, random, hashlib, datetime, decimal, fractions, statistics, typing, dataclasses, enum, json, copy, operator, time\nprint(hashlib.md5(b'a').hexdigest()[:4], random.Random(1).randint(0, 9) >= 0, time.time() > 0)", stdout: "0cc1 True True\n"},
		"deep recursion":  {program: "def f(n): return f(n + 1)\ntry:\n    f(0)\nexcept RecursionError:\n    print('deep')", stdout: "deep\n"},
		"hashes":          {program: "print(hash('x') == HASH)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "hashes" {
				// The same program takes the same course every time.
				first := runs(t, s, "print(hash('x'))")
				tc.program, tc.stdout = strings.ReplaceAll(tc.program, "HASH", strings.TrimSpace(first.Stdout)), "True\n"
			}
			res := runs(t, s, tc.program)
			if res.Exit != tc.exit || res.Stdout != tc.stdout || !strings.HasSuffix(res.Stderr, tc.stderr) || res.Signal != "" || res.TimedOut || res.OutOfMemory {
				t.Errorf("got %+v", res)
			}
			if res.OK() != (tc.exit == 0) || res.CPU <= 0 || res.Wall <= 0 {
				t.Errorf("got %+v", res)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	short := newSandbox(t, Config{CPU: time.Second, Wall: 3 * time.Second, Memory: 256 << 20, Output: 1000})
	nap := newSandbox(t, Config{Wall: time.Second})
	for name, tc := range map[string]struct {
		s       *Sandbox
		program string
		ok      func(Result) bool
	}{
		"a loop without end":       {short, "while True: pass", func(r Result) bool { return r.TimedOut }},
		"a loop that will not end": {short, "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True:\n    try:\n        while True: pass\n    except BaseException: pass", func(r Result) bool { return r.TimedOut && r.Signal == "SIGKILL" }},
		"a loop in C":              {short, "10 ** 10 ** 8", func(r Result) bool { return r.TimedOut || r.OutOfMemory }},
		"sleep":                    {nap, "import time\ntime.sleep(60)", func(r Result) bool { return r.TimedOut && r.Signal == "SIGKILL" }},
		"a memory bomb":            {short, "a = ['x' * 10 ** 6]\nwhile True: a += a[:] + ['y' * 10 ** 7]", func(r Result) bool { return r.OutOfMemory && !r.TimedOut }},
		"a large allocation":       {short, "bytearray(10 ** 9)", func(r Result) bool { return r.OutOfMemory }},
		"much output":              {short, "print('x' * 100000)\nprint('end')", func(r Result) bool { return r.OK() && r.Cut && r.Stdout == strings.Repeat("x", 1000) }},
		"output without end":       {short, "while True: print('x' * 1000)", func(r Result) bool { return r.TimedOut && r.Cut && len(r.Stdout) == 1000 }},
		"many errors":              {short, "import sys\nsys.stderr.write('x' * 100000)", func(r Result) bool { return r.Cut && len(r.Stderr) == 1000 }},
		"a long report":            {short, "import os\nfor _ in range(100): os.write(3, b'y' * 1000)", func(r Result) bool { return r.Cut && r.Report == strings.Repeat("y", 1000) }},
		"a crash":                  {short, "import sys\nsys.setrecursionlimit(10 ** 9)\nclass A:\n    def __getattr__(self, n): return getattr(self, n)\nrepr(A().x)", func(r Result) bool { return r.Signal == "SIGSEGV" || r.OutOfMemory || r.Exit == 1 }},
		"abort":                    {short, "import os\nos.abort()", func(r Result) bool { return r.Signal != "" && !r.OK() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if res := runs(t, tc.s, tc.program); !tc.ok(res) {
				res.Stdout = res.Stdout[:min(80, len(res.Stdout))]
				t.Errorf("got %+v", res)
			}
		})
	}
}

// refuses is a program that prints what became of an attempt.
func refuses(setup, attempt string) string {
	return setup + "\ntry:\n    r = " + attempt + "\n    print('done', r)\nexcept (OSError, ValueError, RuntimeError) as e:\n    print('refused', e)\n"
}

func TestNetworkIsRefused(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, Config{})
	unixPath := filepath.Join(t.TempDir(), "s")
	for network, address := range map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0", "unix": unixPath} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen(network, address)
			if err != nil {
				t.Skip(err) // a machine without IPv6
			}
			defer l.Close()
			accepted := make(chan struct{}, 1)
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					c.Close()
					accepted <- struct{}{}
				}
			}()
			family, target := "AF_INET", fmt.Sprintf("('127.0.0.1', %d)", port(l))
			switch network {
			case "tcp6":
				family, target = "AF_INET6", fmt.Sprintf("('::1', %d)", port(l))
			case "unix":
				family, target = "AF_UNIX", fmt.Sprintf("%q", unixPath)
			}
			connect := "import socket\ns = socket.socket(socket." + family + ")\ns.settimeout(2)\ns.connect(" + target + ")\n"
			// The listener can be reached from outside the sandbox: the test can fail.
			if out, err := exec.Command("python3", "-c", connect).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			<-accepted
			res := runs(t, s, connect)
			if res.OK() || !strings.Contains(res.Stderr, "PermissionError") {
				t.Errorf("got %+v", res)
			}
			select {
			case <-accepted:
				t.Error("the program reached the listener")
			default:
			}
		})
	}
}

func port(l net.Listener) int {
	if a, ok := l.Addr().(*net.TCPAddr); ok {
		return a.Port
	}
	return 0
}

func TestRefusals(t *testing.T) {
	s := newSandbox(t, Config{})
	home := t.TempDir()
	victim := filepath.Join(home, "victim")
	if err := os.WriteFile(victim, []byte("kept"), 0o666); err != nil {
		t.Fatal(err)
	}
	libc := "import ctypes, os, socket\nlibc = ctypes.CDLL(None, use_errno=True)\ndef call(*a):\n    r = libc.syscall(*[ctypes.c_long(x) if isinstance(x, int) else x for x in a])\n    if r < 0: raise OSError(ctypes.get_errno(), 'x')\n    return r"
	for name, program := range map[string]string{
		"fork":                 refuses("import os", "os.fork()"),
		"subprocess":           refuses("import subprocess", "subprocess.run(['/bin/true'])"),
		"spawn":                refuses("import os", "os.posix_spawn('/bin/true', ['true'], {})"),
		"exec":                 refuses("import os", "os.execv('/bin/sh', ['sh', '-c', 'echo done'])"),
		"thread":               refuses("import threading", "threading.Thread(target=print).start()"),
		"socketpair":           refuses("import socket", "socket.socketpair()"),
		"io_uring":             refuses(libc, "call(425, 8, ctypes.create_string_buffer(200))"),
		"memfd":                refuses("import os", "os.memfd_create('x')"),
		"overwrite":            refuses("", fmt.Sprintf("open(%q, 'w')", victim)),
		"append":               refuses("", fmt.Sprintf("open(%q, 'a')", victim)),
		"update":               refuses("", fmt.Sprintf("open(%q, 'r+')", victim)),
		"delete":               refuses("import os", fmt.Sprintf("os.remove(%q)", victim)),
		"rename":               refuses("import os", fmt.Sprintf("os.rename(%q, %q)", victim, victim+"2")),
		"truncate":             refuses("import os", fmt.Sprintf("os.truncate(%q, 0)", victim)),
		"chmod":                refuses("import os", fmt.Sprintf("os.chmod(%q, 0)", victim)),
		"link":                 refuses("import os", fmt.Sprintf("os.symlink(%q, 'l')", victim)),
		"write in its folder":  refuses("", "open('x', 'w')"),
		"unnamed file":         refuses("import os", "os.open('.', os.O_TMPFILE | os.O_RDWR)"),
		"named pipe":           refuses("import os", "os.mkfifo('x')"),
		"kill the parent":      refuses("import os", "os.kill(os.getppid(), 15)"),
		"kill all":             refuses("import os", "os.kill(-1, 9)"),
		"signal by descriptor": refuses("import fcntl, os", "fcntl.fcntl(1, fcntl.F_SETOWN, os.getppid())"),
		"parent's limits":      refuses("import os, resource", "resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (5, 5))"),
		"own limits":           refuses("import resource", "resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))"),
		"outlive the parent":   refuses(libc, "[None if libc.prctl(1, 0) == 0 else call(-1)]"),
		"trace the parent":     refuses(libc, "call(101 if os.uname().machine == 'x86_64' else 117, 16, os.getppid(), 0, 0)"),
		"read the parent":      refuses(libc, "call(310 if os.uname().machine == 'x86_64' else 270, os.getppid(), 0, 0, 0, 0, 0)"),
		"new namespace":        refuses("import os, ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\ndef call():\n    if libc.unshare(0x10000000) < 0: raise OSError(ctypes.get_errno(), 'x')", "call()"),
		"become another user":  refuses("import os", "os.setuid(65534)"),
		"new session":          refuses("import os", "os.setsid()"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := runs(t, s, program)
			if !res.OK() || !strings.HasPrefix(res.Stdout, "refused ") {
				t.Errorf("got %+v", res)
			}
		})
	}
	t.Cleanup(func() {
		left, _ := os.ReadDir(home)
		if b, _ := os.ReadFile(victim); string(b) != "kept" || len(left) != 1 {
			t.Errorf("the folder was changed: %q, %v", b, left)
		}
	})
}

func TestFilesAreHidden(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, Config{})
	if !s.HidesFiles() {
		t.Skip("this kernel has no Landlock")
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{secret, "/etc/passwd", "/proc/self/environ", fmt.Sprintf("/proc/%d/environ", os.Getpid()), fmt.Sprintf("/proc/%d/mem", os.Getpid()), "/proc/self/mem"} {
		if res := runs(t, s, refuses("", fmt.Sprintf("open(%q, 'rb').read(1)", path))); !strings.HasPrefix(res.Stdout, "refused ") {
			t.Errorf("%s: got %+v", path, res)
		}
	}
	if res := runs(t, s, refuses("import os", "os.listdir('/')")); !strings.HasPrefix(res.Stdout, "refused ") {
		t.Errorf("got %+v", res)
	}
}

// Where the kernel hides nothing, writing and everything else is refused all
// the same, and the sandbox says that it does not hide files.
func TestWithoutLandlock(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, Config{without: "landlock"})
	if s.HidesFiles() {
		t.Error("it claims to hide files")
	}
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("kept"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"w", "a", "r+", "x"} {
		if res := runs(t, s, refuses("", fmt.Sprintf("open(%q, %q)", victim, mode))); !strings.HasPrefix(res.Stdout, "refused ") {
			t.Errorf("got %+v", res)
		}
	}
}

// A sandbox that lacks a protection is no sandbox.
func TestMissingProtectionIsRefused(t *testing.T) {
	t.Parallel()
	needPython(t)
	for without, says := range map[string]string{"seccomp": "could make an IPv4 socket", "limits": "memory has no limit"} {
		_, err := New(t.Context(), Config{without: without})
		if research.CodeOf(err) != research.EUnavailable || !strings.Contains(err.Error(), says) {
			t.Errorf("without %s: %v", without, err)
		}
	}
}

func TestNothingIsInherited(t *testing.T) {
	t.Setenv("PROGROUTER_TEST_SECRET", "s3cret")
	s := newSandbox(t, Config{})
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	res := runs(t, s, "import os\nopen_fds = []\nfor fd in range(64):\n    try: os.fstat(fd); open_fds.append(fd)\n    except OSError: pass\nprint(dict(os.environ), open_fds, os.listdir('.'), os.getsid(0) == os.getpid())")
	if res.Stdout != "{} [0, 1, 2, 3] [] True\n" {
		t.Errorf("got %+v", res)
	}
}

// A program cannot pass itself off as a launcher that failed.
func TestReportIsTheProgramsOwn(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, Config{})
	res := runs(t, s, "import os\nos.write(3, b'no seccomp: x\\n')\nos._exit(120)")
	if res.Report != "no seccomp: x\n" || res.Exit != 120 {
		t.Errorf("got %+v", res)
	}
}

func TestTheFolderIsRemoved(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	s := newSandbox(t, Config{Wall: time.Second})
	res := runs(t, s, "import os\nprint(os.getcwd(), flush=True)\nimport time\ntime.sleep(60)")
	if !strings.HasPrefix(res.Stdout, tmp) {
		t.Errorf("got %+v", res)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestACancelledRunEnds(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, Config{Wall: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := s.Run(ctx, "import time\ntime.sleep(3600)"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestPythonIsNamedWhenMissing(t *testing.T) {
	t.Parallel()
	_, err := New(t.Context(), Config{Python: "no-such-python"})
	if research.CodeOf(err) != research.EUnavailable || !strings.Contains(err.Error(), "no-such-python") || !strings.Contains(err.Error(), "apt-get install python3") {
		t.Errorf("got %v", err)
	}
	_, err = New(t.Context(), Config{Python: "/bin/true"})
	if research.CodeOf(err) != research.EUnavailable || !strings.Contains(err.Error(), "/bin/true") {
		t.Errorf("got %v", err)
	}
}
