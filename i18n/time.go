package i18n

import (
	"math"
	"time"
)

// Seconds writes a length of time given in seconds.
func (l *Localizer) Seconds(s float64) string {
	if s >= 9.95 {
		s = math.Round(s)
	}
	switch {
	case math.IsNaN(s) || math.IsInf(s, 0):
		return "–"
	case s == 0:
		return l.T("unit.seconds", "N", "0")
	case s < 0.0095:
		return l.T("unit.milliseconds", "N", l.Short(s*1e3))
	case s < 10:
		return l.T("unit.seconds", "N", l.Short(math.Round(s*100)/100))
	case s < 60:
		return l.T("unit.seconds", "N", l.Number(s, 0))
	case s < 3600 && int(s)%60 == 0:
		return l.T("unit.minutes", "M", l.Int(int(s)/60))
	case s < 3600:
		return l.T("unit.minutes_seconds", "M", l.Int(int(s)/60), "S", l.Int(int(s)%60))
	default:
		return l.T("unit.hours_minutes", "H", l.Int(int(s)/3600), "M", l.Int(int(s)%3600/60))
	}
}

// SecondsPair writes two lengths of time to be compared: below a minute in one
// unit and with the same decimals.
func (l *Localizer) SecondsPair(a, b float64) (string, string) {
	low, high := math.Min(a, b), math.Max(a, b)
	key, scale := "unit.seconds", 1.0
	switch {
	case math.IsNaN(a+b) || low < 0 || high >= 59.5:
		return l.Seconds(a), l.Seconds(b)
	case low < 0.0095 && high < 0.9995:
		key, scale = "unit.milliseconds", 1e3
	}
	x, y := l.Pair(a*scale, b*scale)
	return l.T(key, "N", x), l.T(key, "N", y)
}

// Duration is Seconds for a time.Duration.
func (l *Localizer) Duration(d time.Duration) string { return l.Seconds(d.Seconds()) }

// Date writes the day.
func (l *Localizer) Date(t time.Time) string { return t.Format(l.T("format.date")) }

// Day writes the day without its year, for axes and tight lists.
func (l *Localizer) Day(t time.Time) string { return t.Format(l.T("format.day")) }

// DateTime writes day and time to the minute.
func (l *Localizer) DateTime(t time.Time) string { return t.Format(l.T("format.datetime")) }

// Clock writes the time of day to the second.
func (l *Localizer) Clock(t time.Time) string { return t.Format("15:04:05") }

// Ago says how long before now something was: "3 minutes ago". Past a week it
// writes the date.
func (l *Localizer) Ago(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case d < 5*time.Second:
		return l.T("ago.now")
	case d < time.Minute:
		return l.N("ago.seconds", int(d.Seconds()))
	case d < time.Hour:
		return l.N("ago.minutes", int(d.Minutes()))
	case d < 24*time.Hour:
		return l.N("ago.hours", int(d.Hours()))
	case d < 7*24*time.Hour:
		return l.N("ago.days", int(d.Hours()/24))
	default:
		return l.Date(t)
	}
}
