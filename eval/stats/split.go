package stats

import "hash/fnv"

// Splits of the items: what was tuned on, and what is reported.
const (
	Development = "development"
	Reported    = "reported"
)

// SplitOf is the half an item belongs to, by its name alone, so that it is the
// same on every machine and in every order: a quarter is for development.
func SplitOf(id string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	if h.Sum32()%4 == 0 {
		return Development
	}
	return Reported
}

// Steady reports whether a place in a stream counts for the steady state: it lies
// behind the share of the stream in which policies settle.
func Steady(position, length int, settling float64) bool {
	return float64(position) >= settling*float64(length)
}
