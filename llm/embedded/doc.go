// Package embedded is the engine that stands in for language models when none
// is configured. It plans, searches, reads, writes and reviews by ranking and
// quoting: every sentence of a report is a sentence of a source. It owns the
// three models embedded/small, embedded/medium and embedded/large and what a
// step with them costs. It must not know where documents come from, how they
// are stored or how a report is rendered.
package embedded
