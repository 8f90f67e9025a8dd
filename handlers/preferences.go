package handlers

import (
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/web"
)

const yearSeconds = 365 * 24 * 3600

// setPreferences stores language and theme in cookies. A field that was not sent
// stays as it is.
func (s *Server) setPreferences(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return badForm(err)
	}
	if lang := form.Get("lang"); slices.Contains(s.deps.Texts.Languages(), lang) {
		setCookie(c, cookieLang, lang, yearSeconds)
	}
	if form.Has("theme") {
		theme := web.ParseTheme(form.Get("theme"))
		if theme == web.ThemeSystem {
			setCookie(c, cookieTheme, "", -1)
		} else {
			setCookie(c, cookieTheme, string(theme), yearSeconds)
		}
	}
	return seeOther(c, localPath(form.Get("next")))
}
