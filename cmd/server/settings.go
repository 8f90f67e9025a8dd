package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/llm/embedded"
	"github.com/progrouter/progrouter/web"
)

// Settings describes what is connected and configured. Secrets are shown as
// set or not set, never by value.
func (a *app) Settings(context.Context) web.SettingsInput {
	in := web.SettingsInput{
		Version: version, Data: a.cfg.Data, Database: a.database(), Address: a.cfg.Addr,
		Meter:      web.Meter{Watts: a.cfg.CPUWatts, Low: a.cfg.CPUWattsLow, High: a.cfg.CPUWattsHi},
		RunsAtOnce: a.cfg.Workers, AllowanceJoules: a.cfg.Allowance,
		Allowed: a.cfg.AllowHosts, Password: a.cfg.Password != "",
		Providers: a.providerStates(), Meters: a.meterStates(), Environment: a.cfg.environment(),
	}
	if abs, err := filepath.Abs(a.cfg.Data); err == nil {
		in.Data = abs
	}
	for _, m := range a.registry.Models() {
		languages := "en"
		if m.Name == embedded.SmallModel {
			languages = ""
		}
		in.Models = append(in.Models, web.ModelInput{Name: m.Name, Tier: m.Tier, Embedded: true, Languages: languages})
	}
	return in
}

func (a *app) database() string {
	if a.cfg.DatabaseURL != "" {
		return "PostgreSQL"
	}
	return "SQLite"
}

func (a *app) providerStates() []web.ProviderInput {
	wiki := web.ProviderInput{Name: "Wikipedia", State: "ok", Detail: "needs no key"}
	if !a.cfg.Wikipedia {
		wiki.State, wiki.Detail = "off", "PROGROUTER_WIKIPEDIA=false"
	}
	searx := web.ProviderInput{Name: "SearXNG", State: "off", Detail: "set PROGROUTER_SEARXNG_URL"}
	if a.cfg.SearxngURL != "" {
		searx.State, searx.Detail = "ok", a.cfg.SearxngURL
	}
	return []web.ProviderInput{wiki, searx}
}

func (a *app) meterStates() []web.MeterInput {
	rapl := web.MeterInput{Name: "rapl", State: "off", Detail: "no readable energy counter on this machine"}
	if energy.OpenRAPL(energy.RAPLRoot) != nil {
		rapl.State, rapl.Detail = "ok", energy.RAPLRoot
	}
	return []web.MeterInput{rapl, {Name: "cpu", State: "ok", Detail: fmt.Sprintf("%g W (%g–%g) per busy core", a.cfg.CPUWatts, a.cfg.CPUWattsLow, a.cfg.CPUWattsHi)}}
}

// environment lists every setting with its value and origin.
func (c Config) environment() []web.EnvInput {
	values := map[string]any{
		"addr": c.Addr, "data": c.Data, "database_url": hide(c.DatabaseURL), "password": hide(c.Password),
		"hosts": strings.Join(c.Hosts, ", "), "allow_hosts": strings.Join(c.AllowHosts, ", "), "workers": c.Workers,
		"cpu_watts": c.CPUWatts, "cpu_watts_low": c.CPUWattsLow, "cpu_watts_high": c.CPUWattsHi,
		"allowance": c.Allowance, "value": c.Value, "epsilon": c.Epsilon, "epsilon_min": c.EpsilonMin,
		"wikipedia": c.Wikipedia, "searxng_url": c.SearxngURL, "upload_mb": c.UploadMB,
		"log_level": c.LogLevel, "log_format": c.LogFormat,
	}
	var out []web.EnvInput
	for _, o := range options() {
		out = append(out, web.EnvInput{Name: envName(o.key), Value: fmt.Sprint(values[o.key]), Help: o.usage, Source: c.From[o.key]})
	}
	return out
}

func hide(secret string) string {
	if secret == "" {
		return ""
	}
	return "•••"
}
