// Package pdf reads the text of PDF files with PDFium compiled to WebAssembly:
// no C compiler, no process outside. The engine starts at the first file, is
// used by one file at a time and is let go after a while without work.
//
// It owns the engine's life, the limits on pages and time, and putting lines
// back together to paragraphs. It must not know where files come from or what
// becomes of their text.
package pdf
