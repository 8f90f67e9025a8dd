//go:build linux && (amd64 || arm64)

package verify

import (
	"testing"

	"github.com/progrouter/progrouter/eval/sandbox"
)

func BenchmarkCheck(b *testing.B) {
	s, err := sandbox.New(b.Context(), sandbox.Config{})
	if err != nil {
		b.Skip(err)
	}
	v := &Verifier{Sandbox: s}
	text := fenced("def double(xs):\n    return [2 * x for x in xs]")
	for b.Loop() {
		if got, err := v.Check(b.Context(), double, text); err != nil || got.Code != Passed {
			b.Fatal(got, err)
		}
	}
}
