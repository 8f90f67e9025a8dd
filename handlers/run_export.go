package handlers

import (
	"mime"
	"net/http"

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
	h := c.Response().Header()
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}))
	h.Set("Cache-Control", "private, no-cache")
	return c.Blob(http.StatusOK, file.MediaType, file.Body)
}
