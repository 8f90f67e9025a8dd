package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/providers/posflag"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
	"github.com/progrouter/progrouter/web"
)

// Config is everything an operator can set: flags > environment PROGROUTER_* >
// progrouter.yaml > defaults. It is validated once, here.
type Config struct {
	Addr        string   `koanf:"addr"`
	Data        string   `koanf:"data"`
	DatabaseURL string   `koanf:"database_url"`
	Password    string   `koanf:"password"`
	Hosts       []string `koanf:"hosts"`
	AllowHosts  []string `koanf:"allow_hosts"`
	Workers     int      `koanf:"workers"`
	CPUWatts    float64  `koanf:"cpu_watts"`
	CPUWattsLow float64  `koanf:"cpu_watts_low"`
	CPUWattsHi  float64  `koanf:"cpu_watts_high"`
	Region      string   `koanf:"region"`
	Embedded    []string `koanf:"embedded"`
	Allowance   float64  `koanf:"allowance"`
	Value       float64  `koanf:"value"`
	Epsilon     float64  `koanf:"epsilon"`
	EpsilonMin  float64  `koanf:"epsilon_min"`
	Decay       float64  `koanf:"epsilon_decay"`
	StallGain   float64  `koanf:"stall_gain"`
	QueueCap    float64  `koanf:"queue_cap"`
	QueueFloor  float64  `koanf:"queue_floor"`
	WeightQueue float64  `koanf:"weight_queue"`
	WeightJ     float64  `koanf:"weight_energy"`
	WeightTime  float64  `koanf:"weight_time"`
	WeightUSD   float64  `koanf:"weight_dollars"`
	Wikipedia   bool     `koanf:"wikipedia"`
	SearxngURL  string   `koanf:"searxng_url"`
	UploadMB    int      `koanf:"upload_mb"`
	Models      []string `koanf:"models"`
	OllamaURL   string   `koanf:"ollama_url"`
	LogLevel    string   `koanf:"log_level"`
	LogFormat   string   `koanf:"log_format"`
	// From says where each setting's value came from: default, file,
	// environment or flag.
	From map[string]string `koanf:"-"`
	// connected are the entries of the file's sections providers and models,
	// and what Models says.
	connected modelSections
}

// option describes one setting for flags, the environment and --help alike.
type option struct {
	key, usage string
	value      any
}

// options lists every setting with its default. Flags are the key with dashes,
// environment variables PROGROUTER_ and the key in capitals.
func options() []option {
	return []option{
		{"addr", "address to listen on; any but loopback needs a password", "127.0.0.1:8080"},
		{"data", "folder for the database, uploads and caches", "./data"},
		{"database_url", "postgres://… to use PostgreSQL instead of SQLite in the data folder", ""},
		{"password", "password people log in with; required when not listening on loopback", ""},
		{"hosts", "further host names under which the service may be called, comma-separated", []string{}},
		{"allow_hosts", "host:port pairs that may be fetched although they are private, comma-separated", []string{}},
		{"workers", "how many runs are worked on at once", 2},
		{"cpu_watts", "watts assumed per busy CPU core where no energy counter is readable", 10.0},
		{"cpu_watts_low", "lower end of that assumption; 0 means half of cpu_watts", 0.0},
		{"cpu_watts_high", "upper end of that assumption; 0 means twice cpu_watts", 0.0},
		{"embedded", "tiers of the embedded engine that take part beside language models, not only in their place: small, medium, large", []string{}},
		{"region", "where this machine's power comes from, for carbon: world, us, de, fr, se, in, or a number of kg CO2e per kWh", "world"},
		{"allowance", "long-term mean energy per run that the router defends, in joules", defaultAllowance},
		{"value", "weight V of progress in the routing score", router.DefaultParams().V},
		{"epsilon", "share of steps that try a random model at first", router.DefaultParams().Epsilon0},
		{"epsilon_min", "share of such steps in the long run", router.DefaultParams().EpsilonMin},
		{"epsilon_decay", "decisions over which the first share falls towards the long-run one, as exp(-decisions/epsilon_decay)", router.DefaultParams().Decay},
		{"queue_floor", "price of energy while no earlier run owes any, in allowances", router.DefaultParams().QueueFloor},
		{"queue_cap", "most that the queue may count, as a share of value", router.DefaultParams().QueueCap},
		{"stall_gain", "gain in progress below which the cascade calls a step stalled", router.DefaultParams().StallGain},
		{"weight_queue", "weight of the virtual queue's term in the routing score; 0 leaves it out", router.DefaultParams().Weights.Queue},
		{"weight_energy", "weight of the energy term in the routing score; 0 leaves it out", router.DefaultParams().Weights.Energy},
		{"weight_time", "weight of the time term in the routing score; 0 leaves it out", router.DefaultParams().Weights.Time},
		{"weight_dollars", "weight of the dollar term in the routing score; 0 leaves it out", router.DefaultParams().Weights.Dollars},
		{"wikipedia", "search Wikipedia when the web is searched", true},
		{"searxng_url", "address of a SearXNG instance to search the web with", ""},
		{sectionModels, "language models as TIER=KIND:ID or TIER=KIND:ID@ADDRESS, comma-separated; the file and the settings page can say more", []string{}},
		{"ollama_url", "where an Ollama is looked for; the word none switches that off", defaultOllama},
		{"upload_mb", "largest document that may be uploaded, in megabytes", 25},
		{"log_level", "debug, info, warn or error", "info"},
		{"log_format", "text or json", "text"},
	}
}

