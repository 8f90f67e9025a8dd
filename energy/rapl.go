package energy

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/progrouter/progrouter/research"
)

// RAPLRoot is where Linux shows the counters.
const RAPLRoot = "/sys/class/powercap"

// RAPL reads the processor packages' energy counters (intel-rapl:N/energy_uj;
// AMD processors use the same name). They are readable by root only on most
// systems, and some virtual machines show one that never moves: both are
// "unavailable", never zero.
type RAPL struct {
	mu    sync.Mutex
	zones []*zone
	total research.Micro
	lost  bool
}

type zone struct {
	path  string
	wraps uint64 // the counter restarts after this value; 0 unknown
	last  uint64
}

// OpenRAPL finds the packages under root and reads them once; nil when there is
// none or one cannot be read.
func OpenRAPL(root string) *RAPL {
	dirs, err := filepath.Glob(filepath.Join(root, "intel-rapl:*"))
	if err != nil {
		return nil
	}
	r := &RAPL{}
	for _, dir := range dirs {
		// "intel-rapl:0:1" is a part of package 0, "psys" contains the packages.
		if strings.Count(filepath.Base(dir), ":") != 1 || !strings.HasPrefix(readWord(dir, "name"), "package") {
			continue
		}
		z := &zone{path: filepath.Join(dir, "energy_uj")}
		z.wraps, _ = readNumber(filepath.Join(dir, "max_energy_range_uj"))
		var ok bool
		if z.last, ok = readNumber(z.path); !ok {
			return nil
		}
		r.zones = append(r.zones, z)
	}
	if len(r.zones) == 0 {
		return nil
	}
	return r
}

// Joules is the sum over the packages since OpenRAPL. It is false until the
// counter has moved, and for good once a package could not be read. A nil RAPL
// is unavailable.
func (r *RAPL) Joules() (research.Micro, bool) {
	if r == nil {
		return 0, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, z := range r.zones {
		d, ok := z.delta()
		r.lost = r.lost || !ok
		r.total += research.Micro(d) // a microjoule is one Micro
	}
	return r.total, !r.lost && r.total > 0
}

func (z *zone) delta() (uint64, bool) {
	now, ok := readNumber(z.path)
	if !ok {
		return 0, false
	}
	last := z.last
	z.last = now
	if now >= last {
		return now - last, true
	}
	if z.wraps < last {
		return 0, false // it fell without a known range: nothing can be said
	}
	return z.wraps - last + now, true
}

func readWord(dir, name string) string {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func readNumber(path string) (uint64, bool) {
	v, err := strconv.ParseUint(readWord(filepath.Dir(path), filepath.Base(path)), 10, 63)
	return v, err == nil
}
