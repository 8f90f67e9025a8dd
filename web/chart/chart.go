// Package chart draws small SVG charts from plain series: pages, live fragments
// and exports share them. It must not know runs, pages or locales: callers pass
// finished labels. Drawings carry no style attributes; classes give the colours.
package chart

import (
	"context"
	"io"
)

// Drawing is a finished SVG element. It renders as a templ component.
type Drawing string

// Render writes the SVG.
func (d Drawing) Render(_ context.Context, w io.Writer) error {
	_, err := io.WriteString(w, string(d))
	return err
}
