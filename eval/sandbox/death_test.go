//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// asParent makes the test binary a process that runs a program that sleeps.
const asParent = "PROGROUTER_TEST_SANDBOX_PARENT"

func TestMain(m *testing.M) {
	if os.Getenv(asParent) == "" {
		os.Exit(m.Run())
	}
	s, err := New(context.Background(), Config{Wall: time.Hour})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ready")
	_, _ = s.Run(context.Background(), "import time\nwhile True: time.sleep(1)")
}

// A process that is killed takes its programs with it.
func TestProgramsDieWithTheirParent(t *testing.T) {
	t.Parallel()
	needPython(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asParent+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	line := make([]byte, 200)
	if n, _ := out.Read(line); !strings.HasPrefix(string(line[:n]), "ready") {
		t.Fatalf("got %s", line[:n])
	}
	var child string
	until(t, "the program runs", func() bool {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", cmd.Process.Pid))
		for _, f := range files {
			if b, _ := os.ReadFile(f); strings.TrimSpace(string(b)) != "" {
				child = strings.TrimSpace(string(b))
			}
		}
		return child != "" && confined(child)
	})
	t.Cleanup(func() {
		if confined(child) {
			_ = exec.Command("kill", "-9", child).Run()
		}
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	until(t, "the program is gone", func() bool { return !confined(child) })
}

// confined reports whether the process lives and has installed its filter.
func confined(pid string) bool {
	b, err := os.ReadFile("/proc/" + pid + "/status")
	return err == nil && strings.Contains(string(b), "Seccomp:\t2") && !strings.Contains(string(b), "State:\tZ")
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited in vain until", what)
		}
	}
}
