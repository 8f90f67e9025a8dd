package energy

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"github.com/progrouter/progrouter/research"
)

// ServerProcess is the CPU time of the process on this machine that listens on an
// address, its children included (some servers start one per model). Linux only.
type ServerProcess struct {
	root string
	addr netip.AddrPort

	mu    sync.Mutex
	found map[int]uint64 // process → when it was started
}

// OpenServerProcess looks for the server at a base URL; false when it does not
// run here or its process cannot be seen.
func OpenServerProcess(ctx context.Context, baseURL string) (*ServerProcess, bool) {
	addr, ok := localAddress(ctx, baseURL)
	if !ok {
		return nil, false
	}
	return openServer(procRoot, addr)
}

func openServer(root string, addr netip.AddrPort) (*ServerProcess, bool) {
	p := &ServerProcess{root: root, addr: addr}
	p.found = findServer(root, addr)
	return p, len(p.found) > 0
}

// CPU is the time used so far. It is false while the server is not there, and
// once after it was started anew, when the count begins again.
func (p *ServerProcess) CPU() (time.Duration, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.found) > 0 {
		if d, ok := treeCPU(p.root, p.found); ok {
			return d, true
		}
	}
	p.found = findServer(p.root, p.addr)
	return 0, false
}

// localAddress is the address of a base URL if it is one of this machine's.
func localAddress(ctx context.Context, baseURL string) (netip.AddrPort, bool) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Hostname() == "" {
		return netip.AddrPort{}, false
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	n, err2 := net.DefaultResolver.LookupPort(ctx, "tcp", port)
	if err != nil || err2 != nil {
		return netip.AddrPort{}, false
	}
	for _, ip := range ips {
		if ip = ip.Unmap(); ip.IsLoopback() || ownAddress(ip) {
			return netip.AddrPortFrom(ip, uint16(n)), true
		}
	}
	return netip.AddrPort{}, false
}

func ownAddress(ip netip.Addr) bool {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range addrs {
		if own, err := netip.ParsePrefix(a.String()); err == nil && own.Addr().Unmap() == ip {
			return true
		}
	}
	return false
}

// cpuCounter is CPU time × watts.
type cpuCounter struct {
	cpu   func() (time.Duration, bool)
	meter *Meter
}

// Joules counts from the process's start.
func (c cpuCounter) Joules() (research.Micro, bool) {
	d, ok := c.cpu()
	if !ok {
		return 0, false
	}
	return c.meter.Joules(d), true
}

// shareCounter is the part of a counter that falls on some of the machine's work.
type shareCounter struct {
	whole       Counter
	part, total func() (time.Duration, bool)

	mu           sync.Mutex
	lastE        research.Micro
	lastP, lastT time.Duration
	ok           bool
	sum          research.Micro
}

// NewShare is a counter that takes part's share of the machine's busy CPU time
// out of a counter for the whole machine, such as RAPL's.
func NewShare(whole Counter, part, total func() (time.Duration, bool)) Counter {
	s := &shareCounter{whole: whole, part: part, total: total}
	s.Joules()
	return s
}

// Joules is the share since NewShare; false when one of the readings fails, and
// then what lies between the readings is lost.
func (s *shareCounter) Joules() (research.Micro, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, okE := s.whole.Joules()
	p, okP := s.part()
	t, okT := s.total()
	had := s.ok
	s.ok = okE && okP && okT
	dE, dP, dT := e-s.lastE, p-s.lastP, t-s.lastT
	s.lastE, s.lastP, s.lastT = e, p, t
	if !s.ok {
		return 0, false
	}
	if had && dE > 0 && dP > 0 {
		// Both clocks tick in hundredths: the part may seem more than the whole.
		s.sum += research.Micro(float64(dE) * min(1, float64(dP)/float64(max(dT, dP))))
	}
	return s.sum, true
}

// LocalConfig says how a server on this machine is measured.
type LocalConfig struct {
	BaseURL string
	Meter   *Meter                                   // watts per busy core
	RAPL    *RAPL                                    // nil: not readable
	GPU     *NVML                                    // nil: no card that can be asked
	Units   func(model string) research.Coefficients // see DeviceConfig
}

