package handlers

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

func (s *Server) runsPage(c echo.Context) error {
	f := research.RunFilter{
		Text: clip(c.QueryParam("q"), research.QuestionMax), Status: research.Status(c.QueryParam("status")),
		Policy: research.Policy(c.QueryParam("policy")), Limit: pageSize, Offset: (pageNumber(c) - 1) * pageSize,
	}
	runs, total, err := s.deps.Runs.ListRuns(c.Request().Context(), f)
	if err != nil {
		return err
	}
	v := web.NewRunsView(s.newPage(c, web.NavRuns), web.RunsInput{Filter: f, Total: total, Runs: runs})
	return render(c, http.StatusOK, web.RunsPage(v))
}

func clip(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return string(r[:limit])
	}
	return s
}

const compareChoices = 50

// comparePage shows two runs side by side, or a picker while one is missing.
func (s *Server) comparePage(c echo.Context) error {
	ctx := c.Request().Context()
	in := web.CompareInput{Meter: s.cfg.Meter}
	var err error
	if in.A, err = s.maybeLedger(ctx, c.QueryParam("a")); err != nil {
		return err
	}
	if in.B, err = s.maybeLedger(ctx, c.QueryParam("b")); err != nil {
		return err
	}
	if in.Choices, _, err = s.deps.Runs.ListRuns(ctx, research.RunFilter{Limit: compareChoices}); err != nil {
		return err
	}
	return render(c, http.StatusOK, web.ComparePage(web.NewCompareView(s.newPage(c, web.NavRuns), in)))
}

// maybeLedger is nil for no id, and for a run that has been deleted meanwhile.
func (s *Server) maybeLedger(ctx context.Context, id string) (*research.Ledger, error) {
	if id == "" {
		return nil, nil
	}
	l, err := s.deps.Runs.Ledger(ctx, id)
	var known *research.Error
	if errors.As(err, &known) && known.Code == research.ENotFound {
		return nil, nil
	}
	return l, err
}

// dashboardPage sums the last ?days= days (7, 30, 90; 0 is everything).
func (s *Server) dashboardPage(c echo.Context) error {
	days, from := s.periodOf(c)
	u, err := s.deps.Usage.Usage(c.Request().Context(), from, time.Time{})
	if err != nil {
		return err
	}
	in := web.DashboardInput{Usage: u, Days: days, Meter: s.cfg.Meter}
	if s.routed.ready() { // else the page asks for it once it is shown
		p, err := s.savings(c.Request().Context(), from)
		if err != nil {
			return err
		}
		in.Savings = &p
	}
	v := web.NewDashboardView(s.newPage(c, web.NavDashboard), in)
	return render(c, http.StatusOK, web.DashboardPage(v))
}

func (s *Server) healthz(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// readyz says whether the database answers.
func (s *Server) readyz(c echo.Context) error {
	if err := s.deps.Health.Ping(c.Request().Context()); err != nil {
		if ctx := c.Request().Context(); !s.left(ctx) {
			s.deps.Log.WarnContext(ctx, "not ready", "error", causes(err))
		}
		return c.String(http.StatusServiceUnavailable, "the database does not answer\n")
	}
	return c.String(http.StatusOK, "ready\n")
}
