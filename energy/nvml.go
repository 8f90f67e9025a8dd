package energy

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/progrouter/progrouter/research"
)

// What nvidia-smi's power readings are good for: its manual says 5 W, which is
// about 5 % of a card at work.
const nvmlLow, nvmlHigh = 0.95, 1.05

const (
	nvmlEvery = 100 * time.Millisecond // how often the power is read, as the paper does
	nvmlStale = 3 * time.Second        // without a reading for so long the meter is lost
	nvmlAsk   = 5 * time.Second        // for a single question to nvidia-smi
)

// NVML is the energy of NVIDIA cards as their own meter shows it: the integral of
// the board power that nvidia-smi prints every 100 ms, each reading holding until
// the next. It runs nvidia-smi, so that no C is linked, and only while somebody
// holds it. Safe for concurrent use.
type NVML struct {
	path string
	name string
	now  func() time.Time

	mu      sync.Mutex
	cards   map[string]*card
	since   time.Time // when it was last held
	holders int
	stop    context.CancelFunc
	joules  float64
	shared  *Device
}

type card struct {
	watts float64
	at    time.Time // of the reading; zero while not held
	least float64
}

// OpenNVML finds nvidia-smi (by name when path is empty) and asks it once; nil
// when there is none or no card tells its power.
func OpenNVML(ctx context.Context, path string) *NVML {
	if path == "" {
		path = "nvidia-smi"
	}
	path, err := exec.LookPath(path)
	if err != nil {
		return nil
	}
	n := &NVML{path: path, now: time.Now, cards: map[string]*card{}}
	for _, line := range n.ask(ctx, "--query-gpu=index,power.draw,name") {
		if index, watts, name, ok := parsePower(line); ok {
			n.cards[index] = &card{watts: watts, least: watts}
			n.name = name
		}
	}
	if len(n.cards) == 0 {
		return nil
	}
	if len(n.cards) > 1 {
		n.name = strconv.Itoa(len(n.cards)) + " × " + n.name
	}
	return n
}

// ask runs nvidia-smi once; no lines when it fails.
func (n *NVML) ask(ctx context.Context, query string) []string {
	ctx, cancel := context.WithTimeout(ctx, nvmlAsk)
	defer cancel()
	out, err := exec.CommandContext(ctx, n.path, query, "--format=csv,noheader,nounits").Output() //nolint:gosec // the operator's own nvidia-smi
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// parsePower reads "INDEX, WATTS[, NAME]". Cards without a meter say "[N/A]".
func parsePower(line string) (index string, watts float64, name string, ok bool) {
	f := strings.SplitN(line, ",", 3)
	if len(f) < 2 {
		return "", 0, "", false
	}
	if len(f) == 3 {
		name = strings.TrimSpace(f[2])
	}
	watts, err := strconv.ParseFloat(strings.TrimSpace(f[1]), 64)
	return strings.TrimSpace(f[0]), watts, name, err == nil && usable(watts)
}

// Name is what the cards are called.
func (n *NVML) Name() string { return n.name }

// Runs says whether one of the processes works on a card.
func (n *NVML) Runs(ctx context.Context, pids map[int]bool) bool {
	for _, line := range n.ask(ctx, "--query-compute-apps=pid") {
		if pid, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && pids[pid] {
			return true
		}
	}
	return false
}

// device is the one gauge of the cards: all servers that work on them share it.
func (n *NVML) device(units func(string) research.Coefficients) *Device {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.shared == nil {
		n.shared = NewDevice(DeviceConfig{
			Counter: n, Method: research.MethodNVML, Low: nvmlLow, High: nvmlHigh,
			Idle: n.Idle, Hold: n.Hold, Units: units,
		})
	}
	return n.shared
}

// Idle is the least power that was read, in watts, of all cards.
func (n *NVML) Idle() float64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	sum := 0.0
	for _, c := range n.cards {
		sum += c.least
	}
	return sum
}

// Hold lets the meter run until the release. What is read first counts from here.
func (n *NVML) Hold() (release func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.holders++; n.holders == 1 {
		n.since = n.now()
		for _, c := range n.cards {
			c.at = time.Time{}
		}
		ctx, cancel := context.WithCancel(context.Background())
		n.stop = cancel
		go n.watch(ctx)
	}
	return sync.OnceFunc(n.release)
}

func (n *NVML) release() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.holders--; n.holders > 0 {
		return
	}
	n.stop()
	n.joules = n.total(n.now())
	for _, c := range n.cards {
		c.at = time.Time{}
	}
}

// watch reads until ctx ends. When nvidia-smi ends by itself the readings become
// stale and the meter is lost.
func (n *NVML) watch(ctx context.Context) {
	every := strconv.FormatInt(nvmlEvery.Milliseconds(), 10)
	c := exec.CommandContext(ctx, n.path, "--query-gpu=index,power.draw", "--format=csv,noheader,nounits", "-lms", every) //nolint:gosec // the operator's own nvidia-smi
	out, err := c.StdoutPipe()
	if err != nil || c.Start() != nil {
		return
	}
	n.read(ctx, out)
	_ = c.Wait() // it was told to end, or ended
}

func (n *NVML) read(ctx context.Context, out io.Reader) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if index, watts, _, ok := parsePower(lines.Text()); ok {
			n.reading(ctx, index, watts)
		}
	}
}

// reading books what the card has drawn since the reading before.
func (n *NVML) reading(ctx context.Context, index string, watts float64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.cards[index]
	if c == nil || ctx.Err() != nil {
		return
	}
	now := n.now()
	if c.at.IsZero() {
		c.at, c.watts = n.since, watts
	}
	n.joules += c.watts * now.Sub(c.at).Seconds()
	c.at, c.watts, c.least = now, watts, min(c.least, watts)
}

// total is the energy until now; the caller holds the lock.
func (n *NVML) total(now time.Time) float64 {
	sum := n.joules
	for _, c := range n.cards {
		if !c.at.IsZero() {
			sum += c.watts * max(0, now.Sub(c.at).Seconds())
		}
	}
	return sum
}

// Joules is the energy of all cards while the meter was held; false when a card
// has not been read for too long.
func (n *NVML) Joules() (research.Micro, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.now()
	if n.holders > 0 {
		for _, c := range n.cards {
			last := c.at
			if last.IsZero() {
				last = n.since
			}
			if now.Sub(last) > nvmlStale {
				return 0, false
			}
		}
	}
	return research.ToMicro(n.total(now)), true
}
