//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/progrouter/progrouter/research"
)

//go:embed launch.py
var launcher string

// outOfMemory is the launcher's exit status for a MemoryError.
const outOfMemory = 121

// head bounds the launcher's own line on the report pipe, in bytes.
const head = 512

func (s *Sandbox) run(ctx context.Context, program string) (Result, error) {
	res, said, err := s.start(ctx, program)
	if err != nil {
		return Result{}, err
	}
	if !strings.HasPrefix(said, "ok") {
		return Result{}, refused(said, res)
	}
	return res, nil
}

// refused explains why the launcher did not start the program.
func refused(said string, res Result) error {
	if step, ok := strings.CutPrefix(said, "no "); ok {
		return unsafe("the protection %q cannot be set up.", strings.TrimSpace(step))
	}
	if res.TimedOut || res.OutOfMemory {
		return unsafe("the interpreter did not start within the limits of time and memory. Raise them.")
	}
	last := strings.TrimSpace(res.Stderr)
	return unsafe("the interpreter ended before it was confined (status %d %s): %s", res.Exit, res.Signal, last[strings.LastIndexByte(last, '\n')+1:])
}

// start runs program and returns the launcher's line beside the result.
func (s *Sandbox) start(ctx context.Context, program string) (Result, string, error) {
	dir, err := os.MkdirTemp("", "progrouter-run-")
	if err != nil {
		return Result{}, "", unsafe("no folder can be made for temporary files. Free some space or set TMPDIR.").Wrap(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	input, err := s.input(program)
	if err != nil {
		return Result{}, "", err
	}
	type ended struct {
		res  Result
		said string
		err  error
	}
	done := make(chan ended, 1)
	go func() {
		// The kernel sends the parent death signal when the thread that started the
		// child ends, so the thread must outlive the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		res, said, err := s.child(ctx, dir, input)
		done <- ended{res, said, err}
	}()
	e := <-done
	return e.res, e.said, e.err
}

// input is what the launcher reads: a line of settings, then the program.
func (s *Sandbox) input(program string) ([]byte, error) {
	job, err := json.Marshal(map[string]any{
		"memory": s.cfg.Memory, "cpu": int64(math.Ceil(s.cfg.CPU.Seconds())),
		"filter": hex.EncodeToString(s.filter), "without": s.cfg.without,
	})
	if err != nil {
		return nil, err
	}
	return append(append(job, '\n'), program...), nil
}

func (s *Sandbox) child(ctx context.Context, dir string, input []byte) (Result, string, error) {
	var report, stdout, stderr = sink{max: s.cfg.Output + head}, sink{max: s.cfg.Output}, sink{max: s.cfg.Output}
	reportR, reportW, err := os.Pipe()
	if err != nil {
		return Result{}, "", unsafe("no pipe can be made.").Wrap(err)
	}
	defer func() { _ = reportR.Close() }()
	cmd := exec.Command(s.python, "-s", "-S", "-B", "-X", "utf8", "-c", launcher) //nolint:gosec,noctx // the interpreter the operator named; the group is ended below
	cmd.Dir, cmd.Env = dir, []string{"PYTHONHASHSEED=0", "LC_ALL=C.UTF-8"}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr
	cmd.ExtraFiles = []*os.File{reportW}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = time.Second
	began := time.Now()
	err = cmd.Start()
	_ = reportW.Close()
	if err != nil {
		return Result{}, "", unsafe("%s cannot be started (%v).", s.python, err).Wrap(err)
	}
	read := make(chan struct{})
	go func() { _, _ = io.Copy(&report, reportR); close(read) }()
	stop := make(chan bool, 1)
	kill := func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	timer := time.AfterFunc(s.cfg.Wall, func() { stop <- true; kill() })
	after := context.AfterFunc(ctx, kill)
	err = cmd.Wait()
	timer.Stop()
	after()
	<-read
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return Result{}, "", unsafe("the program could not be waited for.").Wrap(err)
	}
	if ctx.Err() != nil {
		return Result{}, "", ctx.Err()
	}
	res := s.result(cmd.ProcessState, len(stop) > 0)
	res.Wall = time.Since(began)
	said, rest, _ := strings.Cut(report.buf.String(), "\n")
	res.Stdout, res.Stderr, res.Report = stdout.buf.String(), stderr.buf.String(), rest[:min(len(rest), s.cfg.Output)]
	res.Cut = stdout.cut || stderr.cut || report.cut || len(rest) > s.cfg.Output
	return res, said, nil
}

func (s *Sandbox) result(p *os.ProcessState, timedOut bool) Result {
	res := Result{Exit: p.ExitCode(), CPU: p.UserTime() + p.SystemTime(), TimedOut: timedOut}
	status, ok := p.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		res.OutOfMemory = res.Exit == outOfMemory
		return res
	}
	res.Signal = unix.SignalName(status.Signal())
	switch status.Signal() {
	case syscall.SIGXCPU:
		res.TimedOut = true
	case syscall.SIGKILL:
		// Ours, the hard limit of CPU time, or a machine that ran out of memory.
		res.TimedOut = timedOut || res.CPU >= s.cfg.CPU
		res.OutOfMemory = !res.TimedOut
	}
	return res
}

// sink keeps the first max bytes and takes the rest without keeping it, so that
// a program that prints much ends as it would have.
type sink struct {
	buf bytes.Buffer
	max int
	cut bool
}

func (s *sink) Write(p []byte) (int, error) {
	room := min(len(p), s.max-s.buf.Len())
	s.buf.Write(p[:room])
	s.cut = s.cut || room < len(p)
	return len(p), nil
}

// interpreter resolves the configured name to the interpreter itself, past
// wrappers that need an environment.
func interpreter(ctx context.Context, name string) (string, error) {
	const get = "Install Python 3.8 or newer (on Debian and Ubuntu: apt-get install python3), or name it."
	path, err := exec.LookPath(name)
	if err != nil {
		return "", research.Errorf(research.EUnavailable, "python_missing", "Programs are checked with Python, and %q was not found. "+get, name).Wrap(err)
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "-I", "-S", "-c", "import sys; print(sys.version_info >= (3, 8), sys.executable)").Output() //nolint:gosec // the operator named it
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	modern, real, ok := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || !ok || modern != "True" {
		return "", research.Errorf(research.EUnavailable, "python_unusable", "Programs are checked with Python, and %s is no working Python 3.8 or newer. "+get, path).Wrap(err)
	}
	return real, nil
}
