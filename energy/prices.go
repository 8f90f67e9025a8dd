package energy

import (
	"bytes"
	_ "embed" // the price table
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/progrouter/progrouter/research"
)

// PricesFile is the name of the operator's table in the data folder.
const PricesFile = "prices.yaml"

// usd is the currency of the accounts.
const usd = "USD"

//go:embed prices.yaml
var pricesTable []byte

// Prices is what models and search services ask for. It does not change and is
// safe for concurrent use.
type Prices struct {
	models []PriceEntry
	search []SearchPrice
	rates  map[string]float64 // dollars per unit of another currency
}

// PriceEntry is a line of the table.
type PriceEntry struct {
	Model string // the server's name for it, or PROVIDER/ID as configured
	Hosts []string
	Price research.Price
	Own   bool // from the operator's file
}

// SearchPrice is what one query to a search service costs, in Currency.
type SearchPrice struct {
	Provider string  `yaml:"provider"`
	Query    float64 `yaml:"query"`
	Currency string  `yaml:"currency"`
	AsOf     string  `yaml:"as_of"`
	Source   string  `yaml:"source"`
}

// priceFile is the table as written.
type priceFile struct {
	Models []struct {
		Model    string   `yaml:"model"`
		Hosts    []string `yaml:"hosts"`
		Input    *float64 `yaml:"input"`
		Cached   *float64 `yaml:"cached"`
		Output   *float64 `yaml:"output"`
		Currency string   `yaml:"currency"`
		AsOf     string   `yaml:"as_of"`
		Source   string   `yaml:"source"`
	} `yaml:"models"`
	Search []SearchPrice      `yaml:"search"`
	Rates  map[string]float64 `yaml:"rates"`
}

// LoadPrices reads the table that comes with the program and, before it, the
// operator's file. A path that is empty or names no file is no error; a file
// that cannot be used is an EInvalid error that says where and why.
func LoadPrices(path string) (*Prices, error) {
	p := &Prices{rates: map[string]float64{usd: 1}}
	if path != "" {
		b, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, fmt.Errorf("read prices: %w", err)
		default:
			if err := p.add(b, true); err != nil {
				return nil, badPrices(path, err)
			}
		}
	}
	if err := p.add(pricesTable, false); err != nil {
		return nil, fmt.Errorf("price table of the program: %w", err)
	}
	return p, nil
}

func badPrices(path string, err error) error {
	return research.Errorf(research.EInvalid, "prices_file",
		"The price file %s cannot be used: %v. Correct it, or remove it to use the built-in prices.", path, err).
		With(map[string]any{"File": path, "Reason": err.Error()})
}

func (p *Prices) add(data []byte, own bool) error {
	var f priceFile
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for currency, rate := range f.Rates {
		if !(rate > 0) || math.IsInf(rate, 0) {
			return fmt.Errorf("rates: %s needs the dollars that one unit is worth, as a number above 0", currency)
		}
		p.rates[strings.ToUpper(currency)] = rate
	}
	for i, m := range f.Models {
		if m.Model == "" || m.Input == nil || m.Output == nil {
			return fmt.Errorf("models, entry %d: it needs model, input and output", i+1)
		}
		price := research.Price{Input: *m.Input, Output: *m.Output, Cached: *m.Input, Currency: m.Currency, AsOf: m.AsOf, Source: m.Source}
		if m.Cached != nil {
			price.Cached = *m.Cached
		}
		if err := checkPrice(&price); err != nil {
			return fmt.Errorf("models, %s: %w", m.Model, err)
		}
		p.models = append(p.models, PriceEntry{Model: strings.ToLower(m.Model), Hosts: m.Hosts, Price: price, Own: own})
	}
	return p.addSearch(f.Search)
}

func (p *Prices) addSearch(list []SearchPrice) error {
	for i, s := range list {
		s.Provider = strings.ToLower(strings.TrimSpace(s.Provider))
		if s.Provider == "" {
			return fmt.Errorf("search, entry %d: it needs provider and query", i+1)
		}
		price := research.Price{Input: s.Query, Currency: s.Currency, AsOf: s.AsOf}
		if err := checkPrice(&price); err != nil {
			return fmt.Errorf("search, %s: %w", s.Provider, err)
		}
		s.Currency = price.Currency
		p.search = append(p.search, s)
	}
	return nil
}

