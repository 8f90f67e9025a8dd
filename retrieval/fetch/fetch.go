package fetch

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/progrouter/progrouter/research"
)

// Parser turns an answer into a document; extract.Extractor fits.
type Parser interface {
	Parse(ctx context.Context, name, mediaType string, data []byte, base string) (research.Document, *research.Discarded, error)
}

// Config bounds a Fetcher. Zero values take the defaults named.
type Config struct {
	AllowHosts  []string      // exceptions to the guard, exact host:port
	Version     string        // of the program, for the user agent; default "dev"
	MaxBytes    int64         // per document after decompression; default 10 MB
	Timeout     time.Duration // per document, waiting and retries included; default 40 s
	Redirects   int           // default 5
	Concurrency int           // requests at once over all hosts; default 8
	PerHost     int           // requests at once to one host; default 2
	HostGap     time.Duration // between starts of requests to one public host; default 500 ms
	Attempts    int           // per request, when told to come back later; default 3
	CacheBytes  int           // text kept for conditional requests; default 8 MB
	Resolver    *net.Resolver // nil: the system's
	Now         func() time.Time
}

func (c Config) withDefaults() Config {
	set := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	set(&c.Redirects, 5)
	set(&c.Concurrency, 8)
	set(&c.PerHost, 2)
	set(&c.Attempts, 3)
	set(&c.CacheBytes, 8<<20)
	if c.MaxBytes <= 0 {
		c.MaxBytes = 10 << 20
	}
	if c.Timeout <= 0 {
		c.Timeout = 40 * time.Second
	}
	if c.HostGap <= 0 {
		c.HostGap = 500 * time.Millisecond
	}
	if c.Version == "" {
		c.Version = "dev"
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// Fetcher fetches documents. It is safe for concurrent use.
type Fetcher struct {
	cfg     Config
	guard   *Guard
	parser  Parser
	client  *http.Client
	agent   string
	global  slots
	manners *manners
	robots  *robots
	cache   *cache
	wait    func(context.Context, time.Duration) error
}

// New makes a fetcher; the error is a malformed exception in AllowHosts.
func New(cfg Config, parser Parser) (*Fetcher, error) {
	cfg = cfg.withDefaults()
	guard, err := NewGuard(GuardConfig{AllowHosts: cfg.AllowHosts, Resolver: cfg.Resolver})
	if err != nil {
		return nil, err
	}
	f := &Fetcher{
		cfg: cfg, guard: guard, parser: parser, agent: "ProgRouter/" + cfg.Version + " (research agent; obeys robots.txt)",
		client: &http.Client{
			Transport:     guard.transport(),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		global: make(slots, cfg.Concurrency),
		cache:  newCache(cfg.CacheBytes),
		wait:   pause,
	}
	f.manners = &manners{gap: cfg.HostGap, perHost: cfg.PerHost, now: cfg.Now, hosts: map[string]*hostState{}}
	f.manners.wait = func(ctx context.Context, d time.Duration) error { return f.wait(ctx, d) }
	f.robots = &robots{agent: "ProgRouter", now: cfg.Now, get: f.getRobots, sites: map[string]*robotsSite{}}
	return f, nil
}

// Guard is the fetcher's guard, for other clients that must keep to it.
func (f *Fetcher) Guard() *Guard { return f.guard }

// Close drops idle connections.
func (f *Fetcher) Close() { f.client.CloseIdleConnections() }

// Fetch brings one document. A refused or unusable one comes back as Discarded
// with its reason; err is only the context's end, an exhausted energy account
// or a fault of ours. The document's URL is where the last redirect led.
func (f *Fetcher) Fetch(ctx context.Context, rawURL string) (research.Document, *research.Discarded, error) {
	u, err := parseURL(rawURL)
	if err != nil {
		return f.failed(ctx, rawURL, &url.URL{}, err)
	}
	inner, cancel := context.WithTimeout(ctx, f.cfg.Timeout)
	defer cancel()
	got, at, err := f.follow(inner, u)
	if err != nil {
		return f.failed(ctx, rawURL, at, err)
	}
	if got.cached != nil {
		return *got.cached, nil, nil
	}
	doc, no, err := f.parser.Parse(ctx, got.name, got.mediaType, got.body, at.String())
	if err != nil || no != nil {
		return research.Document{}, no, err
	}
	f.cache.put(entry{url: at.String(), etag: got.etag, modified: got.modified, doc: doc})
	return doc, nil, nil
}

// failed sorts an error: ours and the caller's stay errors, the rest is a
// reason to discard.
func (f *Fetcher) failed(ctx context.Context, rawURL string, at *url.URL, err error) (research.Document, *research.Discarded, error) {
	if ctx.Err() != nil {
		return research.Document{}, nil, ctx.Err()
	}
	if errors.Is(err, errRequest) {
		return research.Document{}, nil, err
	}
	return research.Document{}, classify(at, err).discarded(rawURL), nil
}

// follow goes from hop to hop; every hop is checked like a first address.
func (f *Fetcher) follow(ctx context.Context, u *url.URL) (*answer, *url.URL, error) {
	for range f.cfg.Redirects + 1 {
		got, err := f.hop(ctx, u)
		if err != nil {
			return nil, u, err
		}
		if got.location == "" {
			return got, u, nil
		}
		next, err := u.Parse(got.location)
		if got.status == http.StatusOK && (err != nil || next.String() == u.String()) {
			return got, u, nil // a page that only reloads itself
		}
		if err != nil {
			return nil, u, refuse(CodeBadAnswer, "%s redirects to an address that cannot be read. Give another source.", u.Host)
		}
		if u, err = parseURL(next.String()); err != nil {
			return nil, next, err
		}
	}
	return nil, u, refuse(CodeRedirects, "The address redirects more than %d times. Give the final address.", f.cfg.Redirects)
}

// hop asks robots.txt, waits its turn and makes the request.
func (f *Fetcher) hop(ctx context.Context, u *url.URL) (*answer, error) {
	if err := f.literal(u); err != nil {
		return nil, err
	}
	delay, err := f.robots.check(ctx, u)
	if err != nil {
		return nil, err
	}
	var got *answer
	for attempt := 1; ; attempt++ {
		if got, err = f.once(ctx, u, delay); err != nil {
			return nil, err
		}
		if got.later < 0 || attempt >= f.cfg.Attempts {
			return got, got.refusal(u)
		}
		if err := f.wait(ctx, f.backoff(u, got.later, attempt)); err != nil {
			if errors.Is(err, errTooLong) {
				return nil, got.refusal(u)
			}
			return nil, err
		}
	}
}

// literal refuses blocked address literals before anything is asked.
func (f *Fetcher) literal(u *url.URL) error {
	if ap, err := netip.ParseAddrPort(hostPort(u)); err == nil && !f.guard.names[hostPort(u)] {
		return f.guard.check(ap)
	}
	return nil
}

// allowed reports a host that the operator listed: it is not a public site.
func (f *Fetcher) allowed(u *url.URL) bool {
	hp := hostPort(u)
	if f.guard.names[hp] {
		return true
	}
	if ap, err := netip.ParseAddrPort(hp); err == nil {
		return f.guard.addrs[unmapped(ap)]
	}
	return u.Hostname() == "localhost"
}
