package main

import (
	"context"
	"sync"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
)

// lookAgain is how long a server that was not there is left alone.
const lookAgain = 10 * time.Second

// lateGauge measures a server on this machine from when it is there: servers of
// models are often started after us, and anew.
type lateGauge struct {
	open func(context.Context) (energy.Gauge, string, bool)

	mu     sync.Mutex
	gauge  energy.Gauge
	device string
	next   time.Time
}

var _ energy.Gauge = (*lateGauge)(nil)

// Begin measures if the server can be seen.
func (g *lateGauge) Begin(ctx context.Context, model string) energy.Reading {
	if ready, _, ok := g.find(ctx); ok {
		return ready.Begin(ctx, model)
	}
	return noReading{}
}

// find opens the gauge if the server is there, and says what it measures.
func (g *lateGauge) find(ctx context.Context) (energy.Gauge, string, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gauge == nil && time.Now().After(g.next) {
		g.next = time.Now().Add(lookAgain)
		if opened, device, ok := g.open(ctx); ok {
			g.gauge, g.device = opened, device
		}
	}
	return g.gauge, g.device, g.gauge != nil
}

// noReading measured nothing.
type noReading struct{}

func (noReading) Progress(energy.CallUse) research.Micro { return 0 }

func (noReading) End(energy.CallUse) (research.Energy, bool) { return research.Energy{}, false }

func (noReading) Idle() research.Micro { return 0 }
