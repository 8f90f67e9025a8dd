//go:build unix

package encoder

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cpuSeconds is what the whole process has used.
func cpuSeconds(b *testing.B) float64 {
	b.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano()).Seconds()
}

// passages makes n different texts of exactly tokens tokens, control tokens
// included.
func passages(n, tokens int) []string {
	words := strings.Fields("the river carries sand from old hills to a wide grey coast where birds rest in spring")
	texts := make([]string, n)
	for i := range texts {
		text := make([]string, tokens-2)
		for j := range text {
			text[j] = words[(i*7+j*(i+3))%len(words)]
		}
		texts[i] = strings.Join(text, " ")
	}
	return texts
}

func perCPUSecond(b *testing.B, n int, fn func()) {
	b.Helper()
	start := cpuSeconds(b)
	for b.Loop() {
		fn()
	}
	b.ReportMetric(float64(n*b.N)/(cpuSeconds(b)-start), "passages/CPU-s")
}

func BenchmarkEmbed(b *testing.B) {
	for _, kern := range availableKernels() {
		for _, tokens := range []int{32, 128, 160} {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%dtokens/%dworkers", kern.name, tokens, threads), func(b *testing.B) {
					e := newEncoder(&workers{n: threads}, kern, cacheVectors)
					n := 16
					if kern.name == "generic" {
						n = 1 // about a second each
					}
					texts := passages(n, tokens)
					if got := e.Cost(texts); got != n*tokens {
						b.Fatalf("%d tokens, want %d", got, n*tokens)
					}
					embed := func() {
						e.Reset()
						if _, err := e.Embed(b.Context(), texts); err != nil {
							b.Fatal(err)
						}
					}
					embed()
					perCPUSecond(b, len(texts), embed)
				})
			}
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for b.Loop() {
		if _, err := newModel(bestKernels()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVocabulary(b *testing.B) {
	sections, err := assetSections()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := newVocabulary(sections["vocab"].data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTokenize(b *testing.B) {
	text, v := passages(1, 128)[0], vocab(b)
	perCPUSecond(b, 1, func() { v.count(text) })
}

func BenchmarkStatic(b *testing.B) {
	for _, tokens := range []int{32, 128} {
		text, s := passages(1, tokens)[0], NewStatic()
		b.Run(fmt.Sprintf("full/%dtokens", tokens), func(b *testing.B) {
			perCPUSecond(b, 1, func() { s.Embed(text) })
		})
		b.Run(fmt.Sprintf("reduced/%dtokens", tokens), func(b *testing.B) {
			perCPUSecond(b, 1, func() { s.Reduced(text) })
		})
	}
}

func BenchmarkTile(b *testing.B) {
	for _, kern := range availableKernels() {
		b.Run(kern.name, func(b *testing.B) {
			const m, n, k = 252, inner, hidden
			x, w, y, bias := make([]float32, m*k), make([]float32, n*k), make([]float32, m*n), make([]float32, n)
			start := cpuSeconds(b)
			for b.Loop() {
				matmul(kern, y, n, x, k, w, bias, m, n, k)
			}
			b.ReportMetric(2*float64(m)*n*k*float64(b.N)/(cpuSeconds(b)-start)/1e9, "GFLOP/CPU-s")
		})
	}
}
