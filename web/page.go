package web

import (
	"net/http"
	"time"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/web/say"
)

// NewPage starts a view model. path is the current path with its query.
func NewPage(l *i18n.Localizer, theme Theme, path string, nav Nav, now time.Time) Page {
	return Page{L: l, Theme: theme, Path: path, Nav: nav, Now: now}
}

func (p Page) titled(s string) Page {
	p.Title = s
	return p
}

// NewLoginView builds the sign-in page. problem is already in the reader's
// language; next is where to go afterwards.
func NewLoginView(p Page, next, problem string) LoginView {
	p.Bare = true
	return LoginView{Page: p.titled(p.T("login.title")), Next: next, Error: problem}
}

// NewErrorView builds the page for an error answered with an HTTP status.
func NewErrorView(p Page, status int, err error) ErrorView {
	v := ErrorView{Status: status, Message: ErrorText(p.L, err), Back: Link{p.T("error.back"), "/"}}
	key := "internal"
	switch status {
	case http.StatusNotFound:
		key = "not_found"
	case http.StatusForbidden, http.StatusUnauthorized, http.StatusMisdirectedRequest:
		key = "forbidden"
	case http.StatusConflict:
		key = "conflict"
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		key = "unavailable"
	default:
		if status < 500 {
			key = "invalid"
		}
	}
	v.Heading = p.T("error.heading." + key)
	v.Cure = p.T("error.cure." + key)
	v.Page = p.titled(v.Heading)
	return v
}

// ErrorText is an error in the reader's language, safe to show.
func ErrorText(l *i18n.Localizer, err error) string { return say.Error(l, err) }
