package energy

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// procRoot is where the kernel shows processes.
const procRoot = "/proc"

// tick is the unit of CPU times in /proc, USER_HZ, which is 100 wherever Go runs.
const tick = 10 * time.Millisecond

const listening = "0A" // TCP_LISTEN in /proc/net/tcp

// socket is a listening one.
type socket struct {
	inode string
	uid   uint32
}

// proc is a line of /proc/PID/stat.
type proc struct {
	pid, parent int
	started     uint64
	cpu         time.Duration // its own and that of children it has waited for
}

// findServer returns the processes that listen on an address of this machine,
// with the time each was started; none when there are none or they cannot be
// seen (another container, a system that hides them).
func findServer(root string, addr netip.AddrPort) map[int]uint64 {
	sockets := listeners(root, addr)
	if len(sockets) == 0 {
		return nil
	}
	procs := processes(root)
	out := map[int]uint64{}
	for pid, p := range procs {
		if holds(root, pid, sockets) {
			out[pid] = p.started
		}
	}
	if len(out) > 0 {
		return out
	}
	return soleServer(root, sockets[0].uid, procs)
}

// soleServer is for servers of another user, whose open files are hidden: when
// that user runs exactly one tree of processes, it is the one.
func soleServer(root string, uid uint32, procs map[int]proc) map[int]uint64 {
	if int(uid) == os.Getuid() || uid == 0 {
		return nil
	}
	theirs := map[int]bool{}
	for pid := range procs {
		if info, err := os.Stat(filepath.Join(root, strconv.Itoa(pid))); err == nil {
			if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Uid == uid {
				theirs[pid] = true
			}
		}
	}
	out := map[int]uint64{}
	for pid := range theirs {
		if !theirs[procs[pid].parent] {
			out[pid] = procs[pid].started
		}
	}
	if len(out) != 1 {
		return nil
	}
	return out
}

// treeCPU sums the CPU time of processes and all their descendants; false when
// one of the roots is gone or another process has its number.
func treeCPU(root string, roots map[int]uint64) (time.Duration, bool) {
	procs := processes(root)
	for pid, started := range roots {
		if p, ok := procs[pid]; !ok || p.started != started {
			return 0, false
		}
	}
	sum := time.Duration(0)
	for pid := range procs {
		if descends(pid, roots, procs) {
			sum += procs[pid].cpu
		}
	}
	return sum, true
}

// descendants are the processes and all that come from them.
func descendants(root string, roots map[int]uint64) map[int]bool {
	procs, out := processes(root), map[int]bool{}
	for pid := range procs {
		if descends(pid, roots, procs) {
			out[pid] = true
		}
	}
	return out
}

func descends(pid int, roots map[int]uint64, procs map[int]proc) bool {
	for range len(procs) { // a loop of parents cannot be, but may be read
		if _, ok := roots[pid]; ok {
			return true
		}
		p, ok := procs[pid]
		if !ok || p.parent <= 0 {
			return false
		}
		pid = p.parent
	}
	return false
}

func processes(root string) map[int]proc {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	out := map[int]proc{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		b, err := os.ReadFile(filepath.Join(root, e.Name(), "stat"))
		if err != nil {
			continue // it has ended meanwhile
		}
		if p, ok := parseStat(pid, b); ok {
			out[pid] = p
		}
	}
	return out
}

// parseStat reads what stands after the command's name, which may contain
// anything: state ppid … utime(14) stime cutime cstime … starttime(22).
func parseStat(pid int, b []byte) (proc, bool) {
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	const first = 3 // number of the field after the name, as proc(5) counts
	if len(f) <= 22-first {
		return proc{}, false
	}
	parent, err := strconv.Atoi(f[4-first])
	if err != nil {
		return proc{}, false
	}
	ticks := uint64(0)
	for i := 14; i <= 17; i++ {
		v, err := strconv.ParseUint(f[i-first], 10, 62)
		if err != nil {
			return proc{}, false
		}
		ticks += v
	}
	started, err := strconv.ParseUint(f[22-first], 10, 64)
	return proc{pid: pid, parent: parent, started: started, cpu: time.Duration(ticks) * tick}, err == nil
}

func holds(root string, pid int, sockets []socket) bool {
	dir := filepath.Join(root, strconv.Itoa(pid), "fd")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		to, err := os.Readlink(filepath.Join(dir, e.Name()))
		if err == nil && slices.ContainsFunc(sockets, func(s socket) bool { return to == "socket:["+s.inode+"]" }) {
			return true
		}
	}
	return false
}

// listeners are the sockets that take connections to an address.
func listeners(root string, addr netip.AddrPort) []socket {
	var out []socket
	for _, name := range []string{"net/tcp", "net/tcp6"} {
		f, err := os.Open(filepath.Join(root, name))
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			// sl local remote state queues timer retransmits uid timeout inode …
			c := strings.Fields(lines.Text())
			if len(c) < 10 || c[3] != listening {
				continue
			}
			at, ok := parseAddress(c[1])
			if !ok || at.Port() != addr.Port() || !at.Addr().IsUnspecified() && at.Addr() != addr.Addr() {
				continue
			}
			uid, _ := strconv.ParseUint(c[7], 10, 32)
			out = append(out, socket{inode: c[9], uid: uint32(uid)})
		}
		_ = f.Close() // it was only read
	}
	return out
}

// parseAddress reads HEX:PORT, where the address stands in words of four bytes,
// each in the order of a little-endian machine, and the port plainly.
func parseAddress(s string) (netip.AddrPort, bool) {
	host, port, ok := strings.Cut(s, ":")
	b, err := hex.DecodeString(host)
	n, err2 := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil || err2 != nil || len(b)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for i := 0; i < len(b); i += 4 {
		slices.Reverse(b[i : i+4])
	}
	a, ok := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(a.Unmap(), uint16(n)), ok
}

// MachineCPU is the CPU time that all processes of the machine have used since it
// started, and false where the system does not tell.
func MachineCPU() (time.Duration, bool) { return machineCPU(procRoot) }

func machineCPU(root string) (time.Duration, bool) {
	b, err := os.ReadFile(filepath.Join(root, "stat"))
	if err != nil {
		return 0, false
	}
	line, _, _ := strings.Cut(string(b), "\n")
	f := strings.Fields(line) // cpu user nice system idle iowait irq softirq steal …
	if len(f) < 8 || f[0] != "cpu" {
		return 0, false
	}
	ticks := uint64(0)
	for _, i := range []int{1, 2, 3, 6, 7} {
		v, err := strconv.ParseUint(f[i], 10, 62)
		if err != nil {
			return 0, false
		}
		ticks += v
	}
	return time.Duration(ticks) * tick, true
}
