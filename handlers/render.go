package handlers

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/web"
)

const (
	cookieLang  = "progrouter_lang"
	cookieTheme = "progrouter_theme"
	cookieFlash = "progrouter_flash"

	addressLimit = 6000 // bytes of a query that every server and browser takes
)

// render writes a page or fragment. It is rendered to memory first, so that a
// fault in it can still become an error page.
func render(c echo.Context, status int, body templ.Component) error {
	var buf bytes.Buffer
	if err := body.Render(c.Request().Context(), &buf); err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", "private, no-cache")
	c.Response().Header().Add("Vary", "HX-Request, Cookie, Accept-Language")
	return c.HTMLBlob(status, buf.Bytes())
}

func writeJSON(c echo.Context, status int, mediaType string, v any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", "private, no-cache")
	return c.Blob(status, mediaType, buf.Bytes())
}

// isFragment reports that htmx asks for a part of a page. Boosted links and
// restored history want the whole page.
func isFragment(c echo.Context) bool {
	h := c.Request().Header
	return h.Get("HX-Request") == "true" && h.Get("HX-Boosted") != "true" && h.Get("HX-History-Restore-Request") != "true"
}

// newPage starts a view model in the reader's language and theme, with the
// message left by the request before.
func (s *Server) newPage(c echo.Context, nav web.Nav) web.Page {
	p := web.NewPage(s.localizer(c), web.ParseTheme(cookieValue(c, cookieTheme)), returnPath(c), nav, s.cfg.Now())
	p.Zone = s.cfg.Zone
	p.SignedIn = s.cfg.Password != "" && s.signedIn(c.Request())
	p.Flash = s.takeFlash(c, p.L)
	return p
}

// returnPath is where the switches of language and theme lead back to: the page
// itself, or for a page that answers a form the one the form stands on. Pages
// that keep what was typed set a longer one.
func returnPath(c echo.Context) string {
	r := c.Request()
	if r.Method == http.MethodGet {
		return r.URL.RequestURI()
	}
	switch route := c.Path(); {
	case strings.HasPrefix(route, "/runs/:id"):
		return runPath(url.PathEscape(c.Param("id")))
	case strings.HasPrefix(route, "/library"):
		return "/library"
	case strings.HasPrefix(route, settingsPath+"/"):
		return settingsPath
	case route == "/login":
		return loginPath(localPath(c.FormValue("next")))
	}
	return "/"
}

// withQuery is a path that carries what was typed; what is too long for an
// address is left out.
func withQuery(path string, values url.Values) string {
	if q := values.Encode(); q != "" && len(q) <= addressLimit {
		return path + "?" + q
	}
	return path
}

func (s *Server) localizer(c echo.Context) *i18n.Localizer {
	lang := s.deps.Texts.Match(c.Request().Header.Get("Accept-Language"), cookieValue(c, cookieLang))
	return s.deps.Texts.Localizer(lang)
}

func cookieValue(c echo.Context, name string) string {
	cookie, err := c.Cookie(name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setCookie sets a cookie that scripts cannot read; maxAge is in seconds, below
// zero removes it.
func setCookie(c echo.Context, name, value string, maxAge int) {
	c.SetCookie(&http.Cookie{ //nolint:gosec // Secure follows the connection: loopback is served without TLS
		Name: name, Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: overTLS(c.Request()),
	})
}

func overTLS(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}

// leaveFlash keeps a message for the next page. Only the name of a known text
// travels in the cookie, never the text.
func leaveFlash(c echo.Context, name string) { setCookie(c, cookieFlash, name, 60) }

func (s *Server) takeFlash(c echo.Context, l *i18n.Localizer) *web.Flash {
	name := cookieValue(c, cookieFlash)
	if name == "" || isFragment(c) || !l.Has("flash."+name) {
		return nil
	}
	setCookie(c, cookieFlash, "", -1)
	return &web.Flash{Kind: "ok", Text: l.T("flash." + name)}
}

// pageNumber reads ?page=, from 1.
func pageNumber(c echo.Context) int {
	n, err := strconv.Atoi(c.QueryParam("page"))
	if err != nil || n < 1 || n > 1_000_000 {
		return 1
	}
	return n
}

func seeOther(c echo.Context, to string) error { return c.Redirect(http.StatusSeeOther, to) }
