package handlers

import (
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/static"
	"github.com/progrouter/progrouter/web"
)

// requireLogin lets nobody past without the password, when one is set: pages by
// session cookie, everything by "Authorization: Bearer PASSWORD".
func (s *Server) requireLogin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if s.cfg.Password == "" || isPublic(r.URL.Path) || s.signedIn(r) {
			return next(c)
		}
		if token, ok := bearer(r); ok {
			if err := s.checkPassword(c, token); err != nil {
				return err
			}
			return next(c)
		}
		return s.askForLogin(c)
	}
}

func isPublic(path string) bool {
	switch path {
	case "/login", "/preferences", "/healthz", "/readyz":
		return true
	}
	return strings.HasPrefix(path, static.Prefix)
}

func (s *Server) askForLogin(c echo.Context) error {
	r := c.Request()
	to := "/login"
	if r.Method == http.MethodGet {
		to = loginPath(r.URL.RequestURI())
	}
	switch {
	case isAPI(c) || c.Path() == "/runs/:id/events" || c.Path() == metricsPath:
		c.Response().Header().Set("WWW-Authenticate", `Bearer realm="progrouter"`)
		return withStatus(http.StatusUnauthorized, research.Errorf(research.EForbidden, "login_api", "A password is needed. Send it as “Authorization: Bearer PASSWORD”."))
	case isFragment(c):
		c.Response().Header().Set("HX-Redirect", "/login")
		return c.NoContent(http.StatusUnauthorized)
	}
	return seeOther(c, to)
}

// loginPath asks for the password and then leads to next.
func loginPath(next string) string {
	if next == "/" {
		return "/login"
	}
	return "/login?next=" + url.QueryEscape(next)
}

// checkPassword compares and counts; its errors are safe to show. The right
// password is let in before wrong ones are counted against its sender.
func (s *Server) checkPassword(c echo.Context, given string) error {
	addr, now := clientAddress(c.Request().RemoteAddr), s.cfg.Now()
	wait, blocked := s.attempts.blocked(addr, now)
	if (!blocked || s.attempts.mayCheck(addr, now)) && s.sessions.passwordIs(given) {
		s.attempts.succeeded(addr)
		return nil
	}
	if blocked {
		seconds := int(math.Ceil(wait.Seconds()))
		c.Response().Header().Set("Retry-After", strconv.Itoa(seconds))
		return withStatus(http.StatusTooManyRequests, research.Errorf(research.EForbidden, "login_wait", "Too many wrong passwords. Wait %d seconds and try again.", seconds).
			With(map[string]any{"Seconds": seconds}))
	}
	s.attempts.failed(addr, now)
	s.deps.Log.WarnContext(c.Request().Context(), "wrong password", "from", addr)
	return withStatus(http.StatusUnauthorized, research.Errorf(research.EForbidden, "login_wrong", "The password is wrong. It is the one in PROGROUTER_PASSWORD.").At("password"))
}

func (s *Server) loginPage(c echo.Context) error {
	next := localPath(c.QueryParam("next"))
	if s.cfg.Password == "" || s.signedIn(c.Request()) {
		return seeOther(c, next)
	}
	return s.renderLogin(c, http.StatusOK, next, "")
}

func (s *Server) renderLogin(c echo.Context, status int, next, trouble string) error {
	p := s.newPage(c, web.NavNone)
	p.Bare = true
	return render(c, status, web.LoginPage(web.NewLoginView(p, next, trouble)))
}

func (s *Server) login(c echo.Context) error {
	next := localPath(c.FormValue("next"))
	if s.cfg.Password == "" {
		return seeOther(c, next)
	}
	if err := s.checkPassword(c, c.FormValue("password")); err != nil {
		status, shown := s.classify(c, err)
		return s.renderLogin(c, status, next, web.ErrorText(s.localizer(c), shown))
	}
	setCookie(c, cookieSession, s.sessions.issue(s.cfg.Now()), int(sessionLife.Seconds()))
	return seeOther(c, next)
}

func (s *Server) logout(c echo.Context) error {
	setCookie(c, cookieSession, "", -1)
	return seeOther(c, "/login")
}

// localPath keeps a redirect on this site: browsers read "//x" and "/\x" as
// another host.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") ||
		strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return "/"
	}
	return next
}
