package energy

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*want {
		t.Errorf("%s = %.4g, want %.4g", what, got, want)
	}
}

func TestFitAgreesWithItsPublishedValues(t *testing.T) {
	t.Parallel()
	for active, want := range map[float64]float64{8: 0.162, 32: 0.212, 70: 0.289} {
		near(t, "decode J per token and GPU", decodePerGPU(active), want, 0.005)
	}
	for total, want := range map[float64]float64{8: 1, 32: 1, 34: 2, 70: 4, 405: 16} {
		near(t, "GPUs", GPUs(total), want, 0)
	}
	near(t, "70B, all GPUs", GPUs(70)*decodePerGPU(70), 1.16, 0.005)
	near(t, "405B, all GPUs", GPUs(405)*decodePerGPU(405), 15.6, 0.005)
	near(t, "prefill at 8B", prefillPerToken(8), 0.028, 0.02)
	near(t, "prefill at 70B", prefillPerToken(70), 0.25, 0.02)
}

func TestModelledHosted(t *testing.T) {
	t.Parallel()
	m := research.LanguageModel{Parameters: 70}
	c, ok := Modelled(m, research.Provider{Kind: research.OpenAICompatible})
	if !ok {
		t.Fatal("a model of known size is not modelled")
	}
	latency := 6.785088094353663e-4*70 + 3.119310311688259e-4*64 + 0.019473717579473387
	host := 1.2 * latency * 1200 * 4 / 8 / 64
	near(t, "latency", c.Seconds.Decode, latency, 1e-9)
	near(t, "host", c.Host, host, 1e-9)
	near(t, "decode", c.Decode, 1.2*4*decodePerGPU(70)+host, 1e-9)
	near(t, "prefill", c.Prefill, 1.2*prefillPerToken(70), 1e-9)
	if c.Load != 0 || c.Beyond || c.Method != research.MethodModel || c.Low != 0.35 || c.High != 3 || !strings.Contains(c.Note, "70") {
		t.Errorf("coefficients %+v", c)
	}
}

func TestModelledSaysWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	openai := research.Provider{Kind: research.OpenAICompatible}
	if c, ok := Modelled(research.LanguageModel{}, openai); ok {
		t.Errorf("no parameters: %+v", c)
	}
	if c, ok := Modelled(research.LanguageModel{Parameters: math.NaN()}, openai); ok {
		t.Errorf("NaN parameters: %+v", c)
	}
	within, _ := Modelled(research.LanguageModel{Parameters: 200}, openai)
	beyond, ok := Modelled(research.LanguageModel{Parameters: 405}, openai)
	if !ok || within.Beyond || !beyond.Beyond || beyond.Low >= within.Low || beyond.High <= within.High || !strings.Contains(beyond.Note, "beyond") {
		t.Errorf("within %+v\nbeyond %+v", within, beyond)
	}
	somewhere, _ := Modelled(research.LanguageModel{Parameters: 70}, research.Provider{Kind: research.OpenAICompatible, BaseURL: "https://llm.example.org/v1"})
	known, _ := Modelled(research.LanguageModel{Parameters: 70}, openai)
	if somewhere.Low >= known.Low || somewhere.High <= known.High || !strings.Contains(somewhere.Note, "assumed") {
		t.Errorf("unknown data centre: %+v", somewhere)
	}
	local, _ := Modelled(research.LanguageModel{Parameters: 1.5}, research.Provider{Local: true})
	if !local.Beyond || local.Decode <= 0 || !strings.Contains(local.Note, "calibrate") {
		t.Errorf("local: %+v", local)
	}
}

// Of a mixture of experts all parameters need memory and the active ones work.
func TestExpertsNeedMemoryAndLittleWork(t *testing.T) {
	t.Parallel()
	p := research.Provider{Kind: research.OpenAICompatible}
	moe, _ := Modelled(research.LanguageModel{Parameters: 141, Active: 39}, p)
	dense, _ := Modelled(research.LanguageModel{Parameters: 141}, p)
	only, _ := Modelled(research.LanguageModel{Active: 39}, p)
	if !(only.Decode < moe.Decode && moe.Decode < dense.Decode) || moe.Prefill != only.Prefill {
		t.Errorf("decode of 39B %v, 39 of 141B %v, 141B %v", only.Decode, moe.Decode, dense.Decode)
	}
}