// defaultAllowance is the mean energy per run, in joules, that the router
// defends unless told otherwise; see docs/evaluation.md for how it was found.
const defaultAllowance = 14.0

const (
	envPrefix  = "PROGROUTER_"
	configFile = "progrouter.yaml"
)

func flagName(key string) string { return strings.ReplaceAll(key, "_", "-") }

// addConfigFlags adds the flags of the settings to a command.
func addConfigFlags(fs *pflag.FlagSet) {
	fs.String("config", "", "configuration file (default "+configFile+" in the working folder, if there)")
	for _, o := range options() {
		name, usage := flagName(o.key), o.usage+" (env "+envName(o.key)+")"
		switch v := o.value.(type) {
		case string:
			fs.String(name, v, usage)
		case int:
			fs.Int(name, v, usage)
		case float64:
			fs.Float64(name, v, usage)
		case bool:
			fs.Bool(name, v, usage)
		case []string:
			fs.StringSlice(name, v, usage)
		}
	}
}

// loadConfig reads all layers and validates the result.
func loadConfig(flags *pflag.FlagSet) (Config, error) {
	k := koanf.New(".")
	for _, o := range options() {
		if err := k.Set(o.key, o.value); err != nil {
			return Config{}, fmt.Errorf("default of %s: %w", o.key, err)
		}
	}
	own, err := loadFile(flags)
	if err != nil {
		return Config{}, err
	}
	providers, models := own.Get(sectionProviders), own.Get(sectionModels)
	own.Delete(sectionProviders)
	own.Delete(sectionModels)
	if err := k.Merge(own); err != nil {
		return Config{}, fmt.Errorf("merge configuration file: %w", err)
	}
	if err := k.Load(env.Provider(".", env.Opt{Prefix: envPrefix, TransformFunc: fromEnv}), nil); err != nil {
		return Config{}, fmt.Errorf("read environment: %w", err)
	}
	if err := k.Load(posflag.ProviderWithFlag(flags, ".", nil, fromFlag(flags)), nil); err != nil {
		return Config{}, fmt.Errorf("read flags: %w", err)
	}
	from := origins(flags, own)
	if err := checkValues(k, from); err != nil {
		return Config{}, err
	}
	var c Config
	if err := k.Unmarshal("", &c); err != nil {
		return Config{}, research.Errorf(research.EInvalid, "config", "The configuration has a value of the wrong kind: %v", err)
	}
	if models != nil && from[sectionModels] == "default" {
		from[sectionModels] = fromFile
	}
	c.From, c.OllamaURL = from, ollamaURL(c.OllamaURL)
	if c.connected, err = connect(providers, models, c.Models, from[sectionModels]); err != nil {
		return Config{}, err
	}
	if c.CPUWattsLow == 0 {
		c.CPUWattsLow = c.CPUWatts / 2
	}
	if c.CPUWattsHi == 0 {
		c.CPUWattsHi = c.CPUWatts * 2
	}
	return c, c.validate()
}

