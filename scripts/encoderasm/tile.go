package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tile generates c[rows, cols] = a·b + bias (or += when bias is nil) with all
// sums in registers. Rows of a are reached in threes from one pointer, as
// base, base + lda and base + 2·lda.
func (a isa) tile() {
	TEXT("tile"+a.suffix, NOSPLIT, "func(c *float32, ldc int, a *float32, lda int, b *float32, k int, bias *float32)")
	Doc(fmt.Sprintf("tile%s computes a tile of %d rows and %d columns; see kernels.tile.", a.suffix, a.rows, tileVectors*a.lanes))
	Pragma("noescape")
	c := Load(Param("c"), GP64()).(reg.GPVirtual)
	ldc := Load(Param("ldc"), GP64()).(reg.GPVirtual)
	lda := Load(Param("lda"), GP64()).(reg.GPVirtual)
	b := Load(Param("b"), GP64()).(reg.GPVirtual)
	k := Load(Param("k"), GP64()).(reg.GPVirtual)
	bias := Load(Param("bias"), GP64()).(reg.GPVirtual)
	SHLQ(Imm(2), ldc)
	SHLQ(Imm(2), lda)
	pointers := a.rowPointers(lda)

	sums := make([][tileVectors]reg.VecVirtual, a.rows)
	for i := range sums {
		sums[i] = [tileVectors]reg.VecVirtual{a.vec(), a.vec()}
	}
	a.start(sums, c, ldc, bias)

	const unroll = 4
	CMPQ(k, Imm(unroll))
	JL(LabelRef("tail"))
	Label("quad")
	for u := range unroll {
		a.step(sums, pointers, lda, b, u)
	}
	a.advance(pointers, b, unroll)
	SUBQ(Imm(unroll), k)
	CMPQ(k, Imm(unroll))
	JGE(LabelRef("quad"))
	Label("tail")
	TESTQ(k, k)
	JE(LabelRef("store"))
	Label("one")
	a.step(sums, pointers, lda, b, 0)
	a.advance(pointers, b, 1)
	DECQ(k)
	JNE(LabelRef("one"))

	Label("store")
	for i := range sums {
		for v, sum := range sums[i] {
			VMOVUPS(sum, Mem{Base: c, Disp: v * a.bytes()})
		}
		if i < len(sums)-1 {
			ADDQ(ldc, c)
		}
	}
	VZEROUPPER()
	RET()
}

func (a isa) rowPointers(lda reg.GPVirtual) []reg.GPVirtual {
	first := Load(Param("a"), GP64()).(reg.GPVirtual)
	pointers := []reg.GPVirtual{first}
	for range a.rows/3 - 1 {
		last, next := pointers[len(pointers)-1], GP64()
		LEAQ(Mem{Base: last, Index: lda, Scale: 2}, next)
		ADDQ(lda, next)
		pointers = append(pointers, next)
	}
	return pointers
}

// start fills the sums with the bias, or with what c holds.
func (a isa) start(sums [][tileVectors]reg.VecVirtual, c, ldc, bias reg.GPVirtual) {
	TESTQ(bias, bias)
	JE(LabelRef("resume"))
	for i := range sums {
		for v, sum := range sums[i] {
			VMOVUPS(Mem{Base: bias, Disp: v * a.bytes()}, sum)
		}
	}
	JMP(LabelRef("begin"))
	Label("resume")
	row := GP64()
	MOVQ(c, row)
	for i := range sums {
		for v, sum := range sums[i] {
			VMOVUPS(Mem{Base: row, Disp: v * a.bytes()}, sum)
		}
		if i < len(sums)-1 {
			ADDQ(ldc, row)
		}
	}
	Label("begin")
}

// step adds the products of one k, u places after the pointers.
func (a isa) step(sums [][tileVectors]reg.VecVirtual, pointers []reg.GPVirtual, lda, b reg.GPVirtual, u int) {
	var right [tileVectors]reg.VecVirtual
	for v := range right {
		right[v] = a.vec()
		VMOVUPS(Mem{Base: b, Disp: (u*tileVectors + v) * a.bytes()}, right[v])
	}
	for i := range sums {
		at := Mem{Base: pointers[i/3], Disp: 4 * u}
		if i%3 > 0 {
			at.Index, at.Scale = lda, uint8(i%3)
		}
		left := a.vec()
		VBROADCASTSS(at, left)
		for v := range right {
			VFMADD231PS(left, right[v], sums[i][v])
		}
	}
}

func (a isa) advance(pointers []reg.GPVirtual, b reg.GPVirtual, by int) {
	for _, p := range pointers {
		ADDQ(Imm(uint64(4*by)), p)
	}
	ADDQ(U32(by*tileVectors*a.bytes()), b)
}
