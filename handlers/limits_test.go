package handlers

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
)

func TestSlowRequestsEnd(t *testing.T) {
	t.Parallel()
	s := setup(t, func(c *Config, _ *Deps) { c.RequestTimeout = 10 * time.Millisecond })
	s.store.slow = make(chan struct{}, 1)
	a := s.get("/runs")
	s.want(a, 503)
	if !strings.Contains(a.body, "took too long") || a.Header.Get("Retry-After") == "" {
		t.Errorf("page says\n%.600s", a.body)
	}
}

// Readers that leave are no fault of ours and make no noise.
func TestVanishedReadersAreNotErrors(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.slow = make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/runs", nil)
	req.Host = "localhost"
	w, done := httptest.NewRecorder(), make(chan struct{})
	go func() { s.srv.Handler().ServeHTTP(w, req); close(done) }()
	<-s.store.slow
	cancel()
	<-done
	if w.Body.Len() > 0 || strings.Contains(s.log.String(), "level=ERROR") {
		t.Errorf("wrote %q, logged\n%s", w.Body, s.log)
	}
}

func TestErrorsAfterTheAnswerBegan(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.srv.echo.GET("/half", func(c echo.Context) error {
		if err := c.String(http.StatusOK, "half"); err != nil {
			return err
		}
		return errors.New("too late")
	})
	a := s.get("/half")
	s.want(a, 200)
	if a.body != "half" {
		t.Errorf("body %q", a.body)
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.add(running("r1"))
	for _, path := range []string{"/", "/runs/r1", "/healthz", "/runs/r1/export?format=md", "/api/v1/runs/r1"} {
		a := s.do("HEAD", path, "")
		s.want(a, 200)
		if a.body != "" || a.Header.Get("Content-Type") == "" {
			t.Errorf("%s: body %q, header %v", path, a.body, a.Header)
		}
	}
	s.want(s.do("HEAD", "/nowhere", ""), 404)
	s.want(s.do("HEAD", "/runs/r1/events", ""), 405)
}

func TestRequestsAreLogged(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.want(s.get("/nowhere"), 404)
	s.want(s.get("/healthz"), 200)
	log := s.log.String()
	for _, part := range []string{"path=/nowhere", "status=404", "method=GET"} {
		if !strings.Contains(log, part) {
			t.Errorf("no %s in %s", part, log)
		}
	}
	for line := range strings.SplitSeq(log, "\n") {
		if strings.Contains(line, "/healthz") && !strings.Contains(line, "level=DEBUG") {
			t.Errorf("health checks are loud: %s", line)
		}
	}
}
