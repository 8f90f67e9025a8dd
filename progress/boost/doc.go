// Package boost owns gradient-boosted regression trees: squared loss, splits
// over quantile bins, leaves shrunken towards nothing. Everything it does is
// determined by its input and a seed. It must not know what the columns mean.
package boost
