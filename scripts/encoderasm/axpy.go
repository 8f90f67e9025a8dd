package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// addInt8 generates dst += scale·src with src of int8.
func (a isa) addInt8() {
	TEXT("addInt8"+a.suffix, NOSPLIT, "func(dst *float32, src *byte, n int, scale float32)")
	Doc(fmt.Sprintf("addInt8%s adds scale times n int8 values to dst; n is a multiple of 16, not 0.", a.suffix))
	Pragma("noescape")
	dst := Load(Param("dst"), GP64()).(reg.GPVirtual)
	src := Load(Param("src"), GP64()).(reg.GPVirtual)
	n := Load(Param("n"), GP64()).(reg.GPVirtual)
	scale := a.vec()
	a.param(scale, "scale")
	at, left := GP64(), GP64()
	a.loop("loop", dst, n, at, left, func(m Mem) {
		v := a.vec()
		VPMOVSXBD(Mem{Base: src}, v)
		VCVTDQ2PS(v, v)
		VFMADD213PS(m, scale, v)
		VMOVUPS(v, m)
		ADDQ(Imm(uint64(a.lanes)), src)
	})
	VZEROUPPER()
	RET()
}
