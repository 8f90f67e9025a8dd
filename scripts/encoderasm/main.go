// Command encoderasm generates the encoder's vector kernels for amd64, once
// for AVX2 with FMA and once for AVX-512. It is a module of its own, so that
// the assembler library is no dependency of the program. Run by hand:
//
//	go generate ./encoder
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// isa is one vector width.
type isa struct {
	suffix string
	lanes  int // float32 per vector
	rows   int // tile rows; rows·tileVectors sums, the operands and the broadcasts fit the registers
	vec    func() reg.VecVirtual
}

// tileVectors is the number of vectors in a row of a tile.
const tileVectors = 2

func main() {
	ConstraintExpr("amd64")
	for _, a := range []isa{
		{suffix: "AVX2", lanes: 8, rows: 6, vec: YMM},
		{suffix: "AVX512", lanes: 16, rows: 12, vec: ZMM},
	} {
		a.tile()
		a.gelu()
		a.softmax()
		a.addNorm()
		a.addInt8()
	}
	Generate()
}

func (a isa) bytes() int { return 4 * a.lanes }
