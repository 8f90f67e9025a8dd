package handlers

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

// createRun takes the ask form. Whatever is wrong is shown at its field, with
// everything as it was typed, also when the fault is our own.
func (s *Server) createRun(c echo.Context) error {
	values, err := formValues(c)
	if err != nil {
		return err
	}
	form := web.AskFormFromValues(values)
	id, err := s.startRun(c.Request().Context(), requestInput(form))
	if err != nil {
		status, shown := s.classify(c, err)
		return s.renderAsk(c, status, form, shown)
	}
	return seeOther(c, runPath(id))
}

// startRun checks, prices and stores a run; pages and API share it.
func (s *Server) startRun(ctx context.Context, in research.RequestInput) (string, error) {
	r, faults := research.ParseRequest(in)
	if len(faults) > 0 {
		return "", faults
	}
	budget := r.EffectiveBudget(hasLanguageModel(s.deps.Setup.Settings(ctx)))
	if _, err := s.deps.Estimates.EstimateRun(ctx, r, budget); research.CodeOf(err) == research.EInvalid {
		return "", err // a budget below one step; other troubles of an estimate stop nobody
	}
	return s.deps.Runs.CreateRun(ctx, r, budget)
}

func runPath(id string) string { return "/runs/" + id }
