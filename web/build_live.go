package web

import (
	"time"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web/say"
)

// LiveView is what a step in flight is doing: why it waits, and the end of what
// its model has written so far.
type LiveView struct {
	Page
	Wait  string
	Until time.Time // zero: no end known
	Left  string
	Text  string
}

// NewLiveView builds the live part of the run page.
func NewLiveView(p Page, l research.Live) LiveView {
	v := LiveView{Page: p, Text: readable(l.Text)}
	if l.Wait != nil {
		v.Wait, v.Until = say.Note(p.L, *l.Wait), l.Until
		v.Left = p.L.Duration(max(0, l.Until.Sub(p.Now)))
	}
	return v
}
