// Package websearch asks search engines for pages: Wikipedia (no key needed)
// and a SearXNG instance of the operator's.
//
// It owns the engines' request and answer formats and what their failures
// mean. It must not know what queries are for; the HTTP client it is given
// keeps to the address guard.
package websearch
