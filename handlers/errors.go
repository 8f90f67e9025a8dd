package handlers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

const apiPrefix = "/api/v1"

// statusError gives an error an HTTP status other than its code's.
type statusError struct {
	status int
	err    *research.Error
}

func (e *statusError) Error() string { return e.err.Message }
func (e *statusError) Unwrap() error { return e.err }

func withStatus(status int, err *research.Error) error { return &statusError{status, err} }

// handleError is the one place where an error becomes an answer. Answers that
// have begun and readers that have left get nothing more.
func (s *Server) handleError(err error, c echo.Context) {
	if c.Response().Committed {
		s.deps.Log.DebugContext(c.Request().Context(), "error after the answer began", "path", c.Request().URL.Path, "error", err)
		return
	}
	if s.left(c.Request().Context()) {
		return
	}
	status, shown := s.classify(c, err)
	if writeErr := s.writeError(c, status, shown); writeErr != nil && !s.left(c.Request().Context()) {
		s.deps.Log.WarnContext(c.Request().Context(), "error page failed", "path", c.Request().URL.Path, "error", writeErr)
	}
}

// left reports that nobody waits for the answer any more. What fails because of
// that is no fault and not worth a warning.
func (s *Server) left(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

func (s *Server) classify(c echo.Context, err error) (int, error) {
	var tooLarge *http.MaxBytesError
	var own *statusError
	var known *research.Error
	var route *echo.HTTPError
	switch {
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge, bodyTooLarge(tooLarge.Limit)
	case errors.As(err, &own):
		return own.status, err
	case errors.As(err, &known) && known.Code != research.EInternal:
		return statusOf(known.Code), err
	case errors.As(err, &route) && route.Code < http.StatusInternalServerError:
		return route.Code, routeError(route.Code)
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable, research.Errorf(research.EUnavailable, "slow", "The server took too long to answer. Try again in a moment.")
	}
	level := slog.LevelError
	if s.left(c.Request().Context()) {
		level = slog.LevelDebug
	}
	s.deps.Log.Log(c.Request().Context(), level, "request failed", "method", c.Request().Method, "path", c.Request().URL.Path, "error", causes(err))
	return http.StatusInternalServerError, research.Errorf(research.EInternal, "internal", "Internal error")
}

// causes spells out what a safe message hides.
func causes(err error) string {
	text := err.Error()
	var e *research.Error
	if errors.As(err, &e) && e.Err != nil {
		text += ": " + causes(e.Err)
	}
	return text
}

func bodyTooLarge(limit int64) *research.Error {
	return research.Errorf(research.EInvalid, "too_large", "The request is larger than %s. Send less at once.", byteSize(limit)).
		With(map[string]any{"Limit": byteSize(limit)})
}

func byteSize(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d kB", n>>10)
}

func statusOf(code research.Code) int {
	switch code {
	case research.EInvalid:
		return http.StatusUnprocessableEntity
	case research.ENotFound:
		return http.StatusNotFound
	case research.EConflict:
		return http.StatusConflict
	case research.EForbidden:
		return http.StatusForbidden
	case research.EUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

func routeError(status int) *research.Error {
	switch status {
	case http.StatusNotFound:
		return research.Errorf(research.ENotFound, "no_page", "There is nothing at this address. Check it, or start from the first page.")
	case http.StatusMethodNotAllowed:
		return research.Errorf(research.EInvalid, "no_method", "This address does not take this kind of request.")
	}
	return research.Errorf(research.EInvalid, "bad_request", "The request could not be read (%s).", http.StatusText(status))
}

func (s *Server) writeError(c echo.Context, status int, err error) error {
	if status == http.StatusServiceUnavailable {
		c.Response().Header().Set("Retry-After", "5")
	}
	switch {
	case isAPI(c):
		return writeProblem(c, status, err)
	case isFragment(c):
		return c.String(status, web.ErrorText(s.localizer(c), err))
	}
	page := s.newPage(c, web.NavNone)
	page.Bare = s.cfg.Password != "" && !page.SignedIn
	v := web.NewErrorView(page, status, err)
	if c.Request().Method != http.MethodGet && page.Path != "/" {
		v.Back = web.Link{Text: page.T("error.back_there"), Href: page.Path}
	}
	return render(c, status, web.ErrorPage(v))
}

func isAPI(c echo.Context) bool {
	p := c.Request().URL.Path
	return p == apiPrefix || strings.HasPrefix(p, apiPrefix+"/")
}

// problem is an error of the API (RFC 9457).
type problem struct {
	Type   string         `json:"type"`
	Title  string         `json:"title"`
	Status int            `json:"status"`
	Detail string         `json:"detail"`
	Code   research.Code  `json:"code"`
	Field  string         `json:"field,omitempty"`
	Errors []problemField `json:"errors,omitempty"`
}

type problemField struct {
	Field  string `json:"field"`
	Key    string `json:"key"`
	Detail string `json:"detail"`
}

func writeProblem(c echo.Context, status int, err error) error {
	p := problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status,
		Detail: research.SafeMessage(err), Code: research.CodeOf(err),
	}
	var many research.RequestErrors
	var one *research.Error
	if errors.As(err, &many) {
		for _, e := range many {
			p.Errors = append(p.Errors, problemField{e.Field, e.Key, e.Message})
		}
	} else if errors.As(err, &one) && one.Field != "" {
		p.Errors = []problemField{{one.Field, one.Key, one.Message}}
	}
	if len(p.Errors) > 0 {
		p.Field = p.Errors[0].Field
	}
	return writeJSON(c, status, "application/problem+json", p)
}
