package research

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Micro is an amount in millionths of its unit (joules or dollars), kept as an
// integer so that sums are exact: steps = run = dashboard. A nil *Micro means
// "unknown" and is never the same as zero.
type Micro int64

// MicroPerUnit is how many Micro make one joule or one dollar.
const MicroPerUnit = 1_000_000

// ToMicro rounds a value in whole units to the nearest millionth. Values that
// do not fit are clamped to the largest amount that does.
func ToMicro(units float64) Micro {
	v := math.Round(units * MicroPerUnit)
	switch {
	case math.IsNaN(v):
		return 0
	case v >= math.MaxInt64:
		return math.MaxInt64
	case v <= math.MinInt64:
		return math.MinInt64
	}
	return Micro(v)
}

// Known returns a pointer to m, for the optional fields of the domain types.
func Known(m Micro) *Micro { return &m }

// Units converts to joules or dollars. Use it for display and for scores, not
// for sums.
func (m Micro) Units() float64 { return float64(m) / MicroPerUnit }

// String writes the amount as an exact decimal without trailing zeros.
func (m Micro) String() string {
	sign, v := "", int64(m)
	if v < 0 {
		sign = "-"
	}
	whole, frac := v/MicroPerUnit, v%MicroPerUnit
	if whole < 0 {
		whole = -whole
	}
	if frac < 0 {
		frac = -frac
	}
	if frac == 0 {
		return sign + strconv.FormatInt(whole, 10)
	}
	return sign + strconv.FormatInt(whole, 10) + "." + strings.TrimRight(fmt.Sprintf("%06d", frac), "0")
}

// MarshalJSON writes the amount as an exact JSON number in whole units.
func (m Micro) MarshalJSON() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalJSON reads a JSON number in whole units.
func (m *Micro) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return fmt.Errorf("amount %q is not a number", b)
	}
	*m = ToMicro(f)
	return nil
}

// Add returns the sum of two amounts that may be unknown: unknown when either
// is. Callers that total many steps count the unknown ones beside the sum
// instead (see Totals).
func Add(a, b *Micro) *Micro {
	if a == nil || b == nil {
		return nil
	}
	return Known(*a + *b)
}

// OrZero reads an amount for comparison where unknown has been dealt with.
func OrZero(m *Micro) Micro {
	if m == nil {
		return 0
	}
	return *m
}
