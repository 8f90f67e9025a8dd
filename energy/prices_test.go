package energy

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func pricesFrom(t *testing.T, text string) (*Prices, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), PricesFile)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return LoadPrices(path)
}

var (
	anthropic = research.Provider{Name: "anthropic", Kind: research.Anthropic}
	google    = research.Provider{Name: "google", Kind: research.OpenAICompatible, BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai"}
	reseller  = research.Provider{Name: "router", Kind: research.OpenAICompatible, BaseURL: "https://llm.example.org/v1"}
	ollama    = research.Provider{Name: "ollama", Kind: research.Ollama, BaseURL: "http://127.0.0.1:11434", Local: true}
)

func TestKnownPricesAndNoOthers(t *testing.T) {
	t.Parallel()
	p, err := LoadPrices(filepath.Join(t.TempDir(), "absent.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		id            string
		provider      research.Provider
		known         bool
		input, output float64
	}{
		{"claude-3-haiku-20240307", anthropic, true, .25, 1.25},
		{"claude-3-haiku", anthropic, true, .25, 1.25},
		{"claude-3-5-haiku-20241022", anthropic, false, 0, 0},
		{"claude-3-haiku-20240307", reseller, false, 0, 0},
		{"gemini-2.0-flash", google, true, .10, .40},
		{"models/gemini-2.0-flash-001", google, true, .10, .40},
		{"gemini-2.0-flash-lite", google, false, 0, 0},
		{"gemini-2.0-flash-lite-001", google, false, 0, 0},
		{"gpt-anything", research.Provider{Kind: research.OpenAICompatible}, false, 0, 0},
		{"llama3.2:3b", ollama, true, 0, 0},
	}
	for _, tt := range tests {
		got, ok := p.Of(research.LanguageModel{Name: tt.provider.Name + "/" + tt.id, ID: tt.id}, tt.provider)
		if ok != tt.known || got.Input != tt.input || got.Output != tt.output || got.Cached != tt.input {
			t.Errorf("%s at %s: %+v, %v, want %v/%v, %v", tt.id, tt.provider.Name, got, ok, tt.input, tt.output, tt.known)
		}
	}
	for _, e := range p.models {
		if e.Price.AsOf == "" || e.Price.Source == "" || len(e.Hosts) == 0 {
			t.Errorf("a price without date, source or place: %+v", e)
		}
	}
}

func TestOperatorsPricesGoFirst(t *testing.T) {
	t.Parallel()
	p, err := pricesFrom(t, `
rates: {EUR: 1.1}
models:
  - {model: claude-3-haiku, input: 9, output: 9}
  - {model: router/some-model, input: 2, cached: 0.5, output: 4, as_of: 2026-11-01, source: contract}
  - {model: in-euro, input: 10, output: 20, currency: eur}
  - {model: in-yen, input: 10, output: 20, currency: JPY}
  - {model: rented-gpu, input: 1, output: 1}
search:
  - {provider: Paid, query: 0.005}
  - {provider: searxng, query: 0.001}
  - {provider: yen, query: 1, currency: JPY}
`)
	if err != nil {
		t.Fatal(err)
	}
	of := func(name, id string, pr research.Provider) (research.Price, bool) {
		return p.Of(research.LanguageModel{Name: name, ID: id}, pr)
	}
	if got, _ := of("anthropic/claude-3-haiku-20240307", "claude-3-haiku-20240307", anthropic); got.Input != 9 {
		t.Errorf("the built-in price wins: %+v", got)
	}
	if got, ok := of("router/some-model", "some-model", reseller); !ok || got.Cached != .5 || got.AsOf != "2026-11-01" || got.Source != "contract" {
		t.Errorf("by configured name: %+v", got)
	}
	if _, ok := of("other/some-model", "some-model", reseller); ok {
		t.Error("an entry with a provider's name holds for another's")
	}
	if got, ok := of("router/in-euro", "in-euro", reseller); !ok || math.Abs(got.Input-11) > 1e-9 || got.Currency != "USD" || !strings.Contains(got.Source, "EUR") {
		t.Errorf("euros: %+v", got)
	}
	if _, ok := of("router/in-yen", "in-yen", reseller); ok {
		t.Error("a currency without a rate has dollars")
	}
	if got, ok := p.Listed(research.LanguageModel{ID: "in-yen"}, reseller); !ok || got.Currency != "JPY" || got.Input != 10 {
		t.Errorf("as listed: %+v", got)
	}
	if got, _ := of("ollama/rented-gpu", "rented-gpu", ollama); got.Input != 1 {
		t.Errorf("a price the operator gives a local model is lost: %+v", got)
	}
	own := &research.Price{Input: 7, Output: 8}
	if got, ok := p.Of(research.LanguageModel{ID: "claude-3-haiku", Price: own}, anthropic); !ok || got.Input != 7 || got.Currency != "USD" {
		t.Errorf("the model's own price: %+v", got)
	}
	if _, ok := p.Of(research.LanguageModel{ID: "x", Price: &research.Price{Input: math.NaN()}}, anthropic); ok {
		t.Error("NaN is a price")
	}
	for provider, want := range map[string]float64{"paid": .005, "SearXNG": .001, "wikipedia": 0} {
		if got, ok := p.Query(provider); !ok || got != research.ToMicro(want) {
			t.Errorf("a query to %s costs %v, %v, want %v", provider, got, ok, want)
		}
	}
	for _, provider := range []string{"nobody", "yen"} {
		if got, ok := p.Query(provider); ok {
			t.Errorf("a query to %s costs %v, want unknown", provider, got)
		}
	}
}

func TestPriceFilesThatCannotBeUsedSayWhy(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"models: [{model: x, input: 1}]":                              "entry 1",
		"models: [{model: x, input: -1, output: 1}]":                  "0 or more",
		"models: [{model: x, input: .nan, output: 1}]":                "0 or more",
		"models: [{model: x, input: 1, output: 1, as_of: yesterday}]": "date",
		"models: [{model: x, inptu: 1, output: 1}]":                   "inptu",
		"models: {":            "yaml",
		"search: [{query: 1}]": "provider",
		"rates: {EUR: 0}":      "EUR",
	} {
		_, err := pricesFrom(t, text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), PricesFile) || research.CodeOf(err) != research.EInvalid {
			t.Errorf("%q: %v, want something with %q", text, err, want)
		}
	}
	if _, err := pricesFrom(t, ""); err != nil {
		t.Errorf("an empty file: %v", err)
	}
	if _, err := LoadPrices(t.TempDir()); err == nil {
		t.Error("a folder is a price file")
	}
}

