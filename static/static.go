// Package static holds the browser assets under content-hashed addresses. It
// must not know pages or routes.
package static

import "net/http"

// Prefix is where Handler is mounted.
const Prefix = "/static/"

// URL is the address of an asset by its plain name ("app.css").
func URL(name string) string { return Prefix + name }

// Handler serves GET and HEAD of every asset below Prefix.
func Handler() http.Handler { return http.NotFoundHandler() }
