package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/llm/embedded"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

// Settings describes what is connected and configured. Secrets are shown as
// set or not set, never by value.
func (a *app) Settings(context.Context) web.SettingsInput {
	in := web.SettingsInput{
		Version: version, Data: a.cfg.Data, Database: a.database(), Address: a.cfg.Addr,
		Meter:      a.cfg.shownMeter(),
		RunsAtOnce: a.cfg.Workers, AllowanceJoules: a.allowance().Units(),
		Allowed: a.cfg.AllowHosts, Password: a.cfg.Password != "",
		Providers: a.providerStates(), Meters: a.meterStates(), Environment: a.cfg.environment(),
	}
	if abs, err := filepath.Abs(a.cfg.Data); err == nil {
		in.Data = abs
	}
	for _, m := range a.registry().Models() {
		languages := "en"
		if m.Name == embedded.SmallModel {
			languages = ""
		}
		in.Models = append(in.Models, web.ModelInput{Name: m.Name, Tier: m.Tier, Embedded: embedded.Owns(m.Name), Languages: languages})
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
	wiki := web.ProviderInput{Name: "wikipedia", State: "ok", Detail: research.Note{Code: "no_key", Text: "needs no key"}}
	if !a.cfg.Wikipedia {
		wiki.State, wiki.Detail = "off", settingNote("off_by", "wikipedia", "switched off by %s")
	}
	searx := web.ProviderInput{Name: "searxng", State: "off", Detail: settingNote("set", "searxng_url", "set %s to use it")}
	if a.cfg.SearxngURL != "" {
		searx.State, searx.Detail = "ok", research.Note{Text: a.cfg.SearxngURL}
	}
	return []web.ProviderInput{wiki, searx}
}

// settingNote is a note that names a setting by its environment variable.
func settingNote(code, key, format string) research.Note {
	return research.Note{Code: code, Text: fmt.Sprintf(format, envName(key)), Args: map[string]any{"Setting": envName(key)}}
}

func (a *app) meterStates() []web.MeterInput {
	rapl := web.MeterInput{Name: "rapl", State: "off", Detail: research.Note{Code: "no_counter", Text: "no readable energy counter on this machine"}}
	if energy.OpenRAPL(energy.RAPLRoot) != nil {
		rapl.State, rapl.Detail = "ok", research.Note{Text: energy.RAPLRoot}
	}
	c := a.cfg
	return []web.MeterInput{rapl, {Name: "cpu", State: "ok", Detail: research.Note{
		Code: "watts", Text: fmt.Sprintf("%g W (%g–%g W) per busy core", c.CPUWatts, c.CPUWattsLow, c.CPUWattsHi),
		Args: map[string]any{"Watts": c.CPUWatts, "Low": c.CPUWattsLow, "High": c.CPUWattsHi},
	}}}
}

// environment lists every setting with its value and origin.
func (c Config) environment() []web.EnvInput {
	values := map[string]any{
		"addr": c.Addr, "data": c.Data, "database_url": hide(c.DatabaseURL), "password": hide(c.Password),
		"hosts": strings.Join(c.Hosts, ", "), "allow_hosts": strings.Join(c.AllowHosts, ", "), "workers": c.Workers,
		"cpu_watts": c.CPUWatts, "cpu_watts_low": c.CPUWattsLow, "cpu_watts_high": c.CPUWattsHi,
		"region": c.Region, "embedded": strings.Join(c.Embedded, ", "), "allowance": c.Allowance, "value": c.Value, "epsilon": c.Epsilon, "epsilon_min": c.EpsilonMin,
		"epsilon_decay": c.Decay, "stall_gain": c.StallGain, "queue_cap": c.QueueCap, "queue_floor": c.QueueFloor,
		"weight_queue": c.WeightQueue, "weight_energy": c.WeightJ, "weight_time": c.WeightTime, "weight_dollars": c.WeightUSD,
		"wikipedia": c.Wikipedia, "searxng_url": c.SearxngURL, "models": strings.Join(c.Models, ", "), "ollama_url": orNone(c.OllamaURL), "upload_mb": c.UploadMB,
		"log_level": c.LogLevel, "log_format": c.LogFormat,
	}
	var out []web.EnvInput
	for _, o := range options() {
		out = append(out, web.EnvInput{
			Key: o.key, Name: envName(o.key), Value: fmt.Sprint(values[o.key]), Help: o.usage, Source: c.From[o.key],
			Secret: o.key == "password" || o.key == "database_url",
		})
	}
	return out
}

// orNone is the address of an Ollama as a setting says it: empty is switched off.
func orNone(address string) string {
	if address == "" {
		return "none"
	}
	return address
}

// hide keeps of a secret only that there is one.
func hide(secret string) string {
	if secret == "" {
		return ""
	}
	return "•••"
}
