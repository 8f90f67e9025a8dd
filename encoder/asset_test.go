package encoder

import (
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
	// Two rows of four numbers, one scale (1 and 0.5) per two of them.
	data := "\x00\x00\x80\x3f\x00\x00\x00\x3f\x00\x00\x00\x3f\x00\x00\x80\x3f" + "\x01\xff\x02\xfe\x04\xfc\x08\xf8"
	s := section{kind: kindInt8, rows: 2, cols: 4, group: 2, data: data}
	if s.size() != len(data) {
		t.Fatalf("size %d, want %d", s.size(), len(data))
	}
	dst := []float32{1, 1, 1, 1}
	s.addRow(dst, 1, 2)
	if got, want := [4]float32(dst), ([4]float32{5, -3, 17, -15}); got != want {
		t.Errorf("row 1 gave %v, want %v", got, want)
	}
	short := make([]float32, 3)
	s.addRow(short, 0, 1)
	if got, want := [3]float32(short), ([3]float32{1, -1, 1}); got != want {
		t.Errorf("first three of row 0: %v, want %v", got, want)
	}
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
