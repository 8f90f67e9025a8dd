package parse

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

func number(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

// Texts reads a list of texts: of a list, its texts and those in its objects
// under one of the keys; of a text, its lines.
func Texts(v any, keys ...string) []string {
	var out []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	switch v := v.(type) {
	case string:
		for line := range strings.Lines(v) {
			add(Unlisted(line))
		}
	case []any:
		for _, x := range v {
			switch x := x.(type) {
			case string:
				add(x)
			case map[string]any:
				add(Text(x, keys...))
			}
		}
	}
	return out
}

// Text is the first text under one of the keys.
func Text(m map[string]any, keys ...string) string {
	for _, k := range keys {
		if s, ok := m[k].(string); ok && strings.TrimSpace(s) != "" {
			return strings.TrimSpace(s)
		}
	}
	return ""
}

// First is what stands under the first of the keys that is there.
func First(m map[string]any, keys ...string) any {
	for _, k := range keys {
		if v, ok := m[k]; ok {
			return v
		}
	}
	return nil
}

var reInteger = regexp.MustCompile(`\d+`)

// Integers reads whole numbers wherever they stand: in lists, in texts ("[3]",
// "3 and 7"), in objects under any key.
func Integers(v any) []int {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e6 {
			return []int{int(v)}
		}
	case string:
		var out []int
		for _, d := range reInteger.FindAllString(v, -1) {
			if n, err := strconv.Atoi(d); err == nil && n < 1e6 {
				out = append(out, n)
			}
		}
		return out
	case []any:
		var out []int
		for _, x := range v {
			out = append(out, Integers(x)...)
		}
		return out
	case map[string]any:
		return Integers(First(v, "id", "number", "n", "index", "claim"))
	}
	return nil
}

var reListed = regexp.MustCompile(`^\s*(?:[-*•–]|\(?\d{1,2}[.):]|[a-zA-Z][.)])\s+`)

// Unlisted is a line without the bullet or number in front.
func Unlisted(line string) string {
	return strings.TrimSpace(reListed.ReplaceAllString(line, ""))
}
