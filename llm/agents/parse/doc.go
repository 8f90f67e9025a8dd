// Package parse reads what language models answer: it splits thought from
// answer, finds JSON in whatever stands around it and mends what is broken, and
// recognises answers that are none (refusals, calls of tools, template tokens,
// loops, another language). It owns no prompts and must not know roles, calls or
// runs. It never panics, whatever a model writes.
package parse
