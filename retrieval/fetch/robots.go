package fetch

import (
	"context"
	"net/url"
	"sync"
	"time"

	"github.com/temoto/robotstxt"
)

const (
	robotsBytes   = 500 << 10 // RFC 9309 asks crawlers to read at least 500 KiB
	robotsTTL     = 12 * time.Hour
	robotsRetry   = 2 * time.Minute // after a server error
	robotsMax     = 512
	crawlDelayMax = 5 * time.Second
)

// robots answers whether a page may be fetched. As RFC 9309 says, a missing
// robots.txt (4xx) allows everything and an unreachable one (5xx, 429) nothing.
type robots struct {
	agent string
	now   func() time.Time
	get   func(ctx context.Context, u *url.URL) (status int, body []byte, err error)

	mu    sync.Mutex
	sites map[string]*robotsSite
}

type robotsSite struct {
	turn  slots // held while the file is fetched, so that it is fetched once
	data  *robotstxt.RobotsData
	down  bool
	until time.Time
}

// check returns nil and the host's crawl delay when u may be fetched.
func (r *robots) check(ctx context.Context, u *url.URL) (time.Duration, error) {
	s := r.site(u.Scheme + "://" + u.Host)
	if err := s.turn.take(ctx); err != nil {
		return 0, err
	}
	defer s.turn.free()
	if !r.now().Before(s.until) {
		if err := r.load(ctx, s, u); err != nil {
			return 0, err
		}
	}
	switch {
	case s.down:
		return 0, refuse(CodeRobotsDown, "%s cannot say whether pages may be read: its robots.txt answers with an error. Try again later.", u.Host)
	case s.data == nil:
		return 0, nil
	}
	group := s.data.FindGroup(r.agent)
	path := u.EscapedPath()
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	if !group.Test(path) {
		return 0, refuse(CodeRobots, "%s asks programs not to read this page (robots.txt). Open it in a browser, save it and upload it, or give another source.", u.Host)
	}
	return min(group.CrawlDelay, crawlDelayMax), nil
}

func (r *robots) load(ctx context.Context, s *robotsSite, u *url.URL) error {
	status, body, err := r.get(ctx, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"})
	if err != nil {
		return err // the page itself would fail in the same way
	}
	s.data, s.down, s.until = nil, false, r.now().Add(robotsTTL)
	switch {
	case status >= 500 || status == 429:
		s.down, s.until = true, r.now().Add(robotsRetry)
	case status >= 200 && status < 300:
		// An unreadable file is treated like a missing one.
		s.data, _ = robotstxt.FromBytes(body)
	}
	return nil
}

func (r *robots) site(key string) *robotsSite {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.sites) >= robotsMax {
		clear(r.sites)
	}
	s := r.sites[key]
	if s == nil {
		s = &robotsSite{turn: make(slots, 1)}
		r.sites[key] = s
	}
	return s
}
