// Package rank orders passages and sentences by how well they answer a
// question. It has three levels of rising cost: Lexical (words, fields,
// positions, pages), Rerank (a small transformer over the best few) and Deep
// (the same over many). It knows nothing of where passages come from, of
// storage or of runs; the vectors come from an encoder handed in.
package rank
