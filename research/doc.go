// Package research holds the words the whole program speaks: runs, steps,
// decisions, sources, evidence, claims and budgets. It imports only the
// standard library and must not know storage, HTTP, models or pages.
package research
