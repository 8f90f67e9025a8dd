package boost

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

var usual = Config{Trees: 150, Depth: 4, Rate: 0.1, MinLeaf: 5, L2: 1, Subsample: 0.7, Seed: 1}

// drawn is n rows of cols numbers in [0, 1) and what f says of them.
func drawn(seed uint64, n, cols int, noise float64, f func(x []float32) float64) (Matrix, []float64) {
	r := rand.New(rand.NewPCG(seed, 7))
	m, y := Matrix{Cols: cols}, make([]float64, n)
	for i := range n {
		for range cols {
			m.Data = append(m.Data, r.Float32())
		}
		y[i] = f(m.Row(i)) + noise*r.NormFloat64()
	}
	return m, y
}

// r2 is the share of the variance that is explained.
func r2(f *Forest, m Matrix, y []float64) float64 {
	mean, left, all := 0.0, 0.0, 0.0
	for _, v := range y {
		mean += v / float64(len(y))
	}
	for i, v := range y {
		d := v - f.Predict(m.Row(i))
		left += d * d
		all += (v - mean) * (v - mean)
	}
	return 1 - left/all
}

func TestKnownFunctions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		cols  int
		noise float64
		f     func(x []float32) float64
		least float64 // R² on rows that were not learned from
	}{
		{"linear", 3, 0.05, func(x []float32) float64 { return float64(2*x[0] - x[1]) }, 0.97},
		{"step", 2, 0.05, func(x []float32) float64 {
			if x[1] > 0.3 {
				return 1
			}
			return -1
		}, 0.98},
		{"exclusive or", 2, 0.05, func(x []float32) float64 {
			if (x[0] > 0.5) != (x[1] > 0.5) {
				return 1
			}
			return 0
		}, 0.95},
		{"Friedman 1", 10, 1, func(x []float32) float64 { // Friedman (1991): five columns of noise
			return 10*math.Sin(math.Pi*float64(x[0]*x[1])) + 20*math.Pow(float64(x[2])-0.5, 2) + 10*float64(x[3]) + 5*float64(x[4])
		}, 0.88},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m, y := drawn(1, 2000, tc.cols, tc.noise, tc.f)
			f, err := Fit(m, MaxBins, Targets{Y: y}, usual)
			if err != nil {
				t.Fatal(err)
			}
			fresh, want := drawn(2, 1000, tc.cols, tc.noise, tc.f)
			if got := r2(f, fresh, want); got < tc.least {
				t.Errorf("R² = %.3f, want %.2f", got, tc.least)
			}
		})
	}
}

func TestConstant(t *testing.T) {
	t.Parallel()
	m, y := drawn(1, 100, 3, 0, func([]float32) float64 { return 0.7 })
	f, err := Fit(m, 16, Targets{Y: y}, usual)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Predict([]float32{9, 9, 9}); math.Abs(got-0.7) > 1e-6 {
		t.Errorf("%v", got)
	}
	c := usual
	c.Intercept = 100 // as much as there are rows
	c.Trees = 0
	if f, err = Fit(m, 16, Targets{Y: y}, c); err != nil || math.Abs(f.Predict(nil)-0.35) > 1e-9 {
		t.Errorf("%v %v", f.Predict(nil), err)
	}
}

func TestFewRows(t *testing.T) {
	t.Parallel()
	f, err := Fit(Matrix{Cols: 2}, 8, Targets{Y: []float64{}}, usual)
	if err != nil || f.Predict([]float32{1, 2}) != 0 || f.Trees() != 0 {
		t.Errorf("no rows: %v", err)
	}
	f, err = Fit(Matrix{Cols: 2, Data: []float32{1, 2}}, 8, Targets{Y: []float64{3}}, usual)
	if err != nil || math.Abs(f.Predict([]float32{5, 5})-3) > 1e-6 {
		t.Errorf("one row: %v %v", f.Predict(nil), err)
	}
	one := Matrix{Cols: 1}
	var y []float64
	for range 50 {
		one.Data, y = append(one.Data, 4), append(y, 1)
	}
	one.Data[0] = 5 // a value of its own is no leaf of its own
	y[0] = 100
	f, err = Fit(one, 8, Targets{Y: y}, usual)
	if err != nil || math.Abs(f.Predict([]float32{5})-f.Predict([]float32{4})) > 1e-6 {
		t.Errorf("%v, %v, %v", f.Predict([]float32{5}), f.Predict([]float32{4}), err)
	}
}

