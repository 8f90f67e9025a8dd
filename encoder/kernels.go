package encoder

import "math"

// kernels is the arithmetic of one kind of processor. All matrices are row
// major. A packed matrix is the right factor of a product, cut into panels of
// nr columns, each panel holding its k rows one after another.
type kernels struct {
	name   string
	mr, nr int // rows and columns of the tile that one call computes
	// tile computes c[mr, nr] = a[mr, k] · b[k, nr] + bias, or += without the
	// bias when it is nil; lda and ldc are row lengths.
	tile func(c []float32, ldc int, a []float32, lda int, b []float32, k int, bias []float32)
	// gelu replaces x by x·Φ(x); len(x) is a multiple of 16.
	gelu func(x []float32)
	// softmax replaces x by exp(x − max x) / Σ; len(x) is a multiple of 16.
	softmax func(x []float32)
	// addNorm sets x = norm(x + y)·gain + bias (layer norm over the vector);
	// all have one length, a multiple of 16.
	addNorm func(x, y, gain, bias []float32)
	// addInt8 adds by·src to dst, src holding as many int8 values; the length
	// is a multiple of 16.
	addInt8 func(dst []float32, src string, by float32)
}

const (
	rowAlign = 12 // a multiple of every mr
	colAlign = 32 // a multiple of every nr and of 16
	normEps  = 1e-12
)

// alignUp rounds n up to a multiple of to.
func alignUp(n, to int) int { return (n + to - 1) / to * to }

// genericKernels works on every processor, in plain Go.
func genericKernels() *kernels {
	return &kernels{
		name: "generic", mr: 4, nr: 4,
		tile: tileGeneric, gelu: geluGeneric, softmax: softmaxGeneric, addNorm: addNormGeneric,
		addInt8: addInt8Generic,
	}
}

// tileGeneric computes a 4×4 tile with its sums in registers.
func tileGeneric(c []float32, ldc int, a []float32, lda int, b []float32, k int, bias []float32) {
	for i := 0; i < 4; i += 2 {
		a0, a1 := a[i*lda:][:k], a[(i+1)*lda:][:k]
		var s00, s01, s02, s03, s10, s11, s12, s13 float32
		for p, x := range a0 {
			y, w := a1[p], (*[4]float32)(b[4*p:])
			s00 += x * w[0]
			s01 += x * w[1]
			s02 += x * w[2]
			s03 += x * w[3]
			s10 += y * w[0]
			s11 += y * w[1]
			s12 += y * w[2]
			s13 += y * w[3]
		}
		c0, c1 := (*[4]float32)(c[i*ldc:]), (*[4]float32)(c[(i+1)*ldc:])
		if bias != nil {
			*c0, *c1 = [4]float32(bias), [4]float32(bias)
		}
		c0[0], c0[1], c0[2], c0[3] = c0[0]+s00, c0[1]+s01, c0[2]+s02, c0[3]+s03
		c1[0], c1[1], c1[2], c1[3] = c1[0]+s10, c1[1]+s11, c1[2]+s12, c1[3]+s13
	}
}

func geluGeneric(x []float32) {
	for i, v := range x {
		x[i] = float32(0.5 * float64(v) * (1 + math.Erf(float64(v)/math.Sqrt2)))
	}
}

func softmaxGeneric(x []float32) {
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	var sum float32
	for i, v := range x {
		e := float32(math.Exp(float64(v - top)))
		x[i], sum = e, sum+e
	}
	scale(x, 1/sum)
}

func addNormGeneric(x, y, gain, bias []float32) {
	var sum float32
	for i := range x {
		x[i] += y[i]
		sum += x[i]
	}
	mean := sum / float32(len(x))
	var square float32
	for i := range x {
		x[i] -= mean
		square += x[i] * x[i]
	}
	inverse := float32(1 / math.Sqrt(float64(square/float32(len(x)))+normEps))
	for i := range x {
		x[i] = x[i]*inverse*gain[i] + bias[i]
	}
}

func addInt8Generic(dst []float32, src string, by float32) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] += by * float32(int8(src[i]))
	}
}

func scale(x []float32, by float32) {
	for i := range x {
		x[i] *= by
	}
}

// normalise scales x to length 1; a zero vector stays zero.
func normalise(x []float32) {
	var sum float64
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	if sum > 0 {
		scale(x, float32(1/math.Sqrt(sum)))
	}
}
