package energy

import (
	"bufio"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

// fakeProc builds a /proc with listeners and processes.
type fakeProc struct {
	t    *testing.T
	root string
}

func newFakeProc(t *testing.T, tcp, tcp6 string) fakeProc {
	f := fakeProc{t, t.TempDir()}
	head := "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	f.write("net/tcp", head+tcp)
	f.write("net/tcp6", head+tcp6)
	return f
}

func (f fakeProc) write(name, text string) {
	f.t.Helper()
	p := filepath.Join(f.root, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// process writes /proc/PID/stat with times in ticks.
func (f fakeProc) process(pid, parent int, started, own, children int, sockets ...string) {
	f.t.Helper()
	f.write(fmt.Sprintf("%d/stat", pid), fmt.Sprintf("%d (a ) name) S %d 1 1 0 -1 4194304 1 0 0 0 %d %d %d %d 20 0 9 0 %d 1 2 3\n", pid, parent, own, own, children, 0, started))
	for i, s := range sockets {
		dir := filepath.Join(f.root, strconv.Itoa(pid), "fd")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			f.t.Fatal(err)
		}
		if err := os.Symlink("socket:["+s+"]", filepath.Join(dir, strconv.Itoa(i+3))); err != nil {
			f.t.Fatal(err)
		}
	}
}

const (
	onLoopback = "   0: 0100007F:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1 0\n" // 127.0.0.1:11434
	onAny6     = "   0: 00000000000000000000000000000000:2CAA 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1 0\n"
	connected  = "   0: 0100007F:2CAA 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 4242 1 0\n"
	elsewhere  = "   0: 0200007F:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1 0\n"
)

var ollamaAddr = netip.MustParseAddrPort("127.0.0.1:11434")

func TestServersAreFoundByTheirSocket(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tcp, tcp6 string
		found     bool
	}{
		"loopback":        {onLoopback, "", true},
		"all addresses":   {"", onAny6, true},
		"only a client":   {connected, "", false},
		"another address": {elsewhere, "", false},
		"nobody":          {"", "", false},
		"garbage":         {"what\nis this 1 2 3 4 5 6 7 8 9 10 11\n", "", false},
	} {
		f := newFakeProc(t, tt.tcp, tt.tcp6)
		f.process(50, 1, 7, 100, 0, "1", "4242")
		f.process(60, 1, 7, 100, 0, "1")
		if p, ok := openServer(f.root, ollamaAddr); ok != tt.found || ok && len(p.found) != 1 {
			t.Errorf("%s: found %v, want %v", name, p.found, tt.found)
		}
	}
}

func TestServerTimeHasItsChildrenAndSurvivesRestarts(t *testing.T) {
	t.Parallel()
	f := newFakeProc(t, onLoopback, "")
	f.process(50, 1, 7, 100, 30, "4242") // user and system 100 each, children 30
	f.process(51, 50, 8, 1000, 0)        // the process that runs the model
	f.process(52, 51, 8, 10, 0)
	f.process(99, 1, 1, 5000, 0)
	p, ok := openServer(f.root, ollamaAddr)
	if !ok {
		t.Fatal("not found")
	}
	if d, ok := p.CPU(); !ok || d != (230+2000+20)*tick {
		t.Errorf("CPU %v, want %v", d, 2250*tick)
	}
	f.process(50, 1, 900, 1, 0) // the same number, started later
	if d, ok := p.CPU(); ok {
		t.Errorf("a server started anew goes on at %v", d)
	}
	if d, ok := p.CPU(); !ok || d != (2+2000+20)*tick {
		t.Errorf("after the restart %v, %v", d, ok)
	}
	if err := os.RemoveAll(filepath.Join(f.root, "50")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if d, ok := p.CPU(); ok {
			t.Errorf("a server that is gone used %v", d)
		}
	}
}

func TestMachineCPULeavesWaitingOut(t *testing.T) {
	t.Parallel()
	f := newFakeProc(t, "", "")
	f.write("stat", "cpu  100 20 30 9000 500 5 6 7 0 0\ncpu0 1 2 3\n")
	if d, ok := machineCPU(f.root); !ok || d != 161*tick {
		t.Errorf("busy %v, want %v", d, 161*tick)
	}
	f.write("stat", "cpu  1 2\n")
	if _, ok := machineCPU(f.root); ok {
		t.Error("a short line is no answer")
	}
	if _, ok := MachineCPU(); !ok {
		t.Error("this machine does not tell")
	}
}

// The real thing: a child of ours listens, works and is measured.
func TestARealServerIsMeasured(t *testing.T) {
	t.Parallel()
	if os.Getenv("PROGROUTER_TEST_SERVER") != "" {
		busyServer()
		return
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestARealServerIsMeasured$")
	c.Env = append(os.Environ(), "PROGROUTER_TEST_SERVER=1")
	out, err := c.StdoutPipe()
	if err != nil || c.Start() != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	addr := strings.TrimSpace(line)
	gauge, device, ok := OpenLocal(t.Context(), LocalConfig{BaseURL: "http://" + addr + "/v1", Meter: NewMeter(MeterConfig{})})
	if !ok {
		t.Fatal("the server is not found")
	}
	r := gauge.Begin(t.Context(), "m")
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	e, ok := r.End(CallUse{Input: 10, Output: 10})
	// It works for 0.2 CPU seconds at 10 W.
	if !ok || e.Method != research.MethodCPU || e.Joules.Units() < 1 || *e.Low >= *e.Joules || *e.High <= *e.Joules {
		t.Errorf("%s: %v J (%v to %v) by %s, %v", device, e.Joules, e.Low, e.High, e.Method, ok)
	}
}

// busyServer answers one connection after 0.2 s of CPU time.
func busyServer() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return
	}
	fmt.Println(l.Addr())
	conn, err := l.Accept()
	if err != nil {
		return
	}
	start, _ := ProcessCPU()
	for now := start; now < start+200*time.Millisecond; now, _ = ProcessCPU() {
	}
	fmt.Fprintln(conn, "done")
	time.Sleep(time.Minute)
}

func TestServersElsewhereAreNotMeasured(t *testing.T) {
	t.Parallel()
	for _, u := range []string{"", "://", "http://192.0.2.1:11434", "http://127.0.0.1:1", "http://localhost:notaport"} {
		if _, _, ok := OpenLocal(t.Context(), LocalConfig{BaseURL: u, Meter: NewMeter(MeterConfig{})}); ok {
			t.Errorf("%q is measured", u)
		}
	}
}
