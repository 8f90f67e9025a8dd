package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// constants of one function: held in registers where there are 32 of them,
// otherwise read from memory at each use.
type constants struct {
	isa  isa
	regs map[float32]reg.VecVirtual
}

func (a isa) constants() constants { return constants{a, map[float32]reg.VecVirtual{}} }

// load must run before the loop that uses the values.
func (c constants) load(values ...float32) {
	for _, x := range values {
		if c.isa.lanes == 16 {
			c.regs[x] = c.isa.vec()
			c.isa.fill(c.regs[x], x)
		}
	}
}

func (c constants) of(x float32) reg.VecVirtual {
	if r, ok := c.regs[x]; ok {
		return r
	}
	r := c.isa.vec()
	c.isa.fill(r, x)
	return r
}

// exp: x = n·ln 2 + r with n an integer; e^r by a polynomial (Cephes expf),
// and n added to the exponent. Adding 1.5·2^23 leaves n in the low bits.
const (
	expLow   = -86.5 // e^x stays a normal number
	expLog2e = 1.44269504088896341
	expMagic = 12582912
	expLn2hi = 0.693359375
	expLn2lo = -2.12194440e-4
)

var expTerms = []float32{
	1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1, 1, 1,
}

func (c constants) loadExp() {
	c.load(expLow, expLog2e, expMagic, expLn2hi, expLn2lo)
	c.load(expTerms[:len(expTerms)-1]...) // the last two are both 1
}

// exp replaces x (at most about 88) by e^x.
func (c constants) exp(x reg.VecVirtual) {
	n, shifted, p := c.isa.vec(), c.isa.vec(), c.isa.vec()
	VMAXPS(c.of(expLow), x, x)
	VMOVAPS(c.of(expMagic), shifted)
	VFMADD231PS(c.of(expLog2e), x, shifted)
	VSUBPS(c.of(expMagic), shifted, n)
	VFNMADD231PS(c.of(expLn2hi), n, x)
	VFNMADD231PS(c.of(expLn2lo), n, x)
	VMOVAPS(c.of(expTerms[0]), p)
	for _, term := range expTerms[1:] {
		VFMADD213PS(c.of(term), x, p)
	}
	VPSLLD(Imm(23), shifted, shifted)
	VPADDD(shifted, p, x)
}

// gelu generates x·Φ(x) = max(x, 0) − |x|·q with q = ½ erfc(|x|/√2), erfc by
// Abramowitz and Stegun 7.1.26 (error below 1.5e-7).
func (a isa) gelu() {
	TEXT("gelu"+a.suffix, NOSPLIT, "func(x *float32, n int)")
	Doc(fmt.Sprintf("gelu%s replaces n numbers by x·Φ(x); n is a multiple of 16.", a.suffix))
	Pragma("noescape")
	x := Load(Param("x"), GP64()).(reg.GPVirtual)
	n := Load(Param("n"), GP64()).(reg.GPVirtual)
	c := a.constants()
	const p = 0.3275911 / math.Sqrt2
	terms := []float32{0.5 * 1.061405429, 0.5 * -1.453152027, 0.5 * 1.421413741, 0.5 * -0.284496736, 0.5 * 0.254829592}
	c.loadExp()
	Label("loop")
	{
		v, abs, t, q, e, k := a.vec(), a.vec(), a.vec(), a.vec(), a.vec(), a.vec()
		zero := a.vec()
		a.zero(zero)
		VMOVUPS(Mem{Base: x}, v)
		VSUBPS(v, zero, abs)
		VMAXPS(v, abs, abs)
		a.fill(k, p)
		VMOVAPS(c.of(1), t)
		VFMADD231PS(k, abs, t)
		VMOVAPS(c.of(1), k)
		VDIVPS(t, k, t)
		a.fill(q, terms[0])
		for _, term := range terms[1:] {
			a.fill(k, term)
			VFMADD213PS(k, t, q)
		}
		VMULPS(t, q, q)
		a.fill(k, -0.5)
		VMULPS(abs, abs, e)
		VMULPS(k, e, e)
		c.exp(e)
		VMULPS(e, q, q)
		VMAXPS(v, zero, v)
		VFNMADD231PS(q, abs, v)
		VMOVUPS(v, Mem{Base: x})
	}
	a.next(n, x)
	VZEROUPPER()
	RET()
}

// softmax generates exp(x − max)/Σ over one row.
func (a isa) softmax() {
	TEXT("softmax"+a.suffix, NOSPLIT, "func(x *float32, n int)")
	Doc(fmt.Sprintf("softmax%s replaces n numbers by their softmax; n is a multiple of 16, not 0.", a.suffix))
	Pragma("noescape")
	x := Load(Param("x"), GP64()).(reg.GPVirtual)
	n := Load(Param("n"), GP64()).(reg.GPVirtual)
	c := a.constants()
	c.loadExp()
	at, left, top, sum := GP64(), GP64(), a.vec(), a.vec()

	VMOVUPS(Mem{Base: x}, top)
	a.loop("top", x, n, at, left, func(m Mem) { VMAXPS(m, top, top) })
	a.reduce(top, VMAXPS)
	a.zero(sum)
	a.loop("exp", x, n, at, left, func(m Mem) {
		v := a.vec()
		VMOVUPS(m, v)
		VSUBPS(top, v, v)
		c.exp(v)
		VADDPS(v, sum, sum)
		VMOVUPS(v, m)
	})
	a.reduce(sum, VADDPS)
	VDIVPS(sum, c.of(1), sum)
	a.loop("scale", x, n, at, left, func(m Mem) {
		v := a.vec()
		VMULPS(m, sum, v)
		VMOVUPS(v, m)
	})
	VZEROUPPER()
	RET()
}