// TestDuplicatesWeighLikeWeights: a row twice is a row of weight two.
func TestDuplicatesWeighLikeWeights(t *testing.T) {
	t.Parallel()
	m, y := drawn(3, 200, 2, 0.1, func(x []float32) float64 { return float64(x[0]) })
	twice := Matrix{Cols: 2, Data: append(append([]float32{}, m.Data...), m.Data...)}
	w := make([]float64, len(y))
	for i := range w {
		w[i] = 2
	}
	c := usual
	c.Subsample = 1
	a, err := Fit(m, 16, Targets{Y: y, Weight: w}, c)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Fit(twice, 16, Targets{Y: append(append([]float64{}, y...), y...)}, c)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := range y {
		sum += math.Abs(a.Predict(m.Row(i))-b.Predict(m.Row(i))) / float64(len(y))
	}
	if sum > 0.01 {
		t.Errorf("they differ by %v", sum)
	}
}

// TestUnusableRowsAreIgnored: the forest is that of the other rows.
func TestUnusableRowsAreIgnored(t *testing.T) {
	t.Parallel()
	m, y := drawn(4, 300, 2, 0.1, func(x []float32) float64 { return float64(x[0]) })
	base, w := make([]float64, 300), make([]float64, 300)
	var good []int32
	for i := range w {
		w[i] = 1
		good = append(good, int32(i))
	}
	want, err := Fit(m, 16, Targets{Y: y, Rows: good[6:]}, usual)
	if err != nil {
		t.Fatal(err)
	}
	y[0], y[1], base[2], w[3], w[4], w[5] = math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, math.NaN()
	got, err := Fit(m, 16, Targets{Y: y, Base: base, Weight: w}, usual)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := bytesOf(t, want), bytesOf(t, got); !bytes.Equal(a, b) {
		t.Error("they count")
	}
}

func TestMissingCells(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	m, y := Matrix{Cols: 1}, []float64(nil)
	for i := range 300 { // missing means 1, a number 0
		x, v := float32(i), 0.0
		if i%3 == 0 {
			x, v = nan, 1
		}
		m.Data, y = append(m.Data, x), append(y, v)
	}
	f, err := Fit(m, 16, Targets{Y: y}, usual)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []float32{nan, inf, -inf} {
		if got := f.Predict([]float32{x}); got < 0.6 {
			t.Errorf("%v: %v", x, got)
		}
	}
	if got := f.Predict([]float32{250}); got > 0.15 {
		t.Errorf("a number: %v", got)
	}
	if got := f.Predict([]float32{1, 2}); math.Abs(got-f.Predict([]float32{nan})) > 0 {
		t.Errorf("a row of another length: %v", got)
	}
}

func TestBase(t *testing.T) {
	t.Parallel()
	m, y := drawn(5, 400, 2, 0, func(x []float32) float64 { return float64(x[0]) })
	f, err := Fit(m, 16, Targets{Y: y, Base: y}, usual)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if got := f.Predict(m.Row(i)); math.Abs(got) > 1e-6 {
			t.Fatalf("a perfect start is corrected by %v", got)
		}
	}
}

func TestSeeds(t *testing.T) {
	t.Parallel()
	m, y := drawn(6, 400, 4, 0.5, func(x []float32) float64 { return float64(x[0]) })
	fit := func(seed uint64) []byte {
		c := usual
		c.Seed, c.Columns, c.Holdout, c.Patience = seed, 0.5, 0.2, 10
		f, err := Fit(m, 16, Targets{Y: y}, c)
		if err != nil {
			t.Fatal(err)
		}
		return bytesOf(t, f)
	}
	if !bytes.Equal(fit(1), fit(1)) {
		t.Error("a seed does not repeat itself")
	}
	if bytes.Equal(fit(1), fit(2)) {
		t.Error("seeds make no difference")
	}
}

func TestHoldoutStopsOnNoise(t *testing.T) {
	t.Parallel()
	m, y := drawn(7, 500, 5, 1, func([]float32) float64 { return 0 })
	c := usual
	c.Holdout, c.Patience = 0.3, 10
	f, err := Fit(m, 32, Targets{Y: y}, c)
	if err != nil || f.Trees() > 20 {
		t.Errorf("%d trees of nothing, %v", f.Trees(), err)
	}
}

