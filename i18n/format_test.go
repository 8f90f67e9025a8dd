package i18n

import (
	"math"
	"testing"
	"time"
)

func TestNumbers(t *testing.T) {
	t.Parallel()
	l := newTestBundle(t).Localizer("en")
	for _, tc := range []struct{ got, want string }{
		{l.Int(1234567), "1,234,567"},
		{l.Int(-1234), "−1,234"},
		{l.Number(0.5, 2), "0.50"},
		{l.Number(-0.001, 2), "0.00"},
		{l.Number(math.NaN(), 2), "–"},
		{l.Signed(0.25, 2), "+0.25"},
		{l.Signed(-0.25, 2), "−0.25"},
		{l.Signed(0.001, 2), "0.00"},
		{l.Short(0), "0"},
		{l.Short(1234.6), "1,235"},
		{l.Short(12.34), "12.3"},
		{l.Short(0.02346), "0.0235"},
		{l.Short(2.5), "2.5"},
		{l.Percent(0.4267, 1), "42.7%"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}

func TestEnergyAndMoney(t *testing.T) {
	t.Parallel()
	l := newTestBundle(t).Localizer("en")
	for _, tc := range []struct{ got, want string }{
		{l.Joules(0), "0 J"},
		{l.Joules(0.00042), "0.42 mJ"},
		{l.Joules(0.31), "0.31 J"},
		{l.Joules(58.46), "58.5 J"},
		{l.Joules(999.9), "1 kJ"},
		{l.Joules(1500), "1.5 kJ"},
		{l.Joules(3.6e6), "3.6 MJ"},
		{l.WattHours(1800), "0.5 Wh"},
		{l.WattHours(7.2e6), "2 kWh"},
		{l.WattHours(36), "10 mWh"},
		{l.JoulesRange(29.3, 117), "29.3–117 J"},
		{l.JoulesRange(0.0702, 0.281), "0.0702–0.281 J"},
		{l.JoulesRange(0.0113, 0.0452), "11.3–45.2 mJ"},
		{l.JoulesRange(0, 0.5), "0–0.5 J"},
		{l.JoulesRange(0, 0), "0–0 J"},
		{l.JoulesRange(0.05, 2000), "50 mJ – 2 kJ"},
		{l.JoulesRange(503, 2010), "0.503–2.01 kJ"},
		{l.Dollars(0), "$0.00"},
		{l.Dollars(0.05), "$0.05"},
		{l.Dollars(0.00123), "$0.0012"},
		{l.Dollars(0.0000004), "$0.00"},
		{l.Dollars(1234.5), "$1,234.50"},
		{l.Dollars(-2), "−$2.00"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}

func TestPairsAgreeInUnitAndDecimals(t *testing.T) {
	t.Parallel()
	b := newTestBundle(t)
	l := b.Localizer("en")
	joules := func(x, y float64) string { a, b := l.JoulesPair(x, y); return a + " against " + b }
	seconds := func(x, y float64) string { a, b := l.SecondsPair(x, y); return a + " against " + b }
	for _, tc := range []struct{ got, want string }{
		{joules(5, 0.2), "5.0 J against 0.2 J"},
		{joules(0.2, 5), "0.2 J against 5.0 J"},
		{joules(45.3, 12.1), "45 J against 12 J"},
		{joules(0.07, 0.9), "70 mJ against 900 mJ"},
		{joules(2, 2), "2 J against 2 J"},
		{joules(0, 3.14), "0.0 J against 3.1 J"},
		{joules(950, 3800), "0.95 kJ against 3.80 kJ"},
		{seconds(1.5, 0.25), "1.50 s against 0.25 s"},
		{seconds(0.004, 0.35), "4 ms against 350 ms"},
		{seconds(90, 5), "1 min 30 s against 5 s"},
		{seconds(math.NaN(), 5), "– against 5 s"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}

func TestShares(t *testing.T) {
	t.Parallel()
	l := newTestBundle(t).Localizer("ko")
	for share, want := range map[float64]string{0: "0%", 0.0004: "<1%", 0.0099: "<1%", 0.01: "1%", 0.5: "50%", 0.99: "99%", 0.997: ">99%", 1: "100%", 1.2: "120%"} {
		if got := l.Share(share); got != want {
			t.Errorf("%v: got %q, want %q", share, got, want)
		}
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	b := newTestBundle(t)
	en, ko := b.Localizer("en"), b.Localizer("ko")
	now := time.Date(2026, 11, 30, 15, 4, 5, 0, time.UTC)
	for _, tc := range []struct{ got, want string }{
		{en.Seconds(0), "0 s"},
		{en.Seconds(0.0042), "4.2 ms"},
		{en.Seconds(1.257), "1.26 s"},
		{en.Seconds(12.6), "13 s"},
		{en.Seconds(59.7), "1 min"},
		{en.Seconds(300), "5 min"},
		{en.Seconds(99), "1 min 39 s"},
		{en.Seconds(3725), "1 h 2 min"},
		{en.Seconds(math.Inf(1)), "–"},
		{en.Duration(90 * time.Second), "1 min 30 s"},
		{ko.Seconds(99), "1분 39초"},
		{en.Date(now), "30 Nov 2026"},
		{ko.Date(now), "2026년 11월 30일"},
		{en.DateTime(now), "30 Nov 2026, 15:04"},
		{ko.Day(now), "11월 30일"},
		{en.Ago(now.Add(-time.Second), now), "just now"},
		{en.Ago(now.Add(-40*time.Second), now), "40 seconds ago"},
		{en.Ago(now.Add(-26*time.Hour), now), "1 day ago"},
		{en.Ago(now.AddDate(0, 0, -20), now), "10 Nov 2026"},
		{ko.Ago(now.Add(-2*time.Hour), now), "2시간 전"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}

func BenchmarkPlainText(b *testing.B) {
	bundle, err := New()
	if err != nil {
		b.Fatal(err)
	}
	l := bundle.Localizer("ko")
	for b.Loop() {
		l.T("unit.joules")
	}
}

func BenchmarkTextWithValues(b *testing.B) {
	bundle, err := New()
	if err != nil {
		b.Fatal(err)
	}
	l := bundle.Localizer("ko")
	for b.Loop() {
		l.T("gauge.of", "Spent", "1 J", "Limit", "2 J")
	}
}
