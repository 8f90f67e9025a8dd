package encoder

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestReadSectionsRefusesBrokenAssets(t *testing.T) {
	t.Parallel()
	for name, asset := range map[string]string{
		"empty":           "",
		"other version":   strings.Replace(minilm[:4096], "\x01", "\x02", 1),
		"cut off":         minilm[:len(minilm)-100],
		"header only":     minilm[:200],
		"too many":        assetMagic + "\xff\xff\xff\xff\x00\x00\x00\x00",
		"impossible kind": assetMagic + "\x01\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("\x07", sectionBytes),
	} {
		if _, err := readSections(asset); err == nil || !strings.Contains(err.Error(), "embedded weights") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestSectionRows(t *testing.T) {
	t.Parallel()
	// Two rows of 32 numbers, one scale per 16 of them.
	data := "\x00\x00\x80\x3f\x00\x00\x00\x3f\x00\x00\x00\x3f\x00\x00\x80\x3f" // 1 ½ ½ 1
	values := make([]byte, 64)
	for i := range values {
		values[i] = byte(int8(4*i - 126))
	}
	s := section{kind: kindInt8, rows: 2, cols: 32, group: 16, data: data + string(values)}
	if s.size() != len(s.data) {
		t.Fatalf("size %d, want %d", s.size(), len(s.data))
	}
	eachKernels(t, func(t *testing.T, kern *kernels, _ *rand.Rand) {
		dst := make([]float32, 32)
		dst[0], dst[31] = 100, 100
		s.addRow(kern, dst, 1)
		for i, want := range map[int]float32{0: 101, 1: 3, 15: 31, 16: 66, 30: 122, 31: 226} {
			if dst[i] != want {
				t.Errorf("number %d is %g, want %g", i, dst[i], want)
			}
		}
		short := make([]float32, 16)
		s.addRow(kern, short, 0)
		if short[0] != -126 || short[15] != -66 {
			t.Errorf("first sixteen of row 0: %v", short)
		}
	})
}

func TestMissingWeightsAreAnError(t *testing.T) {
	t.Parallel()
	l := loader{sections: map[string]section{}, kern: genericKernels()}
	l.linear("0.up", hidden, inner)
	l.norm("norm")
	if l.err == nil || !strings.Contains(l.err.Error(), "0.up.w") {
		t.Errorf("error %v", l.err)
	}
}
