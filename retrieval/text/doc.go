// Package text turns documents into words, sentences and passages. It is pure
// computation on strings: it knows nothing of indexes, ranking, models or
// storage. All offsets it hands out count Unicode code points, so that they can
// be stored beside a snapshot and checked by any program.
package text
