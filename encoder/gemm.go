package encoder

// kBlock is how many terms of a sum one tile call adds up: a panel of that
// depth and the rows it meets stay in the first-level cache.
const kBlock = 384

// linear is a dense layer, y = W·x + b, packed for one kind of kernels.
type linear struct {
	in, out int
	panels  []float32
	bias    []float32
}

// apply computes y = W·x + b for rows rows (a multiple of rowAlign), whose
// lengths are l.in in x and l.out in y.
func (l *linear) apply(kern *kernels, y, x []float32, rows int) {
	matmul(kern, y, l.out, x, l.in, l.panels, l.bias, rows, l.out, l.in)
}

// matmul computes c[m, n] = a[m, k] · b + bias, with b packed, m a multiple of
// kern.mr and n of kern.nr. A row's result does not depend on its neighbours.
func matmul(kern *kernels, c []float32, ldc int, a []float32, lda int, b, bias []float32, m, n, k int) {
	for j := 0; j < n; j += kern.nr {
		panel, start := b[j*k:][:k*kern.nr], bias[j:][:kern.nr]
		for p := 0; p < k; p += kBlock {
			depth := min(kBlock, k-p)
			part := panel[p*kern.nr:][:depth*kern.nr]
			for i := 0; i < m; i += kern.mr {
				kern.tile(c[i*ldc+j:], ldc, a[i*lda+p:], lda, part, depth, start)
			}
			start = nil
		}
	}
}

// packRow writes row r of W, that is column r of the right factor, into its
// panel of depth k.
func packRow(panels []float32, nr, k, r int, row []float32) {
	dst := panels[r/nr*nr*k+r%nr:]
	for p, v := range row {
		dst[p*nr] = v
	}
}
