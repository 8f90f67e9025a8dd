// Package records keeps recorded attempts on tasks with a checkable answer and
// plays them again as a world. A file of records is JSON Lines, one attempt a
// line, compressed with gzip where its name ends in .gz. It must not know
// models, verifiers, task files or policies: whoever records gives it finished
// attempts, and whoever plays gives it the words of the tasks.
package records
