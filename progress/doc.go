// Package progress owns the multi-view progress score of a run (eq. 2 of the
// method) and the expected gain of a step. It is pure computation over what is
// handed in and must not know storage, HTTP, models or the router.
//
// Only milestones and regimes differ between domains (type Domain); trend,
// state quality and the weights are the same everywhere.
package progress
