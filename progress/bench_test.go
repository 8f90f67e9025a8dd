//go:build unix

package progress

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/progrouter/progrouter/encoder"
	"github.com/progrouter/progrouter/research"
)

// BenchmarkPredictNineCandidates is what one decision asks of the predictor,
// the semantic path included. The target is a p99 below a millisecond.
func BenchmarkPredictNineCandidates(b *testing.B) {
	samples := newStream(101).samples(5000)
	m := Train(samples, nil, encoder.NewStatic(), DefaultConfig())
	f := samples[4999].Features
	for len(f.Question) < maxWords { // as long as counts
		f.Question += " " + samples[len(f.Question)].Features.Question
	}
	took := make([]time.Duration, 0, 1<<16)
	for b.Loop() {
		start := time.Now()
		for i := range 9 {
			f.Model, f.Tier = theModels[i%3].name, research.Tiers()[i%3]
			m.Predict(f)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkTrain5000 is a refit on a full window, embedding included. The
// target is 300 ms of CPU.
func BenchmarkTrain5000(b *testing.B) {
	samples := newStream(101).samples(5000)
	e, c := encoder.NewStatic(), DefaultConfig()
	Train(samples[:200], nil, e, c) // reads the vocabulary
	b.ReportAllocs()
	start := cpuSeconds(b)
	for b.Loop() {
		Train(samples, nil, e, c)
	}
	b.ReportMetric((cpuSeconds(b)-start)/float64(b.N)*1000, "CPU-ms/op")
}

// cpuSeconds is what the whole process has used.
func cpuSeconds(b *testing.B) float64 {
	b.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano()).Seconds()
}