func TestPUE(t *testing.T) {
	t.Parallel()
	tests := []struct {
		p     research.Provider
		want  float64
		known bool
	}{
		{research.Provider{Kind: research.OpenAICompatible}, 1.20, true},
		{research.Provider{Kind: research.Anthropic}, 1.115, true},
		{research.Provider{BaseURL: "https://my.openai.azure.com/openai"}, 1.20, true},
		{research.Provider{BaseURL: "https://api.mistral.ai/v1"}, 1.16, true},
		{research.Provider{BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai"}, 1.09, true},
		{research.Provider{BaseURL: "https://openai.com.example.org/v1"}, 1.2, false},
		{research.Provider{BaseURL: "http://127.0.0.1:11434", Local: true}, 1, true},
		{research.Provider{BaseURL: "https://api.mistral.ai/v1", PUE: 1.5}, 1.5, true},
		{research.Provider{BaseURL: "://"}, 1.2, false},
	}
	for _, tt := range tests {
		if got, known := PUE(tt.p); got != tt.want || known != tt.known {
			t.Errorf("PUE(%q) = %v, %v, want %v, %v", tt.p.BaseURL, got, known, tt.want, tt.known)
		}
	}
}

// A hosted chat prompt takes 0.24 to 0.42 Wh by what is published: the model of
// a large assistant must come to that order, range included.
func TestHostedChatPromptLiesInThePublishedBand(t *testing.T) {
	t.Parallel()
	c, _ := Modelled(research.LanguageModel{Parameters: 200, Active: 70}, research.Provider{Kind: research.OpenAICompatible})
	e := CallEnergy(c, CallUse{Input: 500, Output: 400})
	const low, high = 864, 1512
	if e.Low.Units() > high || e.High.Units() < low {
		t.Errorf("%v J (%v to %v) is nowhere near %d to %d", e.Joules, e.Low, e.High, low, high)
	}
	t.Logf("%v J (%v to %v)", e.Joules, e.Low, e.High)
}

// parametersOf are billions, all and active, of the models in the measurements.
var parametersOf = map[string][2]float64{
	"gemma-2-27b": {27, 27}, "Mistral-7B": {7.2, 7.2}, "Mixtral-8x22B": {141, 39}, "Mixtral-8x7B": {46.7, 12.9},
	"gemma-2-2b": {2.6, 2.6}, "3.1-70B": {70, 70}, "3.1-8B": {8, 8}, "3.1-405B": {405, 405}, "Phi-3-small": {7.4, 7.4},
	"Phi-3-medium": {14, 14}, "Phi-3-mini": {3.8, 3.8}, "codegemma-1.1-2b": {2.5, 2.5}, "codegemma-7b": {8.5, 8.5},
	"gemma-2-9b": {9.2, 9.2}, "Nemo": {12.2, 12.2}, "Mistral-Large": {123, 123}, "starcoder2-15b": {15, 15},
	"starcoder2-3b": {3, 3}, "starcoder2-7b": {7, 7}, "CodeLlama-34b": {34, 34}, "CodeLlama-70b": {70, 70},
	"CodeLlama-7b": {7, 7}, "CodeLlama-13b": {13, 13},
}

type point struct {
	Model  string
	GPU    string
	Joules float64 `json:"Energy/req (J)"`
	Tokens float64 `json:"Avg Output Tokens"`
	Batch  float64 `json:"Avg BS (reqs)"`
}

// The range of modelled coefficients is what measurements on H100s span.
func TestMeasurementsLieInTheModelledRange(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("PROGROUTER_EVAL_DATA")
	if dir == "" {
		t.Skip("PROGROUTER_EVAL_DATA names no evaluation data")
	}
	b, err := os.ReadFile(filepath.Join(dir, "mlenergy_v2.json"))
	if err != nil {
		t.Skip(err)
	}
	var points []point
	if err := json.Unmarshal(b, &points); err != nil {
		t.Fatal(err)
	}
	var ratios []float64
	for _, p := range points {
		if !strings.Contains(p.GPU, "H100") {
			continue
		}
		for name, size := range parametersOf {
			if strings.Contains(p.Model, name) && size[0] <= fitParameters {
				ratios = append(ratios, p.Joules/p.Tokens/(GPUs(size[0])*decodePerGPU(size[1])))
			}
		}
	}
	if len(ratios) < 100 {
		t.Fatalf("only %d measured points on H100", len(ratios))
	}
	low, high := slices.Min(ratios), slices.Max(ratios)
	t.Logf("%d points: measured ÷ modelled %.2f to %.2f, median %.2f, 10–90 %% %.2f to %.2f", len(ratios), low, high, quantile(ratios, .5), quantile(ratios, .1), quantile(ratios, .9))
	if low < fitLow || high > fitHigh {
		t.Errorf("measured ÷ modelled spans %.2f to %.2f, the range says %.2f to %.2f", low, high, fitLow, fitHigh)
	}
}
