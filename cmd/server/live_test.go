package main

import (
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func TestLiveBoard(t *testing.T) {
	t.Parallel()
	b := newLiveBoard()
	poked, stop := b.SubscribeLive("a")
	expect := func(want bool) {
		t.Helper()
		select {
		case <-poked:
			if !want {
				t.Error("poked without a change of this run")
			}
		default:
			if want {
				t.Error("not poked")
			}
		}
	}
	b.Update("b", research.Live{Text: "other"})
	expect(false)
	b.Update("a", research.Live{Step: 1, Text: "one"})
	b.Update("a", research.Live{Step: 1, Text: " two", Append: true})
	expect(true)
	expect(false) // two changes melt into one
	if got := b.Live("a").Text; got != "one two" {
		t.Errorf("text %q", got)
	}
	b.Update("a", research.Live{Step: 2, Text: "next", Append: true})
	if got := b.Live("a").Text; got != "next" {
		t.Errorf("a new step went on with the text of the last: %q", got)
	}
	b.Update("a", research.Live{Step: 2, Text: strings.Repeat("x", 2*liveText) + "end", Append: true})
	if got := b.Live("a").Text; len(got) != liveText || !strings.HasSuffix(got, "end") {
		t.Errorf("%d bytes kept", len(got))
	}
	b.Update("a", research.Live{})
	if got := b.Live("a"); got.Text != "" {
		t.Errorf("not cleared: %+v", got)
	}
	stop()
	expect(true)
	b.Update("a", research.Live{Text: "after"})
	expect(false)
	if len(b.subs) != 0 {
		t.Error("a subscription is left behind")
	}
}
