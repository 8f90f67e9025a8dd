package handlers

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/export"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

// runPage is a run. ?raise= with joules, dollars and seconds opens the form for a
// higher budget as it was typed.
func (s *Server) runPage(c echo.Context) error {
	v, err := s.runView(c)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, web.RunPage(v))
}

func (s *Server) timelinePage(c echo.Context) error {
	v, err := s.runView(c)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, web.TimelinePage(v))
}

func (s *Server) runView(c echo.Context) (web.RunView, error) {
	l, in, err := s.runState(c.Request().Context(), c.Param("id"))
	if err != nil {
		return web.RunView{}, err
	}
	page := s.newPage(c, web.NavRuns)
	if typed := c.QueryParams(); typed.Has("raise") && web.CanRaise(l.Run) {
		form := web.RaiseFormFromValues(typed)
		_, fault := asked(l.Run, form)
		form.Errors = fieldTexts(page.L, fault)
		in.Raise = &form
	}
	return web.NewRunView(page, l, in), nil
}

// runState reads a run and the event it is up to. The event is read first: what
// happens in between is then shown twice rather than missed.
func (s *Server) runState(ctx context.Context, id string) (*research.Ledger, web.RunInput, error) {
	in := web.RunInput{Meter: s.cfg.Meter}
	for _, f := range export.Formats() {
		in.Formats = append(in.Formats, string(f))
	}
	if s.deps.Live != nil {
		in.Live = s.deps.Live.Live(id)
	}
	var err error
	if in.Cursor, err = s.deps.Events.LastEventID(ctx, id); err != nil {
		return nil, in, err
	}
	l, err := s.deps.Runs.Ledger(ctx, id)
	if err != nil {
		return nil, in, err
	}
	if s.deps.Progress != nil {
		now := s.deps.Progress(l)
		in.Progress = &now
	}
	if l.Run.Status == research.Queued {
		in.QueuePosition, err = s.deps.Runs.QueuePosition(ctx, id)
	}
	return l, in, err
}

// snapshotPage shows the stored text of a source with its quotes marked.
func (s *Server) snapshotPage(c echo.Context) error {
	l, err := s.deps.Runs.Ledger(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	v, ok := web.NewSnapshotView(s.newPage(c, web.NavRuns), l, c.Param("source"))
	if !ok {
		return research.Errorf(research.ENotFound, "no_source", "This run has no such source. Go back to the run and choose one from its list.")
	}
	return render(c, http.StatusOK, web.SnapshotPage(v))
}
