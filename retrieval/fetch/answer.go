package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/progrouter/progrouter/research"
)

// errRequest marks faults of ours in building a request.
var errRequest = errors.New("building the request")

// answer is what one request brought.
type answer struct {
	status         int
	location       string        // set on redirects
	later          time.Duration // ≥ 0: asked to come back after this, 0 without a time
	body           []byte
	mediaType      string
	name           string
	etag, modified string
	cached         *research.Document // the server said that it has not changed
}

// once makes one request, in its turn.
func (f *Fetcher) once(ctx context.Context, u *url.URL, delay time.Duration) (*answer, error) {
	leave, err := f.manners.enter(ctx, u.Host, !f.allowed(u), delay)
	if err != nil {
		return nil, busy(u, err)
	}
	defer leave()
	if err := f.global.take(ctx); err != nil {
		return nil, err
	}
	defer f.global.free()
	return f.request(ctx, u)
}

func busy(u *url.URL, err error) error {
	if errors.Is(err, errTooLong) {
		return refuse(CodeTimeout, "Too many requests to %s are waiting to be answered in time. Give fewer pages of that site, or raise the run's time budget.", u.Host)
	}
	return err
}

func (f *Fetcher) request(ctx context.Context, u *url.URL) (*answer, error) {
	known, cached := f.cache.get(u.String())
	res, err := f.send(ctx, u, "text/html,application/xhtml+xml,text/markdown,text/plain,application/pdf;q=0.9,*/*;q=0.5", known)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	got := &answer{
		status: res.StatusCode, later: -1, mediaType: res.Header.Get("Content-Type"), name: nameOf(res, u),
		etag: res.Header.Get("Etag"), modified: res.Header.Get("Last-Modified"),
	}
	switch {
	case res.StatusCode == http.StatusNotModified && cached:
		got.cached = &known.doc
		return got, nil
	case res.StatusCode >= 300 && res.StatusCode < 400 && res.Header.Get("Location") != "":
		got.location = res.Header.Get("Location")
		return got, nil
	case res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusServiceUnavailable:
		got.later = retryAfter(res.Header.Get("Retry-After"), f.cfg.Now())
		return got, nil
	case res.StatusCode != http.StatusOK:
		return got, nil
	}
	if got.body, err = f.read(res, f.cfg.MaxBytes); err != nil {
		return nil, err
	}
	got.location = metaRefresh(got)
	return got, nil
}

func (f *Fetcher) send(ctx context.Context, u *url.URL, accept string, known entry) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errRequest, err)
	}
	req.Header.Set("User-Agent", f.agent)
	req.Header.Set("Accept", accept)
	if known.etag != "" {
		req.Header.Set("If-None-Match", known.etag)
	}
	if known.modified != "" {
		req.Header.Set("If-Modified-Since", known.modified)
	}
	return f.client.Do(req)
}

