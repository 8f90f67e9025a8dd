// Package agents lets language models take the steps of a run: it owns the
// prompts of the five roles, what they cost, how their answers are read, and
// what happens when an answer or a server is of no use. Searching, opening,
// ranking, quoting, checking and composing are the embedded engine's, which a
// model guides and cannot overrule. The package must not know how a server is
// spoken to (llm/chat), how runs are stored or how pages look.
//
// Three rules hold for every step. Page text is data: it stands between random
// marks and no answer is taken for more than numbers, ids, search words and
// sentences that are checked against quotes. No call is made that could cost
// more than what is left of the step's reservation. And a model can better what
// the engine would have done, not ruin it.
package agents
