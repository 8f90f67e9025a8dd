package handlers

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

func (s *Server) cancelRun(c echo.Context) error { return s.act(c, s.deps.Runs.RequestCancel) }
func (s *Server) pauseRun(c echo.Context) error  { return s.act(c, s.deps.Runs.RequestPause) }
func (s *Server) resumeRun(c echo.Context) error { return s.act(c, s.deps.Runs.Resume) }

// act does something to a run and goes back to its page.
func (s *Server) act(c echo.Context, do func(context.Context, string) error) error {
	id := c.Param("id")
	if err := do(c.Request().Context(), id); err != nil {
		return err
	}
	return seeOther(c, runPath(id))
}

// deleteRun removes a run with its sources.
func (s *Server) deleteRun(c echo.Context) error {
	if err := s.drop(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	leaveFlash(c, "run_deleted")
	return seeOther(c, "/runs")
}

// drop deletes a run, also from what is kept in memory.
func (s *Server) drop(ctx context.Context, id string) error {
	if err := s.deps.Runs.DeleteRun(ctx, id); err != nil {
		return err
	}
	s.routed.forget(id)
	return nil
}

// raiseBudget sets higher limits, and lets a run that ended or was paused go on.
// Limits left empty, or as they are, stay. Whatever is wrong is shown in the form
// on the run's page, with everything as it was typed.
func (s *Server) raiseBudget(c echo.Context) error {
	values, err := formValues(c)
	if err != nil {
		return err
	}
	ctx, id := c.Request().Context(), c.Param("id")
	run, err := s.deps.Runs.Run(ctx, id)
	if err != nil {
		return err
	}
	form := web.RaiseFormFromValues(values)
	if err := s.raise(ctx, run, form); err != nil {
		if !web.CanRaise(run) {
			return err
		}
		status, shown := s.classify(c, err)
		return s.renderRaise(c, status, form, shown)
	}
	leaveFlash(c, "budget_raised")
	return seeOther(c, runPath(id))
}

func (s *Server) raise(ctx context.Context, run research.Run, form web.RaiseForm) error {
	higher, err := asked(run, form)
	if err != nil {
		return err
	}
	if err := s.deps.Runs.RaiseBudget(ctx, run.ID, higher); err != nil {
		return err
	}
	if run.Status.Final() || run.Status == research.Paused {
		return s.deps.Runs.Resume(ctx, run.ID)
	}
	return nil
}

// asked reads the form: the limits that are higher than the run's.
func asked(run research.Run, form web.RaiseForm) (research.Budget, error) {
	given, faults := research.ParseBudget(form.Joules, form.Dollars, form.Seconds)
	if len(faults) > 0 {
		return given, faults
	}
	return raised(run.Budget, given)
}

// renderRaise is the run's page with the form open, as it was typed.
func (s *Server) renderRaise(c echo.Context, status int, form web.RaiseForm, fault error) error {
	l, in, err := s.runState(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	page := s.newPage(c, web.NavRuns)
	page.Path = withQuery(page.Path, form.Values())
	form.Errors = fieldTexts(page.L, fault)
	in.Raise = &form
	return render(c, status, web.RunPage(web.NewRunView(page, l, in)))
}

// raised keeps of the given limits those that are higher than before: what is
// unchanged must not count as set by the user.
func raised(old, given research.Budget) (research.Budget, error) {
	var faults research.RequestErrors
	b := research.Budget{
		Joules:  higher(old.Joules, given.Joules, "joules", &faults),
		Dollars: higher(old.Dollars, given.Dollars, "dollars", &faults),
		Seconds: higher(old.Seconds, given.Seconds, "seconds", &faults),
	}
	if len(faults) > 0 {
		return b, faults
	}
	if b == (research.Budget{}) {
		return b, research.Errorf(research.EInvalid, "budget_same", "No limit is higher than before. Raise joules, dollars or seconds to let the run go on.").At("joules")
	}
	return b, nil
}

func higher[T research.Micro | float64](old, given *T, field string, faults *research.RequestErrors) *T {
	switch {
	case given == nil || old == nil || *given > *old:
		return given
	case *given < *old:
		*faults = append(*faults, research.Errorf(research.EInvalid, "budget_lower", "%s: the new limit is below the one the run has. It can only be raised.", field).
			At(field).With(map[string]any{"Field": field}))
	}
	return nil
}
