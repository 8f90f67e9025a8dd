// Package encoder turns text into vectors without a network, a GPU or cgo: a
// BERT word-piece tokenizer, a small sentence transformer (all-MiniLM-L6-v2,
// int8 weights embedded in the binary) and a static table distilled from it.
//
// The package owns the weights, the arithmetic and a cache of vectors. It must
// not know what the vectors are for, where texts come from or how CPU time is
// accounted: it runs on a worker pool handed in.
//
// Nothing is decoded before its first use. From then on the vocabulary takes
// about 3 MB, the transformer's layers 42 MB as float32, a work area per
// thread 4 MB and a full cache 13 MB; the static table and the word table are
// read out of the binary. Kernels for AVX-512 and AVX2 are chosen at run time,
// plain Go serves every other processor, many times slower
// (go test -bench . ./encoder tells how fast). GODEBUG=cpu.avx512f=off or
// cpu.avx2=off forces the simpler ones. Vectors differ between kernels in the
// sixth digit, never from run to run on one machine.
package encoder
