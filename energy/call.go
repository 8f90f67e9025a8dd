package energy

import (
	"math"

	"github.com/progrouter/progrouter/research"
)

// CallUse is what a call of a language model read and wrote.
type CallUse struct {
	Input  int  `json:"input"`  // tokens read, cached ones included
	Cached int  `json:"cached"` // of these, taken from the server's cache
	Output int  `json:"output"` // tokens written, reasoning included
	Cold   bool `json:"cold"`   // the model had to be loaded
	// Writing is how long the answer took to be written, in seconds; 0 is not
	// known. It only bounds the host's part of modelled energy (Coefficients.Host).
	Writing float64 `json:"writing,omitempty"`
}

// UseOf reads the tokens of a call; cold says that the model was loaded for it.
func UseOf(t research.Tokens, cold bool) CallUse {
	return CallUse{Input: t.Input, Cached: t.Cached, Output: t.Output, Cold: cold}
}

// read is the number of tokens that had to be worked through.
func (u CallUse) read() float64 { return float64(max(0, u.Input-max(0, u.Cached))) }

func (u CallUse) written() float64 { return float64(max(0, u.Output)) }

// CallEnergy is the energy of a call by the paper's eq. 14:
//
//	E = I_load·E_load + E_call + e_prefill·(input − cached) + e_decode·N_gen.
//
// Low and High are factors of it; a factor that is not set is 1. Coefficients
// without a method, or that no call would cost anything by, are unknown ones. The
// figure is modelled, by whatever method the coefficients were measured: this
// call was not.
func CallEnergy(c research.Coefficients, u CallUse) research.Energy {
	if !known(c) {
		return research.Energy{Method: research.MethodUnknown}
	}
	decode := c.Decode
	if c.Host > 0 && u.Writing > 0 && u.Output > 0 && c.Seconds.Decode > 0 {
		// The host is charged by time: never for more than the answer took.
		took := u.Writing / u.written()
		decode -= c.Host * max(0, 1-took/c.Seconds.Decode)
	}
	j := c.Call + c.Prefill*u.read() + decode*u.written()
	if u.Cold {
		j += c.Load
	}
	low, high := factor(c.Low, j), factor(c.High, j)
	return research.Energy{
		Joules: research.Known(ceil(j)),
		Low:    research.Known(research.ToMicro(min(low, j))),
		High:   research.Known(ceil(max(high, j))),
		Method: research.MethodModel,
	}
}

func known(c research.Coefficients) bool {
	return c.Method != "" && c.Method != research.MethodUnknown && c.Call+c.Prefill+c.Decode > 0
}

func factor(f, j float64) float64 {
	if f <= 0 {
		return j
	}
	return f * j
}

// ceil rounds up to a millionth, so that a worst case stays one. What a float
// adds to a whole number of millionths is not rounded up.
func ceil(units float64) research.Micro {
	up := research.ToMicro(math.Ceil(units*research.MicroPerUnit-1e-6) / research.MicroPerUnit)
	return max(0, up)
}

// Sum adds two energies. Unknown stays unknown; an energy of nothing (no joules
// and no method) changes nothing. Two methods make a mixed one. A range that is
// not given is the figure itself.
func Sum(a, b research.Energy) research.Energy {
	if a == (research.Energy{}) {
		return b
	}
	if b == (research.Energy{}) {
		return a
	}
	if a.Joules == nil || b.Joules == nil {
		return research.Energy{Method: research.MethodUnknown}
	}
	return research.Energy{
		Joules: research.Add(a.Joules, b.Joules),
		Low:    research.Add(bound(a.Low, a.Joules), bound(b.Low, b.Joules)),
		High:   research.Add(bound(a.High, a.Joules), bound(b.High, b.Joules)),
		Method: research.MixMethods(a.Method, b.Method),
	}
}

func bound(b, joules *research.Micro) *research.Micro {
	if b == nil {
		return joules
	}
	return b
}
