// Package energy owns the meters: CPU time of the work itself, charged to an
// account by part, and its translation into labelled joules (CPU time × watts,
// or the RAPL counter where it can be read and moves). It imports only the
// domain words and must not know runs, steps, storage or models.
//
// A goroutine reads its CPU time right only while it is locked to its thread,
// and work it fans out to others is not in that reading. So whatever fans out
// goes through a Pool of locked workers that each meter their own chunk, and
// single functions go through Do.
package energy
