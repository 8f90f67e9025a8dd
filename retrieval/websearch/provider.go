package websearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"time"

	"golang.org/x/time/rate"

	"github.com/progrouter/progrouter/research"
)

// Provider is a search engine.
type Provider interface {
	// Name is shown beside hits.
	Name() string
	// Search returns at most limit hits, best first; lang is the question's
	// BCP 47 base tag. Failures are research.Error with code EUnavailable and
	// one of the keys below, except the context's own error.
	Search(ctx context.Context, query, lang string, limit int) ([]research.Hit, error)
}

// Keys of the research.Error that Search returns.
const (
	KeyNoNetwork    = "no_network"       // nothing outside can be reached: say so once
	KeySearchDown   = "search_down"      // this engine does not answer properly
	KeySearchLimit  = "search_limited"   // it asks for fewer requests
	KeySearchSetup  = "search_setup"     // it answers, but not as configured
	KeySearchDenied = "search_forbidden" // the address guard refused it
)

// Doer sends requests; an *http.Client behind the guard fits.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Config names the engines to ask.
type Config struct {
	Wikipedia bool
	SearXNG   string // base URL, "" for none
	Agent     string // user agent; engines ask for one that names the program
}

// New lists the configured providers. A malformed base URL is an error.
func New(cfg Config, client Doer) ([]Provider, error) {
	var out []Provider
	if cfg.SearXNG != "" {
		s, err := NewSearXNG(cfg.SearXNG, cfg.Agent, client)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	if cfg.Wikipedia {
		out = append(out, NewWikipedia(cfg.Agent, client))
	}
	return out, nil
}

// newPace spaces requests to one engine: bursts get programs blocked.
func newPace() *rate.Limiter { return rate.NewLimiter(rate.Every(200*time.Millisecond), 2) }

// inTurn waits for the engine's pace.
func inTurn(ctx context.Context, pace *rate.Limiter) error {
	if err := pace.Wait(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return context.DeadlineExceeded // the turn would come too late
	}
	return nil
}

// answerMax bounds what is read of an engine's answer.
const answerMax = 4 << 20

// getJSON asks an engine and decodes its answer into v.
func getJSON(ctx context.Context, client Doer, pace *rate.Limiter, engine, agent string, u *url.URL, v any) error {
	if err := inTurn(ctx, pace); err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return fmt.Errorf("building the request to %s: %w", engine, err)
	}
	req.Header.Set("User-Agent", agent)
	req.Header.Set("Accept", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return unreachable(ctx, engine, u, err)
	}
	defer res.Body.Close()
	if err := statusError(engine, res.StatusCode); err != nil {
		return err
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, answerMax)).Decode(v); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return research.Errorf(research.EUnavailable, KeySearchSetup,
			"%s did not answer in JSON. Check its address; SearXNG needs json among the formats in its settings.", engine).Wrap(err)
	}
	return nil
}

func statusError(engine string, status int) error {
	switch {
	case status == http.StatusOK:
		return nil
	case status == http.StatusTooManyRequests:
		return research.Errorf(research.EUnavailable, KeySearchLimit, "%s answers too many requests just now (HTTP 429). Try again later.", engine)
	case status == http.StatusForbidden || status == http.StatusUnauthorized:
		return research.Errorf(research.EUnavailable, KeySearchSetup, "%s refuses the request (HTTP %d). SearXNG needs json among the formats in its settings and must let this machine in.", engine, status)
	case status >= 500:
		return research.Errorf(research.EUnavailable, KeySearchDown, "%s has a fault of its own (HTTP %d). Try again later.", engine, status)
	}
	return research.Errorf(research.EUnavailable, KeySearchSetup, "%s refused the request (HTTP %d). Check its address.", engine, status)
}

// guarded is what the guard's errors say of themselves.
type guarded interface{ Blocked() string }

// unreachable sorts failures to connect: without any network the caller says
// so once and does not try other engines.
func unreachable(ctx context.Context, engine string, u *url.URL, err error) error {
	var dns *net.DNSError
	var timeout net.Error
	var blocked guarded
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &blocked):
		return research.Errorf(research.EUnavailable, KeySearchDenied, "%s is at a private address, which is not asked. Allow it with PROGROUTER_ALLOW_HOSTS=%s.", engine, blocked.Blocked()).Wrap(err)
	case errors.As(err, &dns) && dns.IsNotFound && !strings.HasSuffix(u.Hostname(), ".wikipedia.org"):
		return research.Errorf(research.EUnavailable, KeySearchDown, "No host named %s is known. Check the address of %s.", u.Hostname(), engine).Wrap(err)
	case errors.As(err, &dns), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETDOWN):
		return research.Errorf(research.EUnavailable, KeyNoNetwork, "The web cannot be searched: %s cannot be reached from this machine. Connect it to the internet, or work with the library and given addresses.", u.Host).Wrap(err)
	case errors.As(err, &timeout) && timeout.Timeout():
		return research.Errorf(research.EUnavailable, KeyNoNetwork, "The web cannot be searched: %s does not answer. Connect this machine to the internet, or work with the library and given addresses.", u.Host).Wrap(err)
	}
	return research.Errorf(research.EUnavailable, KeySearchDown, "The connection to %s (%s) failed. Check that it runs and that its address is right.", engine, u.Host).Wrap(err)
}

var rxTag = regexp.MustCompile(`</?[a-zA-Z][^<>]*>`)

// clean makes a snippet plain: no tags, no entities, one line.
func clean(s string) string {
	return strings.Join(strings.Fields(html.UnescapeString(rxTag.ReplaceAllString(s, ""))), " ")
}