func TestStages(t *testing.T) {
	t.Parallel()
	m, y := drawn(8, 200, 2, 0.1, func(x []float32) float64 { return float64(x[1]) })
	f, err := Fit(m, 16, Targets{Y: y}, usual)
	if err != nil {
		t.Fatal(err)
	}
	s := f.Staged(m.Row(3), nil)
	if len(s) != f.Trees()+1 || s[f.Trees()] != f.Predict(m.Row(3)) {
		t.Error("the last stage is not the prediction")
	}
	for _, n := range []int{0, 1, 17, f.Trees()} {
		if got := f.First(n).Predict(m.Row(3)); got != s[n] {
			t.Errorf("%d trees: %v, want %v", n, got, s[n])
		}
	}
	if f.First(-1).Trees() != 0 || f.First(1e6).Trees() != f.Trees() {
		t.Error("out of range")
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	m := Matrix{Cols: 1, Data: []float32{1, 2}}
	y := []float64{1, 2}
	for name, try := range map[string]func() error{
		"half a row":    func() error { _, err := Bin(Matrix{Cols: 2, Data: []float32{1}}, 8); return err },
		"one bin":       func() error { _, err := Bin(m, 1); return err },
		"too many bins": func() error { _, err := Bin(m, MaxBins+1); return err },
		"targets":       func() error { _, err := Fit(m, 8, Targets{Y: y[:1]}, usual); return err },
		"bases":         func() error { _, err := Fit(m, 8, Targets{Y: y, Base: y[:1]}, usual); return err },
		"a row beyond":  func() error { _, err := Fit(m, 8, Targets{Y: y, Rows: []int32{2}}, usual); return err },
		"depth":         func() error { _, err := Fit(m, 8, Targets{Y: y}, Config{Rate: 1}); return err },
		"rate":          func() error { _, err := Fit(m, 8, Targets{Y: y}, Config{Depth: 2, Rate: math.NaN()}); return err },
	} {
		if try() == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func bytesOf(t *testing.T, f *Forest) []byte {
	t.Helper()
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEncoding(t *testing.T) {
	t.Parallel()
	m, y := drawn(9, 500, 4, 0.1, func(x []float32) float64 { return float64(x[0] * x[1]) })
	m.Data[5] = float32(math.NaN())
	f, err := Fit(m, 32, Targets{Y: y}, usual)
	if err != nil {
		t.Fatal(err)
	}
	b := bytesOf(t, f)
	var got Forest
	if err := got.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	for i := range m.Rows() {
		if f.Predict(m.Row(i)) != got.Predict(m.Row(i)) {
			t.Fatal("another prediction")
		}
	}
	if !bytes.Equal(b, bytesOf(t, &got)) {
		t.Error("another encoding")
	}
}

// TestDecodingTakesNothingBroken: whatever is read either is refused or
// predicts without a panic and without end.
func TestDecodingTakesNothingBroken(t *testing.T) {
	t.Parallel()
	m, y := drawn(10, 200, 3, 0.1, func(x []float32) float64 { return float64(x[0]) })
	c := usual
	c.Trees = 5
	f, err := Fit(m, 16, Targets{Y: y}, c)
	if err != nil {
		t.Fatal(err)
	}
	b := bytesOf(t, f)
	for n := range b {
		if new(Forest).UnmarshalBinary(b[:n]) == nil {
			t.Fatalf("the first %d of %d bytes are taken", n, len(b))
		}
	}
	if new(Forest).UnmarshalBinary(append(bytes.Clone(b), 0)) == nil {
		t.Error("a byte too many is taken")
	}
	r := rand.New(rand.NewPCG(1, 1))
	row := []float32{0.5, float32(math.NaN()), 0.1}
	for range 20000 {
		x := bytes.Clone(b)
		for range 1 + r.IntN(4) {
			x[r.IntN(len(x))] = byte(r.Uint32())
		}
		var got Forest
		if got.UnmarshalBinary(x) == nil && !finite(got.Predict(row)) {
			t.Fatal("a prediction that is no number")
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{version, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 255, 255, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var got Forest
		if got.UnmarshalBinary(b) == nil {
			got.Predict(make([]float32, got.Cols()))
		}
	})
}
