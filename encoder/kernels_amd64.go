package encoder

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate go run -C ../scripts/encoderasm . -out ../../encoder/kernels_amd64.s -stubs ../../encoder/kernels_stub_amd64.go -pkg encoder

// bestKernels picks the widest vectors that this processor has.
func bestKernels() *kernels {
	all := availableKernels()
	return all[len(all)-1]
}

// availableKernels lists what this processor can run, the fastest last.
func availableKernels() []*kernels {
	all := []*kernels{genericKernels()}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		all = append(all, vectorKernels("avx2", 6, 16, tileAVX2, geluAVX2, softmaxAVX2, addNormAVX2, addInt8AVX2))
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL {
		all = append(all, vectorKernels("avx512", 12, 32, tileAVX512, geluAVX512, softmaxAVX512, addNormAVX512, addInt8AVX512))
	}
	return all
}

// vectorKernels wraps assembly, which checks no bounds, in functions that do.
func vectorKernels(
	name string, mr, nr int,
	tile func(c *float32, ldc int, a *float32, lda int, b *float32, k int, bias *float32),
	gelu, softmax func(x *float32, n int),
	addNorm func(x, y, gain, bias *float32, n int, inverse, eps float32),
	addInt8 func(dst *float32, src *byte, n int, scale float32),
) *kernels {
	return &kernels{
		name: name, mr: mr, nr: nr,
		tile: func(c []float32, ldc int, a []float32, lda int, b []float32, k int, bias []float32) {
			_, _, _ = c[(mr-1)*ldc+nr-1], a[(mr-1)*lda+k-1], b[k*nr-1]
			var first *float32
			if bias != nil {
				first = &bias[:nr][0]
			}
			tile(&c[0], ldc, &a[0], lda, &b[0], k, first)
		},
		gelu:    func(x []float32) { gelu(&x[0], wholeVectors(len(x))) },
		softmax: func(x []float32) { softmax(&x[0], wholeVectors(len(x))) },
		addNorm: func(x, y, gain, bias []float32) {
			n := wholeVectors(len(x))
			_, _, _ = y[n-1], gain[n-1], bias[n-1]
			addNorm(&x[0], &y[0], &gain[0], &bias[0], n, 1/float32(n), normEps)
		},
		addInt8: func(dst []float32, src string, by float32) {
			addInt8(&dst[0], unsafe.StringData(src[:len(dst)]), wholeVectors(len(dst)), by) //nolint:gosec // bounds are checked by the slice
		},
	}
}

// wholeVectors stops a length that would make a kernel run past the end.
func wholeVectors(n int) int {
	if n%16 != 0 {
		panic("encoder: vector length is not a multiple of 16")
	}
	return n
}