// OpenLocal makes the gauge of a server on this machine: the CPU time of its
// process × watts, or its share of RAPL's counter where that is readable, and the
// graphics card's meter beside it when the server works on one. The second result
// says what is measured. False: nothing can be.
func OpenLocal(ctx context.Context, c LocalConfig) (Gauge, string, bool) {
	p, ok := OpenServerProcess(ctx, c.BaseURL)
	if !ok {
		return nil, "", false
	}
	watts := c.Meter.Config()
	cpu := DeviceConfig{
		Counter: cpuCounter{p.CPU, c.Meter}, Method: research.MethodCPU,
		Low: watts.Low / watts.Watts, High: watts.High / watts.Watts, Units: c.Units,
	}
	device := fmt.Sprintf("CPU time of the server × %.4g W", watts.Watts)
	if _, readable := c.RAPL.Joules(); readable {
		if _, told := MachineCPU(); told {
			cpu = DeviceConfig{Counter: NewShare(c.RAPL, p.CPU, MachineCPU), Method: research.MethodRAPL, Units: c.Units}
			device = "share of the processor's counter (RAPL)"
		}
	}
	if c.GPU == nil {
		return NewDevice(cpu), device, true
	}
	g := &withCard{
		card: c.GPU.device(c.Units), rest: NewDevice(cpu), now: time.Now,
		runs: func(ctx context.Context) bool { return c.GPU.Runs(ctx, p.pids()) },
	}
	return g, device + ", with " + c.GPU.Name() + " when it works there", true
}

// pids are the server's processes and their descendants.
func (p *ServerProcess) pids() map[int]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return descendants(p.root, p.found)
}

// withCard adds the graphics card's gauge for calls of a server that works there,
// which shows only once a model is loaded. The call in which it shows was not
// measured on the card, so its energy is not known.
type withCard struct {
	card, rest Gauge
	runs       func(context.Context) bool
	now        func() time.Time

	mu    sync.Mutex
	seen  bool
	asked time.Time
}

// askCard is how often at most it is looked whether the server works on the card:
// nvidia-smi takes its time.
const askCard = 10 * time.Second

func (g *withCard) onCard() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seen
}

// look asks until the server was seen on the card once. Who has been stopped does
// not wait for an answer: the server may then be on the card.
func (g *withCard) look(ctx context.Context) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now := g.now(); !g.seen && now.Sub(g.asked) >= askCard {
		if ctx.Err() != nil {
			return true
		}
		g.asked, g.seen = now, g.runs(ctx)
	}
	return g.seen
}

// Begin starts both, or the rest alone.
func (g *withCard) Begin(ctx context.Context, model string) Reading {
	r := &withCardReading{gauge: g, ctx: ctx, rest: g.rest.Begin(ctx, model)}
	if g.onCard() {
		r.card = g.card.Begin(ctx, model)
	}
	return r
}

type withCardReading struct {
	gauge *withCard
	ctx   context.Context
	rest  Reading
	card  Reading // nil: not on the card when it began

	once   sync.Once
	energy research.Energy
	ok     bool
	idle   research.Micro
}

func (r *withCardReading) Progress(use CallUse) research.Micro {
	so := r.rest.Progress(use)
	if r.card != nil {
		so += r.card.Progress(use)
	}
	return so
}

func (r *withCardReading) End(use CallUse) (research.Energy, bool) {
	r.once.Do(func() {
		r.energy, r.ok = r.rest.End(use)
		r.idle = r.rest.Idle()
		if r.card == nil {
			r.ok = !r.gauge.look(r.ctx) && r.ok
		} else {
			card, ok := r.card.End(use)
			r.ok = ok && r.ok
			r.energy, r.idle = Sum(card, r.energy), r.idle+r.card.Idle()
		}
		if !r.ok {
			r.energy = research.Energy{Method: research.MethodUnknown}
		}
	})
	return r.energy, r.ok
}

func (r *withCardReading) Idle() research.Micro { return r.idle }