// addNorm generates the layer norm of x + y.
func (a isa) addNorm() {
	TEXT("addNorm"+a.suffix, NOSPLIT, "func(x, y, gain, bias *float32, n int, inverse, eps float32)")
	Doc(fmt.Sprintf("addNorm%s sets x to norm(x + y)·gain + bias over n numbers, a multiple of 16; inverse is 1/n.", a.suffix))
	Pragma("noescape")
	x := Load(Param("x"), GP64()).(reg.GPVirtual)
	y := Load(Param("y"), GP64()).(reg.GPVirtual)
	gain := Load(Param("gain"), GP64()).(reg.GPVirtual)
	bias := Load(Param("bias"), GP64()).(reg.GPVirtual)
	n := Load(Param("n"), GP64()).(reg.GPVirtual)
	inverse, eps := a.vec(), a.vec()
	a.param(inverse, "inverse")
	a.param(eps, "eps")
	at, left, sum, square := GP64(), GP64(), a.vec(), a.vec()

	a.zero(sum)
	a.loop("sum", x, n, at, left, func(m Mem) {
		v := a.vec()
		VMOVUPS(m, v)
		VADDPS(Mem{Base: y}, v, v)
		VADDPS(v, sum, sum)
		VMOVUPS(v, m)
		ADDQ(Imm(uint64(a.bytes())), y)
	})
	a.reduce(sum, VADDPS)
	VMULPS(inverse, sum, sum)
	a.zero(square)
	a.loop("square", x, n, at, left, func(m Mem) {
		v := a.vec()
		VMOVUPS(m, v)
		VSUBPS(sum, v, v)
		VFMADD231PS(v, v, square)
		VMOVUPS(v, m)
	})
	a.reduce(square, VADDPS)
	VFMADD213PS(eps, inverse, square)
	VSQRTPS(square, square)
	one := a.vec()
	a.fill(one, 1)
	VDIVPS(square, one, square)
	a.loop("norm", x, n, at, left, func(m Mem) {
		v, g := a.vec(), a.vec()
		VMULPS(m, square, v)
		VMOVUPS(Mem{Base: gain}, g)
		VFMADD213PS(Mem{Base: bias}, g, v)
		VMOVUPS(v, m)
		ADDQ(Imm(uint64(a.bytes())), gain)
		ADDQ(Imm(uint64(a.bytes())), bias)
	})
	VZEROUPPER()
	RET()
}

// loop runs body over n numbers from x on, a vector at a time.
func (a isa) loop(label string, x, n, at, left reg.GPVirtual, body func(Mem)) {
	MOVQ(x, at)
	MOVQ(n, left)
	Label(label)
	body(Mem{Base: at})
	ADDQ(Imm(uint64(a.bytes())), at)
	SUBQ(Imm(uint64(a.lanes)), left)
	JG(LabelRef(label))
}

// next closes a loop labelled "loop" over n numbers from x on.
func (a isa) next(n, x reg.GPVirtual) {
	ADDQ(Imm(uint64(a.bytes())), x)
	SUBQ(Imm(uint64(a.lanes)), n)
	JG(LabelRef("loop"))
}

// reduce leaves the combination of all lanes in all lanes of v.
func (a isa) reduce(v reg.VecVirtual, combine func(...Op)) {
	y := v
	if a.lanes == 16 {
		upper := YMM()
		VEXTRACTF64X4(Imm(1), v, upper)
		combine(upper, v.AsY(), v.AsY())
	}
	half := XMM()
	VEXTRACTF128(Imm(1), y.AsY(), half)
	combine(half, v.AsX(), half)
	other := XMM()
	for _, swap := range []uint64{0x4e, 0xb1} {
		VSHUFPS(Imm(swap), half, half, other)
		combine(other, half, half)
	}
	VBROADCASTSS(half, v)
}

func (a isa) zero(v reg.VecVirtual) {
	if a.lanes == 16 {
		VPXORD(v, v, v)
		return
	}
	VXORPS(v, v, v)
}

// fill broadcasts a constant out of read-only memory.
func (a isa) fill(v reg.VecVirtual, x float32) {
	VBROADCASTSS(constant(x), v)
}

func (a isa) param(v reg.VecVirtual, name string) {
	address, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(address.Addr, v)
}

var memory = map[float32]Mem{}

func constant(x float32) Mem {
	if m, ok := memory[x]; ok {
		return m
	}
	m := GLOBL(fmt.Sprintf("encoderConst%d", len(memory)), RODATA|NOPTR)
	DATA(0, U32(math.Float32bits(x)))
	memory[x] = m
	return m
}
