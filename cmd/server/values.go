package main

import (
	"fmt"
	"math"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/knadh/koanf/v2"

	"github.com/progrouter/progrouter/research"
)

// checkValues tells which setting has a value of the wrong kind, where it was
// set and what is expected there.
func checkValues(k *koanf.Koanf, from map[string]string) error {
	for _, o := range options() {
		v, ok := k.Get(o.key), true
		expected := ""
		switch o.value.(type) {
		case int:
			ok, expected = isWhole(v), fmt.Sprintf("a whole number, for example %v", o.value)
		case float64:
			ok, expected = isNumber(v), fmt.Sprintf("a number, for example %v", example(o))
		case bool:
			ok, expected = isBool(v), "true or false"
		case string:
			ok, expected = isPlain(v), "a single value"
		case []string:
			ok, expected = isList(v), "a list of words"
		}
		if !ok {
			shown := fmt.Sprintf("%q", fmt.Sprint(v))
			if o.key == "password" || o.key == "database_url" {
				shown = "not usable" // a secret is not printed
			}
			return research.Errorf(research.EInvalid, "config", "%s is %s; expected is %s.", settingName(o.key, from[o.key]), shown, expected)
		}
	}
	return nil
}

// example is a number to show for a setting whose default may be 0.
func example(o option) any {
	if o.value == 0.0 {
		return 5
	}
	return o.value
}

// settingName is a setting as it is written where it was set.
func settingName(key, from string) string {
	switch from {
	case "environment":
		return envName(key)
	case "flag":
		return "--" + flagName(key)
	}
	return key
}

func isWhole(v any) bool {
	switch v := v.(type) {
	case int, int64, uint64:
		return true
	case float64:
		return v == math.Trunc(v) && math.Abs(v) < 1e9
	case string:
		_, err := strconv.Atoi(v)
		return err == nil
	}
	return false
}

func isNumber(v any) bool {
	switch v := v.(type) {
	case int, int64, uint64, float64:
		return true
	case string:
		n, err := strconv.ParseFloat(v, 64)
		return err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
	}
	return false
}

func isBool(v any) bool {
	switch v := v.(type) {
	case bool:
		return true
	case string:
		_, err := strconv.ParseBool(v)
		return err == nil
	}
	return false
}

func isPlain(v any) bool {
	switch v.(type) {
	case string, bool, int, int64, uint64, float64:
		return true
	}
	return false
}

func isList(v any) bool {
	switch v := v.(type) {
	case string, []string:
		return true
	case []any:
		for _, x := range v {
			if !isPlain(x) {
				return false
			}
		}
		return true
	}
	return false
}

// strayVariables warns of variables of the environment that look like a setting
// but are none. Others are left alone: they may belong to something else.
func strayVariables(environ []string) []string {
	var out []string
	for _, e := range environ {
		name, _, _ := strings.Cut(e, "=")
		key, ours := strings.CutPrefix(name, envPrefix)
		if !ours || key == "" || key == "EVAL_DATA" || strings.HasPrefix(key, "TEST_") || known(strings.ToLower(key)) {
			continue
		}
		best, at := "", 1+max(1, len(key)/4)
		for _, o := range options() {
			if d := distance(strings.ToLower(key), o.key); d < at {
				best, at = o.key, d
			}
		}
		if best != "" {
			out = append(out, fmt.Sprintf("%s is not a setting and has no effect; did you mean %s?", name, envName(best)))
		}
	}
	return out
}

// distance is the number of letters to add, drop, change or swap with their
// neighbour to get from one word to the other.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// reachable is an address to open in a browser on this machine: where every
// address is listened on, the loopback one.
func reachable(addr net.Addr) string {
	p, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return "http://" + addr.String()
	}
	if p.Addr().IsUnspecified() {
		p = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), p.Port())
	}
	return "http://" + netip.AddrPortFrom(p.Addr().Unmap(), p.Port()).String()
}
