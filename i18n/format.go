package i18n

import (
	"math"
	"strconv"
	"strings"
)

// form is how a language writes numbers and units.
type form struct {
	group, decimal string
	percent        string // between number and sign
}

func formOf(lang string) form {
	switch lang {
	default: // English, Korean, Japanese and Chinese agree
		return form{group: ",", decimal: ".", percent: ""}
	}
}

// Int writes a whole number with grouped digits.
func (l *Localizer) Int(n int) string { return l.Number(float64(n), 0) }

// Number writes a number with grouped digits and a fixed count of decimals.
func (l *Localizer) Number(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	s := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	whole, frac, _ := strings.Cut(s, ".")
	var b strings.Builder
	if v < 0 && strings.Trim(s, "0.") != "" {
		b.WriteString("−")
	}
	for i, r := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteString(l.form.group)
		}
		b.WriteRune(r)
	}
	if frac != "" {
		b.WriteString(l.form.decimal + frac)
	}
	return b.String()
}

// Signed is Number with a sign in front, for the terms of a score.
func (l *Localizer) Signed(v float64, decimals int) string {
	s := l.Number(v, decimals)
	if v > 0 && strings.Trim(s, "0.,") != "" {
		return "+" + s
	}
	return s
}

// Short writes a number with about three significant digits and no trailing
// zeros, for axes and amounts.
func (l *Localizer) Short(v float64) string {
	decimals := 0
	switch a := math.Abs(v); {
	case a == 0 || a >= 99.95:
	case a >= 9.995:
		decimals = 1
	case a >= 0.995:
		decimals = 2
	default:
		decimals = min(2-int(math.Floor(math.Log10(a))), 9)
	}
	s := l.Number(v, decimals)
	if strings.Contains(s, l.form.decimal) {
		s = strings.TrimRight(strings.TrimRight(s, "0"), l.form.decimal)
	}
	return s
}

// Percent writes a share (0.42) as a percentage with the given decimals.
func (l *Localizer) Percent(share float64, decimals int) string {
	return l.Number(share*100, decimals) + l.form.percent + "%"
}

// Share writes a part of a whole as a percentage. A little is not nothing, and
// nearly all is not all.
func (l *Localizer) Share(share float64) string {
	switch {
	case share > 0 && share < 0.01:
		return "<" + l.Percent(0.01, 0)
	case share > 0.99 && share < 1:
		return ">" + l.Percent(0.99, 0)
	}
	return l.Percent(share, 0)
}

// unit is a unit of energy and how many joules it has.
type unit struct {
	size float64
	name string
}

// jouleUnit keeps an energy readable: mJ, J, kJ, MJ.
func jouleUnit(j float64) unit {
	switch a := math.Abs(j); {
	case a > 0 && a < 0.0995:
		return unit{1e-3, "mJ"}
	case a < 999.5:
		return unit{1, "J"}
	case a < 999.5e3:
		return unit{1e3, "kJ"}
	}
	return unit{1e6, "MJ"}
}

// sharedUnit suits two energies: the smaller one's, unless that makes the larger
// one long.
func sharedUnit(a, b float64) unit {
	low, high := math.Min(math.Abs(a), math.Abs(b)), math.Max(math.Abs(a), math.Abs(b))
	if u := jouleUnit(low); low > 0 && high/u.size < 999.5 {
		return u
	}
	return jouleUnit(high)
}

// Joules writes an energy with the unit that keeps it readable: mJ, J, kJ, MJ.
func (l *Localizer) Joules(j float64) string {
	u := jouleUnit(j)
	return l.Short(j/u.size) + " " + u.name
}

// WattHours writes joules as Wh, the unit that electricity bills use
// (1 Wh = 3,600 J).
func (l *Localizer) WattHours(j float64) string {
	wh := j / 3600
	switch a := math.Abs(wh); {
	case a == 0:
		return "0 Wh"
	case a < 0.0995:
		return l.Short(wh*1e3) + " mWh"
	case a < 999.5:
		return l.Short(wh) + " Wh"
	default:
		return l.Short(wh/1e3) + " kWh"
	}
}

// JoulesRange writes a low–high range in one unit, that of the value between
// them, unless they are worlds apart.
func (l *Localizer) JoulesRange(low, high float64) string {
	u := jouleUnit(high)
	if low > 0 {
		u = jouleUnit(math.Sqrt(low * high))
	}
	if low > 0 && high > 1000*low {
		return l.Joules(low) + " – " + l.Joules(high)
	}
	return l.Short(low/u.size) + "–" + l.Short(high/u.size) + " " + u.name
}

// JoulesPair writes two energies to be compared: in one unit and with the same
// decimals.
func (l *Localizer) JoulesPair(a, b float64) (string, string) {
	u := sharedUnit(a, b)
	x, y := l.Pair(a/u.size, b/u.size)
	return x + " " + u.name, y + " " + u.name
}

// Pair writes two numbers to be compared with the same decimals, enough of them
// for two digits of the smaller one.
func (l *Localizer) Pair(a, b float64) (string, string) {
	low := math.Min(math.Abs(a), math.Abs(b))
	if low == 0 {
		low = math.Max(math.Abs(a), math.Abs(b))
	}
	decimals := 0
	if low > 0 {
		decimals = min(max(0, 1-int(math.Floor(math.Log10(low)))), 4)
	}
	x, y := l.Number(a, decimals), l.Number(b, decimals)
	for decimals > 0 && strings.HasSuffix(x, "0") && strings.HasSuffix(y, "0") {
		decimals--
		x, y = l.Number(a, decimals), l.Number(b, decimals)
	}
	return x, y
}

// Dollars writes US dollars; small amounts keep enough decimals to be seen.
func (l *Localizer) Dollars(d float64) string {
	decimals := 2
	if a := math.Abs(d); a > 0 && a < 0.995 {
		decimals = min(max(2, 1-int(math.Floor(math.Log10(a)))), 6)
	}
	s := l.Number(math.Abs(d), decimals)
	for decimals > 2 && strings.HasSuffix(s, "0") {
		s, decimals = s[:len(s)-1], decimals-1
	}
	if d < 0 {
		return "−$" + s
	}
	return "$" + s
}
