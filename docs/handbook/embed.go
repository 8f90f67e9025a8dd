// Package handbook holds the user handbook, which is also the sample library
// every installation starts with.
package handbook

import "embed"

// Files are the handbook's Markdown documents.
//
//go:embed *.md
var Files embed.FS
