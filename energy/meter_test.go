package energy

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/progrouter/progrouter/research"
)

func TestMeter(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name             string
		in               MeterConfig
		watts, low, high float64
	}{
		{"defaults", MeterConfig{}, 10, 5, 20},
		{"watts only", MeterConfig{Watts: 4}, 4, 2, 8},
		{"all", MeterConfig{Watts: 4, Low: 3, High: 5}, 4, 3, 5},
		{"range does not contain it", MeterConfig{Watts: 30, Low: 40, High: 20}, 30, 15, 60},
		{"nonsense", MeterConfig{Watts: math.NaN(), Low: -1, High: math.Inf(1)}, 10, 5, 20},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := NewMeter(tc.in).Energy(2 * time.Second)
			if e.Joules.Units() != 2*tc.watts || e.Low.Units() != 2*tc.low || e.High.Units() != 2*tc.high {
				t.Errorf("got %v (%v to %v)", e.Joules, e.Low, e.High)
			}
			if e.Method != research.MethodCPU {
				t.Errorf("method %s", e.Method)
			}
		})
	}
}

func TestJoulesBuyNoMoreThanTheyPay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := NewMeter(MeterConfig{Watts: rapid.Float64Range(0.1, 300).Draw(t, "watts")})
		j := research.Micro(rapid.Int64Range(-5, 1e15).Draw(t, "joules"))
		d := m.CPU(j)
		if d < 0 || (j > 0 && m.Joules(d) > j) {
			t.Fatalf("%v J buys %v, which costs %v J", j, d, m.Joules(d))
		}
	})
}

func writeZone(t *testing.T, root, dir string, files map[string]string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, dir, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func set(t *testing.T, root, dir, value string) {
	t.Helper()
	writeZone(t, root, dir, map[string]string{"energy_uj": value})
}

func TestRAPL(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	writeZone(t, root, "intel-rapl:0", map[string]string{"name": "package-0", "energy_uj": "900", "max_energy_range_uj": "1000"})
	writeZone(t, root, "intel-rapl:1", map[string]string{"name": "package-1", "energy_uj": "50", "max_energy_range_uj": "1000"})
	writeZone(t, root, "intel-rapl:0:0", map[string]string{"name": "core", "energy_uj": "10", "max_energy_range_uj": "1000"})
	writeZone(t, root, "intel-rapl:2", map[string]string{"name": "psys", "energy_uj": "10", "max_energy_range_uj": "1000"})
	r := OpenRAPL(root)
	if r == nil {
		t.Fatal("not opened")
	}
	if _, ok := r.Joules(); ok {
		t.Error("available before it has moved")
	}
	set(t, root, "intel-rapl:0", "20") // wrapped: 100 + 20
	set(t, root, "intel-rapl:1", "80")
	set(t, root, "intel-rapl:2", "999")
	set(t, root, "intel-rapl:0:0", "999")
	if j, ok := r.Joules(); !ok || j != 150 {
		t.Errorf("got %d, %v", j, ok)
	}
	if err := os.Remove(filepath.Join(root, "intel-rapl:1", "energy_uj")); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.Joules(); ok {
		t.Error("available after a package was lost")
	}
}

func TestRAPLUnavailable(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"no counter":  {"name": "package-0"},
		"not numbers": {"name": "package-0", "energy_uj": "lots"},
		"no package":  {"name": "dram", "energy_uj": "5"},
	} {
		root := t.TempDir()
		writeZone(t, root, "intel-rapl:0", files)
		if OpenRAPL(root) != nil {
			t.Errorf("%s: opened", name)
		}
	}
	if OpenRAPL(t.TempDir()) != nil || OpenRAPL("[") != nil {
		t.Error("opened nothing")
	}
	if _, ok := (*RAPL)(nil).Joules(); ok {
		t.Error("nil is available")
	}
	root := t.TempDir()
	writeZone(t, root, "intel-rapl:0", map[string]string{"name": "package-0", "energy_uj": "900"})
	r := OpenRAPL(root)
	set(t, root, "intel-rapl:0", "5") // fell, and the range is unknown
	if _, ok := r.Joules(); ok {
		t.Error("available after an unexplained fall")
	}
}
