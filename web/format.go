package web

import (
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web/say"
)

// T is the page's text of a key; args are pairs of a name and a value.
func (p Page) T(key string, args ...any) string { return p.L.T(key, args...) }

// joules writes an optional amount; unknown is never 0.
func (p Page) joules(m *research.Micro) string {
	return say.Joules(p.L, m)
}

func (p Page) dollars(m *research.Micro) string {
	return say.Dollars(p.L, m)
}

// energy is a joule figure with its range and how it came about.
func (p Page) energy(e research.Energy, m Meter) Amount {
	if e.Joules == nil {
		return Amount{Text: p.T("unknown"), Method: p.T("method.unknown")}
	}
	a := Amount{Text: p.L.Joules(e.Joules.Units()), Method: p.method(e.Method, m), Known: true}
	if e.Low != nil && e.High != nil && *e.Low != *e.High {
		a.Range = p.L.JoulesRange(e.Low.Units(), e.High.Units())
	}
	return a
}

// sum is energy for a total. A total of nothing but unknown steps is unknown.
func (p Page) sum(joules, low, high research.Micro, method string, unknown int, m Meter) Amount {
	if method == "" && unknown > 0 {
		return p.energy(research.Energy{}, m)
	}
	return p.energy(research.Energy{Joules: &joules, Low: &low, High: &high, Method: method}, m)
}

func (p Page) total(t research.Totals, m Meter) Amount {
	return p.sum(t.Joules, t.Low, t.High, t.Method, t.UnknownSteps, m)
}

// notInSum says how many steps a sum lacks, "" for none.
func (p Page) notInSum(unknown, unpriced int) string {
	var out []string
	if unknown > 0 {
		out = append(out, p.L.N("run.unknown_steps", unknown))
	}
	if unpriced > 0 {
		out = append(out, p.L.N("run.unpriced_steps", unpriced))
	}
	return strings.Join(out, " ")
}

func (p Page) money(m *research.Micro) Amount {
	return Amount{Text: p.dollars(m), Known: m != nil}
}

// method says in words how a joule figure came about.
func (p Page) method(method string, m Meter) string {
	if method == "" {
		return ""
	}
	key := "method." + strings.ReplaceAll(method, ":", "_")
	return p.L.Or(key, method, "Watts", p.L.Short(m.Watts), "Low", p.L.Short(m.Low), "High", p.L.Short(m.High))
}

// time puts a moment into the reader's zone.
func (p Page) time(t time.Time) time.Time {
	if p.Zone == nil {
		return t.UTC()
	}
	return t.In(p.Zone)
}

func (p Page) stamp(t time.Time) string {
	s := p.L.DateTime(p.time(t))
	if p.Zone == nil {
		s += " UTC"
	}
	return s
}

func (p Page) ago(t time.Time) string { return p.L.Ago(p.time(t), p.time(p.Now)) }

func (p Page) tier(t research.Tier) TierMark {
	if t == "" {
		return TierMark{Class: "none", Label: "–"}
	}
	return TierMark{Class: word(string(t)), Label: p.L.Or("tier."+string(t), string(t))}
}

func (p Page) status(s research.Status) StatusMark {
	return StatusMark{Class: word(string(s)), Label: p.L.Or("status."+string(s), string(s)), Live: !s.Final()}
}

func (p Page) role(r research.Role) string       { return p.L.Or("role."+string(r), string(r)) }
func (p Page) depth(d research.Depth) string     { return p.L.Or("depth."+string(d), string(d)) }
func (p Page) policy(x research.Policy) string   { return p.L.Or("policy."+string(x), string(x)) }
func (p Page) language(lang string) string       { return p.L.Or("language."+lang, lang) }
func (p Page) outcome(o research.Outcome) string { return p.L.Or("outcome."+string(o), string(o)) }

func (p Page) verdict(v research.Verdict) string {
	if v == research.Unreviewed {
		return p.T("verdict.unreviewed")
	}
	return p.L.Or("verdict."+string(v), string(v))
}

func verdictClass(v research.Verdict) string {
	if v == research.Unreviewed {
		return "unreviewed"
	}
	return word(string(v))
}

// word makes a class name of a code that may come from stored data.
func word(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return -1
	}, strings.ToLower(s))
}

// safeURL is the address when a browser may open it: http and https only.
func safeURL(s string) templ.SafeURL {
	low := strings.ToLower(strings.TrimSpace(s))
	if strings.HasPrefix(low, "http://") || strings.HasPrefix(low, "https://") {
		return templ.SafeURL(s)
	}
	return ""
}

// shownURL is the address as people read it: no scheme, not endless.
func shownURL(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://")
	s = strings.TrimSuffix(strings.TrimPrefix(s, "library:"), "/")
	return shorten(s, 90)
}

func shorten(s string, limit int) string {
	r := []rune(s)
	if len(r) <= limit {
		return s
	}
	return string(r[:limit-1]) + "…"
}

// plain writes an amount as forms want it: no grouping, point as decimal.
func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func plainMicro(m *research.Micro) string {
	if m == nil {
		return ""
	}
	return m.String()
}

func plainSeconds(s *float64) string {
	if s == nil {
		return ""
	}
	return plain(*s)
}

func title(s research.Source) string {
	if t := strings.TrimSpace(s.Title); t != "" {
		return t
	}
	return shownURL(s.URL)
}
