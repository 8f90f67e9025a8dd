package web

import (
	"errors"
	"net/http"
	"time"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/research"
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

// ErrorText is an error in the reader's language, safe to show: by its key where
// the catalogue knows it, else its own English message.
func ErrorText(l *i18n.Localizer, err error) string {
	var e *research.Error
	if !errors.As(err, &e) || e.Code == research.EInternal {
		return l.T("error.internal")
	}
	if key := "error." + e.Key; e.Key != "" && l.Has(key) {
		return l.Map(key, localArgs(l, e.Args))
	}
	return e.Message
}

// localArgs writes whole numbers as the reader does and names fields in words.
func localArgs(l *i18n.Localizer, args map[string]any) map[string]any {
	out := make(map[string]any, len(args))
	for name, value := range args {
		switch v := value.(type) {
		case int:
			out[name] = l.Int(v)
		case int64:
			out[name] = l.Number(float64(v), 0)
		case float64:
			out[name] = l.Short(v)
		case string:
			out[name] = v
			if name == "Field" {
				out[name] = l.Or("field."+v, v)
			}
		default:
			out[name] = value
		}
	}
	return out
}
