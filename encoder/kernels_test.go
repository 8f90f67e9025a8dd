package encoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func randoms(r *rand.Rand, n int, spread float32) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = spread * float32(r.NormFloat64())
	}
	return x
}

func closeTo(t *testing.T, what string, got, want []float32, tolerance float64) {
	t.Helper()
	for i := range want {
		if diff := math.Abs(float64(got[i] - want[i])); !(diff <= tolerance*(1+math.Abs(float64(want[i])))) {
			t.Fatalf("%s: number %d of %d is %g, want %g", what, i, len(want), got[i], want[i])
		}
	}
}

// eachKernels runs a test for every kind of arithmetic of this processor; the
// plain one runs everywhere.
func eachKernels(t *testing.T, test func(t *testing.T, kern *kernels, r *rand.Rand)) {
	for _, kern := range availableKernels() {
		t.Run(kern.name, func(t *testing.T) {
			t.Parallel()
			test(t, kern, rand.New(rand.NewPCG(1, 2)))
		})
	}
}

func TestMatmul(t *testing.T) {
	t.Parallel()
	eachKernels(t, func(t *testing.T, kern *kernels, r *rand.Rand) {
		for _, size := range [][3]int{{12, 32, 1}, {12, 64, 3}, {24, 32, 32}, {36, 96, 385}, {12, 32, 1537}} {
			m, n, k := size[0], size[1], size[2]
			a, w, bias := randoms(r, m*(k+3), 1), randoms(r, n*k, 1), randoms(r, n, 1)
			panels := make([]float32, n*k)
			for j := range n {
				packRow(panels, kern.nr, k, j, w[j*k:][:k])
			}
			got, want := randoms(r, m*(n+5), 1), make([]float32, m*(n+5))
			copy(want, got) // what lies between the rows must stay
			for i := range m {
				for j := range n {
					sum := float64(bias[j])
					for p := range k {
						sum += float64(a[i*(k+3)+p]) * float64(w[j*k+p])
					}
					want[i*(n+5)+j] = float32(sum)
				}
			}
			matmul(kern, got, n+5, a, k+3, panels, bias, m, n, k)
			closeTo(t, fmt.Sprint(size), got, want, 1e-6*float64(20+k/10))
		}
	})
}

func TestPackColumn(t *testing.T) {
	t.Parallel()
	const k, n = 5, 8
	rows := randoms(rand.New(rand.NewPCG(1, 2)), k*n, 1)
	byColumn, byRow := make([]float32, k*n), make([]float32, k*n)
	for p := range k {
		packColumn(byColumn, 4, k, p, rows[p*n:][:n])
	}
	for j := range n {
		column := make([]float32, k)
		for p := range k {
			column[p] = rows[p*n+j]
		}
		packRow(byRow, 4, k, j, column)
	}
	closeTo(t, "packed", byColumn, byRow, 0)
}

func TestGelu(t *testing.T) {
	t.Parallel()
	eachKernels(t, func(t *testing.T, kern *kernels, r *rand.Rand) {
		x := append(randoms(r, 16*64, 3), 0, 1, -1, 10, -10, 40, -40, 1e4, -1e4, 1e-20, -1e-20, 0.5, -0.5, 6, -6, 3)
		want := make([]float32, len(x))
		for i, v := range x {
			want[i] = float32(0.5 * float64(v) * math.Erfc(-float64(v)/math.Sqrt2))
		}
		kern.gelu(x)
		closeTo(t, "gelu", x, want, 1e-6)
	})
}

func TestSoftmax(t *testing.T) {
	t.Parallel()
	eachKernels(t, func(t *testing.T, kern *kernels, r *rand.Rand) {
		for _, n := range []int{16, 32, 256} {
			for _, spread := range []float32{0, 1, 30, 1e4} {
				x, want := randoms(r, n, spread), make([]float32, n)
				for i := n / 2; i < n; i++ {
					x[i] = float32(math.Inf(-1)) // how padding is masked
				}
				top, sum := float32(math.Inf(-1)), 0.0
				for _, v := range x {
					top = max(top, v)
				}
				for _, v := range x {
					sum += math.Exp(float64(v - top))
				}
				for i, v := range x {
					want[i] = float32(math.Exp(float64(v-top)) / sum)
				}
				kern.softmax(x)
				closeTo(t, fmt.Sprint(n, " of spread ", spread), x, want, 1e-6)
			}
		}
	})
}

func TestAddNorm(t *testing.T) {
	t.Parallel()
	eachKernels(t, func(t *testing.T, kern *kernels, r *rand.Rand) {
		for _, n := range []int{16, hidden} {
			x, y, gain, bias := randoms(r, n, 2), randoms(r, n, 5), randoms(r, n, 1), randoms(r, n, 1)
			var mean, variance float64
			for i := range x {
				mean += float64(x[i]+y[i]) / float64(n)
			}
			for i := range x {
				variance += math.Pow(float64(x[i]+y[i])-mean, 2) / float64(n)
			}
			want := make([]float32, n)
			for i := range x {
				want[i] = float32((float64(x[i]+y[i])-mean)/math.Sqrt(variance+normEps)*float64(gain[i]) + float64(bias[i]))
			}
			kern.addNorm(x, y, gain, bias)
			closeTo(t, fmt.Sprint(n), x, want, 1e-5)
		}
	})
}