// loadFile reads the configuration file; it is empty where there is none.
func loadFile(flags *pflag.FlagSet) (*koanf.Koanf, error) {
	path, must := configFile, false
	if f := flags.Lookup("config"); f != nil && f.Value.String() != "" {
		path, must = f.Value.String(), true
	}
	own := koanf.New(".")
	err := own.Load(file.Provider(path), yaml.Parser())
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist) && !must:
		return own, nil
	default:
		return nil, research.Errorf(research.EInvalid, "config", "The configuration file %s cannot be read: %v", path, err)
	}
	for _, key := range own.Keys() {
		section, _, _ := strings.Cut(key, ".") // those with entries of their own are read elsewhere
		if !known(key) && section != sectionProviders && section != sectionModels {
			return nil, research.Errorf(research.EInvalid, "config", "The configuration file %s sets %q, which is not a setting. Run with --help for the list.", path, key)
		}
	}
	return own, nil
}

func origins(flags *pflag.FlagSet, own *koanf.Koanf) map[string]string {
	from := map[string]string{}
	for _, o := range options() {
		from[o.key] = "default"
		if own.Exists(o.key) {
			from[o.key] = "file"
		}
		if os.Getenv(envName(o.key)) != "" {
			from[o.key] = "environment"
		}
		if f := flags.Lookup(flagName(o.key)); f != nil && f.Changed {
			from[o.key] = "flag"
		}
	}
	return from
}

func envName(key string) string { return envPrefix + strings.ToUpper(key) }

func known(key string) bool {
	return slices.ContainsFunc(options(), func(o option) bool { return o.key == key })
}

// fromEnv maps PROGROUTER_CPU_WATTS to cpu_watts. Variables that are not
// settings (PROGROUTER_EVAL_DATA and the tests' own) are left alone.
func fromEnv(k, v string) (string, any) {
	key := strings.ToLower(strings.TrimPrefix(k, envPrefix))
	i := slices.IndexFunc(options(), func(o option) bool { return o.key == key })
	if i < 0 || v == "" { // set to nothing is not set
		return "", nil
	}
	if _, list := options()[i].value.([]string); list {
		return key, splitList(v)
	}
	return key, v
}

