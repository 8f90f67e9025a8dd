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

// Joules writes an energy with the unit that keeps it readable: mJ, J, kJ, MJ.
func (l *Localizer) Joules(j float64) string {
	switch a := math.Abs(j); {
	case a == 0:
		return "0 J"
	case a < 0.0995:
		return l.Short(j*1e3) + " mJ"
	case a < 999.5:
		return l.Short(j) + " J"
	case a < 999.5e3:
		return l.Short(j/1e3) + " kJ"
	default:
		return l.Short(j/1e6) + " MJ"
	}
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

// JoulesRange writes a low–high range in one unit.
func (l *Localizer) JoulesRange(low, high float64) string {
	a, b := l.Joules(low), l.Joules(high)
	number, unit, _ := strings.Cut(a, " ")
	if strings.HasSuffix(b, " "+unit) {
		return number + "–" + b
	}
	return a + " – " + b
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
