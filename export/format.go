package export

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/progrouter/progrouter/research"
)

// stamp writes a time for people who may be anywhere: UTC, to the minute.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// amount writes an optional amount with about three significant digits; unknown
// says so and is never zero.
func amount(m *research.Micro, w words) string {
	if m == nil {
		return w.Unknown
	}
	return number(m.Units())
}

// number keeps three significant digits below 1000 and groups thousands above.
func number(f float64) string {
	abs := math.Abs(f)
	switch {
	case abs == 0:
		return "0"
	case abs >= 1000:
		return grouped(strconv.FormatFloat(f, 'f', 0, 64))
	case abs >= 100:
		return strconv.FormatFloat(f, 'f', 0, 64)
	case abs >= 10:
		return strconv.FormatFloat(f, 'f', 1, 64)
	case abs >= 1:
		return strconv.FormatFloat(f, 'f', 2, 64)
	}
	digits := min(6, 2-int(math.Floor(math.Log10(abs))))
	return strconv.FormatFloat(f, 'f', digits, 64)
}

func grouped(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	var b strings.Builder
	for i, r := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return sign + b.String()
}
