// Package store owns everything that outlives a process: runs and their
// ledgers, source snapshots, the work queue, the event stream, what the router
// remembers, the library's full-text index and the settings. It speaks the
// types of package research; its rows are private. It must not know HTTP, HTML
// or models.
//
// Two databases serve it with the same code: SQLite in the data folder, and
// Postgres. Times are stored as Unix microseconds and joules and dollars as
// integer millionths, so sums made by the database are exact.
package store
