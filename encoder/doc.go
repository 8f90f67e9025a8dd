// Package encoder turns text into vectors without a network, a GPU or cgo: a
// BERT word-piece tokenizer, a small sentence transformer (all-MiniLM-L6-v2,
// int8 weights embedded in the binary) and a static table distilled from it.
//
// The package owns the weights, the arithmetic and a cache of vectors. It must
// not know what the vectors are for, where texts come from or how CPU time is
// accounted: it runs on a worker pool handed in.
package encoder
