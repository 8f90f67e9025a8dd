// Package handlers owns HTTP: echo routes, forms, middleware, the live stream
// of a run and the JSON API. It turns requests into calls of small interfaces
// and answers with pages of package web or with JSON. It must not know the
// database, the models or how a run is worked on; echo stays in here.
package handlers
