package handlers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/static"
)

func (s *Server) logRequests(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now()
		err := next(c)
		if err != nil {
			c.Error(err) // answer now, so that the status below is the real one
		}
		r, level := c.Request(), slog.LevelInfo
		if quiet(r.URL.Path) {
			level = slog.LevelDebug
		}
		s.deps.Log.Log(r.Context(), level, "request", "method", r.Method, "path", r.URL.Path,
			"status", c.Response().Status, "bytes", c.Response().Size, "ms", time.Since(start).Milliseconds())
		return nil
	}
}

func quiet(path string) bool {
	return strings.HasPrefix(path, static.Prefix) || path == "/healthz" || path == "/readyz"
}

func (s *Server) recoverPanics(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if e, ok := p.(error); ok && errors.Is(e, http.ErrAbortHandler) {
				panic(p) // net/http's own way to drop a connection
			}
			s.deps.Log.ErrorContext(c.Request().Context(), "handler panicked", "path", c.Request().URL.Path,
				"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = research.Errorf(research.EInternal, "internal", "handler panicked: %v", p)
		}()
		return next(c)
	}
}

const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func secureHeaders(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		// no-referrer would blank the Origin of our own forms.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		if overTLS(c.Request()) {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		return next(c)
	}
}

// checkOrigin refuses changes asked for by other sites in the user's browser.
func (s *Server) checkOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := s.origins.Check(c.Request()); err != nil {
			return research.Errorf(research.EForbidden, "cross_origin", "This request came from another site and was refused. Open the page here and try again.").Wrap(err)
		}
		return next(c)
	}
}

// limit caps the time and the body of everything but streams and uploads, which
// set their own.
func (s *Server) limit(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		switch {
		case c.Path() == "/runs/:id/events":
			return next(c)
		case c.Path() == "/library" && r.Method == http.MethodPost:
			r.Body = http.MaxBytesReader(c.Response(), r.Body, s.uploadTotal())
		default:
			r.Body = http.MaxBytesReader(c.Response(), r.Body, formLimit)
		}
		ctx, cancel := context.WithTimeout(r.Context(), s.cfg.RequestTimeout)
		defer cancel()
		c.SetRequest(r.WithContext(ctx))
		// The error handler tells a reader that left by the context: it must not
		// see this one, which ends here.
		defer c.SetRequest(r)
		return next(c)
	}
}
