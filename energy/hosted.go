package energy

import (
	"fmt"
	"math"
	"net/url"
	"strings"

	"github.com/progrouter/progrouter/research"
)

// The fit of decode energy and latency over parameters and batch that EcoLogits
// publishes (ecologits/impacts/llm.py), made from measurements on H100s.
const (
	fitAlpha = 1.1665273170451914e-6 // Wh per token, GPU and billion active parameters
	fitBeta  = -0.011205921025579175 // per request in the batch
	fitGamma = 4.052928146734005e-5  // Wh per token and GPU

	latencyActive = 6.785088094353663e-4 // s per token and billion active parameters
	latencyBatch  = 3.119310311688259e-4 // s per token and request in the batch
	latencyBase   = 0.019473717579473387 // s per token

	fitBatch      = 64.0  // requests served at once
	fitParameters = 200.0 // billions: the largest the fit is made for
	gpuMemory     = 80.0  // GB
	serverGPUs    = 8.0
	serverWatts   = 1200.0 // a server without its GPUs
	bytesPerBit   = 1.0 / 8
	weightBits    = 16.0
	memoryRoom    = 1.2 // memory for weights with what a server needs beside

	// Prefill is bound by arithmetic: two operations per parameter and token.
	gpuWatts       = 700.0
	gpuFlops       = 989e12 // dense 16 bit
	gpuUtilisation = 0.4
)

// The range of the fit: over the 151 points of ML.ENERGY's leaderboard that were
// measured on H100s with up to 200 billion parameters and batches from 64 to
// about 1,000, measured ÷ fitted energy per output token lies between 0.37 and
// 2.92. Outside of what it was made for nothing is known but an example: 405
// billion parameters measured 0.2 to 0.5 of it.
const (
	fitLow, fitHigh       = 0.35, 3.0
	beyondLow, beyondHigh = 0.15, 6.0
)

// A local server that was never measured: joules and seconds per token and
// billion active parameters, as three small models (0.1 to 1.5 billion, 4 bit)
// took on two processor cores at 10 W each. A graphics card needs a fraction.
const (
	localDecode            = 1.2
	localPrefill           = 0.4
	localWatts             = 20.0
	localLow, localHigh    = 0.1, 4.0
	hostedCallSeconds      = 0.5 // until the first token, network included: assumed
	localCallSeconds       = 0.1
	unknownPUE             = 1.2
	unknownPUEL, unknownPH = 1.05, 1.6
)

// Modelled estimates the per-call coefficients of a model that cannot be
// measured from its parameters: hosted ones as EcoLogits does (its fit of decode
// energy per GPU at batch 64, GPUs by memory, the host's share by time, power
// usage effectiveness by provider), with an estimate of prefill, which EcoLogits
// leaves out. E_load is 0: nobody publishes it. Models beyond the fit, and local
// servers that were not calibrated, are marked Beyond and carry a wider range.
// It is false when the parameters are unknown.
func Modelled(m research.LanguageModel, p research.Provider) (research.Coefficients, bool) {
	total, active := m.Parameters, m.Active
	if total <= 0 {
		total = active
	}
	if active <= 0 || active > total {
		active = total
	}
	if total <= 0 || math.IsInf(total, 0) || math.IsNaN(total+active) {
		return research.Coefficients{}, false
	}
	if p.Local {
		return modelledLocal(active), true
	}
	return modelledHosted(total, active, p), true
}

func modelledHosted(total, active float64, p research.Provider) research.Coefficients {
	pue, known := PUE(p)
	gpus := GPUs(total)
	latency := latencyActive*active + latencyBatch*fitBatch + latencyBase
	host := pue * latency * serverWatts * (gpus / serverGPUs) / fitBatch
	c := research.Coefficients{
		Decode:  pue*gpus*decodePerGPU(active) + host,
		Host:    host,
		Prefill: pue * prefillPerToken(active),
		Low:     fitLow,
		High:    fitHigh,
		Method:  research.MethodModel,
		Note:    fmt.Sprintf("Modelled from %.4g billion parameters (%.4g active) on %.0f H100, batch %.0f, PUE %.4g.", total, active, gpus, fitBatch, pue),
		Device:  fmt.Sprintf("%.0f × H100 (assumed)", gpus),
		Seconds: research.SpeedFit{
			Call: hostedCallSeconds, Decode: latency,
			Prefill: prefillPerToken(active) / gpuWatts / gpus,
		},
	}
	if total > fitParameters {
		c.Beyond, c.Low, c.High = true, beyondLow, beyondHigh
		c.Note += fmt.Sprintf(" The fit is made for up to %.0f billion: beyond it this is a guess.", fitParameters)
	}
	if !known {
		c.Low, c.High = c.Low*unknownPUEL/pue, c.High*unknownPH/pue
		c.Note += " The PUE is assumed: the provider's is not known."
	}
	return c
}

func modelledLocal(active float64) research.Coefficients {
	decode, prefill := localDecode*active, localPrefill*active
	return research.Coefficients{
		Decode: decode, Prefill: prefill, Low: localLow, High: localHigh,
		Method: research.MethodModel, Beyond: true,
		Note:    fmt.Sprintf("Guessed from %.4g billion active parameters on a processor of %.0f W; “progrouter calibrate” measures it.", active, localWatts),
		Seconds: research.SpeedFit{Call: localCallSeconds, Decode: decode / localWatts, Prefill: prefill / localWatts},
	}
}

// decodePerGPU is the energy of an output token on one GPU, in joules.
func decodePerGPU(active float64) float64 {
	return (fitAlpha*math.Exp(fitBeta*fitBatch)*active + fitGamma) * 3600
}

// prefillPerToken is the energy of an input token on all GPUs, in joules.
func prefillPerToken(active float64) float64 {
	return 2 * active * 1e9 * gpuWatts / (gpuFlops * gpuUtilisation)
}

// GPUs is how many GPUs of 80 GB hold a model of so many billion parameters at
// 16 bit: the next power of two.
func GPUs(total float64) float64 {
	need := memoryRoom * total * weightBits * bytesPerBit / gpuMemory
	return math.Exp2(math.Ceil(math.Log2(max(1, need))))
}

// effectiveness is the power usage effectiveness of data centres by the host
// names of their services. Anthropic's lies between 1.09 and 1.14.
var effectiveness = []struct {
	host string
	pue  float64
}{
	{"openai.com", 1.20},
	{"azure.com", 1.20},
	{"mistral.ai", 1.16},
	{"googleapis.com", 1.09},
	{"anthropic.com", 1.115},
}

// PUE is the power usage effectiveness that a provider's energy is multiplied
// with: the configured one, else 1 for local servers, else its data centres'
// published one by host; false when it had to be assumed.
func PUE(p research.Provider) (float64, bool) {
	switch {
	case p.PUE >= 1 && !math.IsInf(p.PUE, 0):
		return p.PUE, true
	case p.Local:
		return 1, true
	}
	host := hostOf(p)
	for _, e := range effectiveness {
		if host == e.host || strings.HasSuffix(host, "."+e.host) {
			return e.pue, true
		}
	}
	return unknownPUE, false
}

// hostOf is the host name of a provider's address, its kind's public one when
// it has none.
func hostOf(p research.Provider) string {
	if p.BaseURL == "" {
		switch p.Kind {
		case research.OpenAICompatible:
			return "api.openai.com"
		case research.Anthropic:
			return "api.anthropic.com"
		}
		return ""
	}
	u, err := url.Parse(p.BaseURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}
