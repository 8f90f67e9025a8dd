package web

import (
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web/say"
)

// NewSettingsView builds the settings page.
func NewSettingsView(p Page, in SettingsInput) SettingsView {
	v := SettingsView{
		Page: p.titled(p.T("settings.title")),
		Server: []Fact{
			{p.T("settings.version"), in.Version}, {p.T("settings.address"), in.Address},
			{p.T("settings.data"), in.Data}, {p.T("settings.database"), in.Database},
			{p.T("settings.password"), p.yes(in.Password)},
			{p.T("settings.allowed"), p.T("settings.none")},
		},
		MeterNote: p.T("settings.watts", "Watts", p.L.Short(in.Meter.Watts), "Low", p.L.Short(in.Meter.Low), "High", p.L.Short(in.Meter.High)),
		Router: []Fact{
			{p.T("settings.runs_at_once"), p.L.Int(in.RunsAtOnce)},
			{p.T("settings.allowance"), p.L.Joules(in.AllowanceJoules)},
			{p.T("settings.policy"), p.policy(research.ProgRouter)},
		},
	}
	if len(in.Allowed) > 0 {
		v.Server[5].Value = strings.Join(in.Allowed, ", ")
	}
	v.Connected = newModelsView(v.Page, in)
	for _, x := range in.Providers {
		v.Providers = append(v.Providers, p.state(say.Provider(p.L, x.Name), x.State, x.Detail))
	}
	for _, x := range in.Meters {
		v.Meters = append(v.Meters, p.state(p.L.Or("meter."+x.Name, x.Name), x.State, x.Detail))
	}
	for _, e := range in.Environment {
		v.Env = append(v.Env, p.setting(e))
	}
	for _, d := range research.Depths() {
		m, b := research.LimitsFor(d), research.DefaultBudget(d, in.languageModel())
		v.Depths = append(v.Depths, DepthLine{
			Name: p.depth(d), Subquestions: p.L.Int(m.Subquestions), Sources: p.L.Int(m.Sources), Evidence: p.L.Int(m.Evidence),
			Rounds: p.L.Int(m.ReviewRounds), Steps: p.L.Int(m.Steps),
			Joules: p.joules(b.Joules), Dollars: p.dollars(b.Dollars), Seconds: p.L.Seconds(*b.Seconds),
		})
	}
	return v
}

func (p Page) state(name, state string, detail research.Note) StateLine {
	text := detail.Text
	if key := "detail." + detail.Code; detail.Code != "" && p.L.Has(key) {
		text = p.L.Map(key, say.Args(p.L, detail.Args))
	}
	return StateLine{Name: name, Class: word(state), State: p.L.Or("state."+state, state), Detail: text}
}

// setting is a configuration value with what it means and who set it.
func (p Page) setting(e EnvInput) EnvLine {
	l := EnvLine{
		Name: e.Name, Value: e.Value, Help: p.L.Or("setting."+e.Key, e.Help),
		Source: p.L.Or("settings.source."+e.Source, e.Source), Default: e.Source == "default",
	}
	switch {
	case e.Value == "":
		l.Value, l.Word = p.T("detail.unset"), true
	case e.Secret:
		l.Value, l.Word = p.T("detail.hidden"), true
	}
	return l
}

func (p Page) yes(b bool) string {
	if b {
		return p.T("settings.yes")
	}
	return p.T("settings.no")
}
