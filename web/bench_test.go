package web_test

import (
	"io"
	"testing"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/web"
	"github.com/progrouter/progrouter/web/internal/fixture"
)

// A deep run has up to 60 steps, each with its decision card.
func BenchmarkRunPageOf60Steps(b *testing.B) {
	texts, err := i18n.New()
	if err != nil {
		b.Fatal(err)
	}
	l := fixture.Complete()
	for len(l.Steps) < 60 {
		s := l.Steps[len(l.Steps)%7]
		s.Index = len(l.Steps)
		l.Steps = append(l.Steps, s)
	}
	p := web.NewPage(texts.Localizer("ko"), web.ThemeSystem, "/", web.NavRuns, fixture.Now())
	for b.Loop() {
		v := web.NewRunView(p, l, web.RunInput{Meter: fixture.Meter, Formats: fixture.Formats})
		if err := web.RunPage(v).Render(b.Context(), io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