// read takes at most most bytes, counted after decompression, so that a small
// answer cannot unfold without end.
func (f *Fetcher) read(res *http.Response, most int64) ([]byte, error) {
	if res.ContentLength > most {
		return nil, tooBig(res.Request.URL, most)
	}
	if enc := res.Header.Get("Content-Encoding"); enc != "" && !strings.EqualFold(enc, "identity") {
		return nil, refuse(CodeBadAnswer, "%s sent the page in an encoding (%s) that was not asked for. Give another source.", res.Request.URL.Host, shorten(enc))
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > most {
		return nil, tooBig(res.Request.URL, most)
	}
	return body, nil
}

func tooBig(u *url.URL, most int64) error {
	return refuse(CodeTooBig, "The page on %s has more than %s, the most that is read. Give the part that matters, or upload it.", u.Host, bytesText(most))
}

func bytesText(n int64) string {
	if n >= 1<<20 {
		return strconv.FormatInt(n>>20, 10) + " MB"
	}
	return strconv.FormatInt(n, 10) + " bytes"
}

// refusal says why an answer brings no document; nil when it does.
func (a *answer) refusal(u *url.URL) error {
	switch s := a.status; {
	case s == http.StatusOK, a.location != "", a.cached != nil:
		return nil
	case s == 404 || s == 410:
		return refuse(CodeNotFound, "%s has no such page (HTTP %d). Check the address.", u.Host, s)
	case s == 401 || s == 403 || s == 407 || s == 451 || s == 402:
		return refuse(CodeForbidden, "%s does not give this page to us (HTTP %d). Open it in a browser, save it and upload it, or give another source.", u.Host, s)
	case s == 429:
		return refuse(CodeRateLimited, "%s answers too many requests just now (HTTP 429)%s. Try again later.", u.Host, waitText(a.later))
	case s == 503:
		return refuse(CodeServerError, "%s is not available just now (HTTP 503)%s. Try again later.", u.Host, waitText(a.later))
	case s >= 500:
		return refuse(CodeServerError, "%s has a fault of its own (HTTP %d). Try again later.", u.Host, s)
	case s >= 400:
		return refuse(CodeClientError, "%s refused the request (HTTP %d). Check the address.", u.Host, s)
	}
	return refuse(CodeBadAnswer, "%s answered HTTP %d without a page. Check the address.", u.Host, a.status)
}

func waitText(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return fmt.Sprintf(" and asks to wait %d s", int(d.Seconds()))
}

// retryAfter reads seconds or a date; 0 when the server names neither.
func retryAfter(v string, now time.Time) time.Duration {
	if s, err := strconv.Atoi(strings.TrimSpace(v)); err == nil && s >= 0 {
		return time.Duration(min(s, 24*3600)) * time.Second
	}
	if t, err := http.ParseTime(v); err == nil && t.After(now) {
		return t.Sub(now)
	}
	return 0
}

// backoff is how long to wait before the next attempt: what the server asked
// for, or a growing time with jitter. The whole host waits with it.
func (f *Fetcher) backoff(u *url.URL, asked time.Duration, attempt int) time.Duration {
	d := asked
	if d == 0 {
		d = 500 * time.Millisecond << (attempt - 1)
		d += rand.N(d / 2) //nolint:gosec // jitter, not a secret
	}
	if !f.allowed(u) {
		f.manners.push(u.Host, d)
	}
	return d
}

func (f *Fetcher) getRobots(ctx context.Context, u *url.URL) (int, []byte, error) {
	for range f.cfg.Redirects + 1 {
		if err := f.literal(u); err != nil {
			return 0, nil, err
		}
		res, err := f.send(ctx, u, "text/plain,*/*;q=0.5", entry{})
		if err != nil {
			return 0, nil, err
		}
		location := res.Header.Get("Location")
		if res.StatusCode < 300 || res.StatusCode >= 400 || location == "" {
			body, err := io.ReadAll(io.LimitReader(res.Body, robotsBytes))
			res.Body.Close()
			return res.StatusCode, body, err
		}
		res.Body.Close()
		next, err := u.Parse(location)
		if err != nil {
			return http.StatusNotFound, nil, nil
		}
		if u, err = parseURL(next.String()); err != nil {
			return http.StatusNotFound, nil, nil //nolint:nilerr // RFC 9309: a broken redirect counts as a missing file
		}
	}
	return http.StatusNotFound, nil, nil
}

// nameOf is the file name that the server or the address gives.
func nameOf(res *http.Response, u *url.URL) string {
	if _, p, err := mime.ParseMediaType(res.Header.Get("Content-Disposition")); err == nil && p["filename"] != "" {
		return path.Base(p["filename"])
	}
	if base := path.Base(u.Path); base != "/" && base != "." {
		return base
	}
	return u.Host
}

var rxRefresh = regexp.MustCompile(`(?is)<meta[^>]{0,100}http-equiv\s*=\s*["']?refresh["']?[^>]{0,100}content\s*=\s*["']?\s*[0-5]\s*;\s*url\s*=\s*['"]?([^"'>\s]+)`)

// metaRefresh finds the address that a nearly empty page sends browsers on to.
func metaRefresh(a *answer) string {
	if len(a.body) > 4096 {
		return ""
	}
	if m := rxRefresh.FindSubmatch(a.body); m != nil {
		return string(m[1])
	}
	return ""
}
