// Package fetch brings documents from the network behind a guard: only http
// and https, never to private, loopback, link-local or metadata addresses
// except those the operator listed, checked when dialling and again on every
// redirect; with limits on bytes, time, redirects and concurrency, robots.txt,
// politeness per host, retries and a conditional cache.
//
// It owns everything between a URL and its bytes, and the reasons why a URL
// cannot be used. It must not know how text is extracted, ranked or stored.
package fetch
