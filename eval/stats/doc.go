// Package stats holds the statistics and drawings that every bench of policies
// shares: intervals, hulls in the plane of quality over cost, the figures routers
// are compared by, and the picture of the front. It is pure computation over
// numbers and labels and must not know policies, suites, models or runs.
package stats
