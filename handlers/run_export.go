package handlers

import (
	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/export"
)

// exportRun sends a run as a file. ?lang= chooses the headings' language; the
// run's own is the default.
func (s *Server) exportRun(c echo.Context) error {
	ctx := c.Request().Context()
	l, err := s.deps.Runs.Ledger(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	format := export.Format(c.QueryParam("format"))
	if format == "" {
		format = export.FormatMarkdown
	}
	file, err := export.Render(ctx, l, format, c.QueryParam("lang"))
	if err != nil {
		return err
	}
	return sendFile(c, file)
}
