// Package llm owns the models that take the steps of a run and the registry
// that finds them by name. It must not know the store, HTTP or pages, and
// reaches searching, reading and ranking through interfaces.
package llm