func checkPrice(p *research.Price) error {
	for _, v := range []float64{p.Input, p.Cached, p.Output} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return errors.New("a price is a number of 0 or more")
		}
	}
	if p.AsOf != "" {
		if _, err := time.Parse(time.DateOnly, p.AsOf); err != nil {
			return errors.New("as_of is a date like 2026-11-30")
		}
	}
	if p.Currency = strings.ToUpper(strings.TrimSpace(p.Currency)); p.Currency == "" {
		p.Currency = usd
	}
	return nil
}

// Of is the price of a model in dollars: its own, else nothing for a server on
// this machine, else the table's. False means that it is not known: no entry, or
// a currency without a rate (see Listed).
func (p *Prices) Of(m research.LanguageModel, pr research.Provider) (research.Price, bool) {
	price, ok := p.Listed(m, pr)
	if !ok {
		return price, false
	}
	return p.inDollars(price)
}

// Listed is the same in the currency it was given in.
func (p *Prices) Listed(m research.LanguageModel, pr research.Provider) (research.Price, bool) {
	if m.Price != nil {
		price := *m.Price
		if checkPrice(&price) != nil {
			return research.Price{}, false
		}
		return price, true
	}
	if e, ok := p.entry(m, pr, true); ok {
		return e.Price, true
	}
	if pr.Local {
		return research.Price{Currency: usd, Source: "server on this machine"}, true
	}
	e, ok := p.entry(m, pr, false)
	return e.Price, ok
}

func (p *Prices) entry(m research.LanguageModel, pr research.Provider, own bool) (PriceEntry, bool) {
	name, id, host := strings.ToLower(m.Name), strings.ToLower(m.ID), hostOf(pr)
	for _, e := range p.models {
		if e.Own == own && e.at(host) && (e.Model == name || sameModel(e.Model, id)) {
			return e, true
		}
	}
	return PriceEntry{}, false
}

func (e PriceEntry) at(host string) bool {
	return len(e.Hosts) == 0 || slices.ContainsFunc(e.Hosts, func(h string) bool {
		h = strings.ToLower(h)
		return host == h || strings.HasSuffix(host, "."+h) || strings.HasSuffix(host, "-"+h)
	})
}

// revision is what servers add to a model's name: a date, a number, or latest.
var revision = regexp.MustCompile(`^[-@](\d{3}|\d{8}|\d{4}-\d{2}-\d{2}|latest)$`)

func sameModel(entry, id string) bool {
	if !strings.Contains(entry, "/") {
		id = id[strings.LastIndex(id, "/")+1:]
	}
	rest, ok := strings.CutPrefix(id, entry)
	return ok && (rest == "" || revision.MatchString(rest))
}

func (p *Prices) inDollars(price research.Price) (research.Price, bool) {
	if price.Currency == usd {
		return price, true
	}
	rate, ok := p.rates[price.Currency]
	if !ok {
		return research.Price{}, false
	}
	price.Source = strings.TrimSpace(fmt.Sprintf("%s (%s at %.4g dollars)", price.Source, price.Currency, rate))
	price.Input, price.Cached, price.Output, price.Currency = price.Input*rate, price.Cached*rate, price.Output*rate, usd
	return price, true
}

// Query is what one query to a search service costs in dollars. False is not
// known.
func (p *Prices) Query(provider string) (research.Micro, bool) {
	provider = strings.ToLower(provider)
	for _, s := range p.search {
		if s.Provider != provider {
			continue
		}
		price, ok := p.inDollars(research.Price{Input: s.Query, Currency: s.Currency})
		return ceil(price.Input), ok
	}
	return 0, false
}

// perMillion is what prices are quoted for.
const perMillion = 1e6

// Dollars is what a call costs, rounded up to a millionth, in the price's
// currency: Of gives it in dollars. Cached tokens are among the input tokens,
// reasoning tokens among the output tokens. A cached price of 0 is one that was
// not set, and the input price.
func Dollars(p research.Price, t research.Tokens) research.Micro {
	cached := min(max(0, t.Cached), max(0, t.Input))
	forCached := p.Cached
	if forCached == 0 {
		forCached = p.Input
	}
	sum := p.Input*float64(max(0, t.Input)-cached) + forCached*float64(cached) + p.Output*float64(max(0, t.Output))
	return ceil(sum / perMillion)
}
