package encoder

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"sync"
)

// minilm is written by scripts/encoder/build.py, which also describes its
// format. A string and not a []byte: it stays in the read-only part of the
// binary, and pages that nobody reads are never loaded.
//
//go:embed minilm.bin
var minilm string

const (
	assetMagic   = "PRENC\x00\x00\x01"
	sectionBytes = 48
)

// section is one named matrix of the asset, still encoded.
type section struct {
	kind, rows, cols, group int
	data                    string
}

const (
	kindBytes = iota
	kindFloat
	kindInt8
)

// assetSections reads the table of contents once; it touches one page.
var assetSections = sync.OnceValues(func() (map[string]section, error) {
	return readSections(minilm)
})

func readSections(asset string) (map[string]section, error) {
	if len(asset) < 16 || asset[:8] != assetMagic {
		return nil, fmt.Errorf("encoder: embedded weights are not of version 1: rebuild them with scripts/encoder/build.py")
	}
	count := int(u32(asset[8:]))
	if count > (len(asset)-16)/sectionBytes {
		return nil, fmt.Errorf("encoder: embedded weights are cut off: %d sections announced", count)
	}
	sections := make(map[string]section, count)
	for i := range count {
		entry := asset[16+i*sectionBytes:][:sectionBytes]
		name := strings.TrimRight(entry[:24], "\x00")
		s := section{
			kind: int(u32(entry[24:])), rows: int(u32(entry[28:])),
			cols: int(u32(entry[32:])), group: int(u32(entry[36:])),
		}
		offset, size := u64(entry[40:]), s.size()
		if size < 0 || offset > uint64(len(asset)) || uint64(size) > uint64(len(asset))-offset {
			return nil, fmt.Errorf("encoder: embedded weights are cut off in section %q", name)
		}
		s.data = asset[offset:][:size]
		sections[name] = s
	}
	return sections, nil
}

// size is the encoded length in bytes, −1 for an impossible header.
func (s section) size() int {
	n := s.rows * s.cols
	switch {
	case s.kind == kindBytes:
		return n
	case s.kind == kindFloat:
		return 4 * n
	case s.kind == kindInt8 && s.group > 0 && s.cols%s.group == 0:
		return n + 4*n/s.group
	}
	return -1
}

// floats decodes a float32 section.
func (s section) floats() []float32 {
	out := make([]float32, s.rows*s.cols)
	for i := range out {
		out[i] = f32(s.data[4*i:])
	}
	return out
}

// addRow adds the first len(dst) values of row r of an int8 section to dst.
func (s section) addRow(kern *kernels, dst []float32, r int) {
	perRow := s.cols / s.group
	values := s.data[4*s.rows*perRow+r*s.cols:][:len(dst)]
	for g := 0; g*s.group < len(dst); g++ {
		from, to := g*s.group, min(len(dst), (g+1)*s.group)
		kern.addInt8(dst[from:to], values[from:to], f32(s.data[4*(r*perRow+g):]))
	}
}

func u32(s string) uint32  { return binary.LittleEndian.Uint32([]byte(s[:4])) }
func u64(s string) uint64  { return binary.LittleEndian.Uint64([]byte(s[:8])) }
func f32(s string) float32 { return math.Float32frombits(u32(s)) }