func splitList(v string) []string {
	out := []string{}
	for _, s := range strings.Split(v, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// fromFlag takes only the flags that were really given.
func fromFlag(flags *pflag.FlagSet) func(f *pflag.Flag) (string, any) {
	return func(f *pflag.Flag) (string, any) {
		key := strings.ReplaceAll(f.Name, "-", "_")
		if !f.Changed || !known(key) {
			return "", nil
		}
		return key, posflag.FlagVal(flags, f)
	}
}

func (c Config) validate() error {
	bad := func(format string, args ...any) error {
		return research.Errorf(research.EInvalid, "config", format, args...)
	}
	host, _, err := net.SplitHostPort(c.Addr)
	switch {
	case err != nil:
		return bad("The address %q is not host:port; an example is 127.0.0.1:8080.", c.Addr)
	case !loopback(host) && c.Password == "":
		return bad("Listening on %s would open the service to others. Set PROGROUTER_PASSWORD (people then log in with it), or listen on 127.0.0.1.", c.Addr)
	case c.DatabaseURL != "" && !strings.HasPrefix(c.DatabaseURL, "postgres://") && !strings.HasPrefix(c.DatabaseURL, "postgresql://"):
		return bad("database_url must start with postgres://; leave it empty for SQLite in the data folder.")
	case c.Workers < 1 || c.Workers > 64:
		return bad("workers is %d; it must be between 1 and 64.", c.Workers)
	case !(c.CPUWattsLow > 0 && c.CPUWattsLow <= c.CPUWatts && c.CPUWatts <= c.CPUWattsHi && c.CPUWattsHi < 10_000):
		return bad("The CPU watts must satisfy 0 < cpu_watts_low ≤ cpu_watts ≤ cpu_watts_high; they are %g, %g, %g.", c.CPUWattsLow, c.CPUWatts, c.CPUWattsHi)
	case slices.ContainsFunc(c.Embedded, func(t string) bool { return !slices.Contains(research.Tiers(), research.Tier(t)) }):
		return bad("embedded is %q; it takes small, medium and large.", strings.Join(c.Embedded, ","))
	case !knownRegion(c.Region):
		return bad("region is %q; it must be one of %s, or a number of kg CO2e per kWh.", c.Region, strings.Join(energy.Regions(), ", "))
	case !(c.Allowance > 0 && c.Allowance < 1e12):
		return bad("allowance is %g; it must be a positive number of joules.", c.Allowance)
	case c.OllamaURL != "" && !isAddress(c.OllamaURL):
		return bad("ollama_url is %q, which is not an http address; an example is %s, and none switches it off.", hideUser(c.OllamaURL), defaultOllama)
	case c.UploadMB < 1 || c.UploadMB > 1024:
		return bad("upload_mb is %d; it must be between 1 and 1024.", c.UploadMB)
	case !slices.Contains([]string{"debug", "info", "warn", "error"}, c.LogLevel):
		return bad("log_level is %q; it must be debug, info, warn or error.", c.LogLevel)
	case c.LogFormat != "text" && c.LogFormat != "json":
		return bad("log_format is %q; it must be text or json.", c.LogFormat)
	}
	if err := c.params().Validate(); err != nil {
		return err
	}
	for _, h := range c.AllowHosts {
		if _, _, err := net.SplitHostPort(h); err != nil {
			return bad("allow_hosts has %q, which is not host:port; an example is 127.0.0.1:8888.", h)
		}
	}
	return nil
}

// params are the free parameters of the router, as they are set.
func (c Config) params() router.Params {
	return router.Params{
		V: c.Value, Epsilon0: c.Epsilon, EpsilonMin: c.EpsilonMin, Decay: c.Decay, StallGain: c.StallGain, QueueCap: c.QueueCap, QueueFloor: c.QueueFloor,
		Weights: router.Weights{Queue: c.WeightQueue, Energy: c.WeightJ, Time: c.WeightTime, Dollars: c.WeightUSD},
	}
}

func knownRegion(r string) bool {
	_, ok := energy.Carbon(r)
	return ok
}

// shownMeter is what pages say about joules.
func (c Config) shownMeter() web.Meter {
	kg, _ := energy.Carbon(c.Region)
	return web.Meter{Watts: c.CPUWatts, Low: c.CPUWattsLow, High: c.CPUWattsHi, KgPerKWh: kg}
}

// acceptedHosts are the names the service answers to besides what it bound: the
// configured ones and the host name it was told to listen on.
func (c Config) acceptedHosts() []string {
	hosts := slices.Clone(c.Hosts)
	if host, _, err := net.SplitHostPort(c.Addr); err == nil && host != "" && net.ParseIP(host) == nil {
		hosts = append(hosts, host)
	}
	return hosts
}

// loopback reports whether a bind host is reachable from this machine only.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// ensureData makes the data folder and proves that it can be written.
func (c Config) ensureData() error {
	if err := os.MkdirAll(c.Data, 0o750); err != nil {
		return research.Errorf(research.EInvalid, "data_folder", "The data folder %s cannot be made: %v. Choose another with --data.", c.Data, err)
	}
	f, err := os.CreateTemp(c.Data, ".write-test-*")
	if err != nil {
		return research.Errorf(research.EInvalid, "data_folder", "The data folder %s cannot be written: %v. Change its permissions or choose another with --data.", c.Data, err)
	}
	name := f.Name()
	return errors.Join(f.Close(), os.Remove(name))
}