func TestDollarsRoundUp(t *testing.T) {
	t.Parallel()
	haiku := research.Price{Input: .25, Output: 1.25}
	tests := []struct {
		p    research.Price
		t    research.Tokens
		want research.Micro
	}{
		{haiku, research.Tokens{}, 0},
		{haiku, research.Tokens{Input: 1}, 1}, // 0.25 millionths
		{haiku, research.Tokens{Input: 4}, 1},
		{haiku, research.Tokens{Input: 5}, 2},
		{haiku, research.Tokens{Input: 1000, Output: 100, Reasoning: 60}, 375},
		{haiku, research.Tokens{Input: 1000, Cached: 1000}, 250}, // no cached price: the input price
		{research.Price{Input: 1, Cached: .1, Output: 2}, research.Tokens{Input: 1000, Cached: 900, Output: 10}, 210},
		{research.Price{Input: 1, Cached: .1}, research.Tokens{Input: 10, Cached: 900}, 1},
		{research.Price{Input: .1}, research.Tokens{Input: 30}, 3}, // 3.0000000000000004 in floats
		{haiku, research.Tokens{Input: -5, Output: -5}, 0},
	}
	for _, tt := range tests {
		if got := Dollars(tt.p, tt.t); got != tt.want {
			t.Errorf("Dollars(%+v, %+v) = %d millionths, want %d", tt.p, tt.t, got, tt.want)
		}
	}
}

// The table's prices are those that recorded bills add up with.
func TestPricesReproduceRecordedBills(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("PROGROUTER_EVAL_DATA")
	f, err := os.Open(filepath.Join(dir, "outcomes", "routerarena_haiku_flash.jsonl"))
	if dir == "" || err != nil {
		t.Skip("PROGROUTER_EVAL_DATA names no recorded outcomes")
	}
	defer f.Close()
	prices, err := LoadPrices("")
	if err != nil {
		t.Fatal(err)
	}
	haiku, _ := prices.Of(research.LanguageModel{ID: "claude-3-haiku"}, anthropic)
	flash, _ := prices.Of(research.LanguageModel{ID: "gemini-2.0-flash"}, google)
	known := map[string]research.Price{"claude-3-haiku": haiku, "gemini-2.0-flash": flash}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	bills := 0
	for lines.Scan() {
		var l struct {
			ID     string
			Models map[string]struct {
				Input   int `json:"input_tokens"`
				Output  int `json:"output_tokens"`
				Dollars float64
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		for name, b := range l.Models {
			bills++
			got := Dollars(known[name], research.Tokens{Input: b.Input, Output: b.Output}).Units()
			if got < b.Dollars-1e-9 || got > b.Dollars+1e-6+1e-9 {
				t.Errorf("%s by %s: %v dollars, the bill says %v", l.ID, name, got, b.Dollars)
			}
		}
	}
	if bills < 1000 {
		t.Errorf("only %d bills", bills)
	}
	t.Logf("%d bills", bills)
}
