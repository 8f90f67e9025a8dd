package fetch

import (
	"context"
	"net/url"
	"path"
	"sort"
	"strings"
	"sync"

	"github.com/progrouter/progrouter/research"
)

// Crawl fetches start and, depth links deep, pages of the same site that it
// links to: at most limit documents, nearest first and, at the same distance,
// those below start's folder before others. Documents come in the order in
// which they were found; each document once, whatever addresses lead to it.
func (f *Fetcher) Crawl(ctx context.Context, start string, depth, limit int) ([]research.Document, []research.Discarded, error) {
	c := crawl{fetcher: f, start: start, limit: limit, asked: map[string]bool{}, texts: map[string]bool{}}
	level := []string{start}
	for ; depth >= 0 && len(level) > 0 && len(c.docs) < limit; depth-- {
		next, err := c.level(ctx, level)
		if err != nil {
			return c.docs, c.discarded, err
		}
		level = next
	}
	return c.docs, c.discarded, nil
}

// crawl is the state of one Crawl.
type crawl struct {
	fetcher   *Fetcher
	start     string
	limit     int
	asked     map[string]bool // by normalised URL
	texts     map[string]bool // by hash
	docs      []research.Document
	discarded []research.Discarded
}

// crawlTogether is how many pages of a level are under way at once; the
// fetcher's own limits hold as well.
const crawlTogether = 4

// level fetches urls in small groups, until limit, and returns the next level.
func (c *crawl) level(ctx context.Context, urls []string) ([]string, error) {
	urls = c.fresh(urls)
	var next []string
	for len(urls) > 0 && len(c.docs) < c.limit {
		group := urls[:min(len(urls), crawlTogether, c.limit-len(c.docs))]
		urls = urls[len(group):]
		for _, r := range c.fetch(ctx, group) {
			if r.err != nil {
				return nil, r.err
			}
			next = append(next, c.keep(r)...)
		}
	}
	return next, nil
}

type fetched struct {
	doc research.Document
	no  *research.Discarded
	err error
}

func (c *crawl) fetch(ctx context.Context, group []string) []fetched {
	out := make([]fetched, len(group))
	var wg sync.WaitGroup
	for i, u := range group {
		wg.Go(func() {
			r := &out[i]
			r.doc, r.no, r.err = c.fetcher.Fetch(ctx, u)
		})
	}
	wg.Wait()
	return out
}

// keep stores a result and returns the links worth following. A redirect off
// the site ends there.
func (c *crawl) keep(r fetched) []string {
	if r.no != nil {
		c.discarded = append(c.discarded, *r.no)
		return nil
	}
	c.asked[normalise(r.doc.URL)] = true
	if c.texts[r.doc.SHA256] || len(c.docs) > 0 && !SameSite(c.start, r.doc.URL) {
		return nil
	}
	c.texts[r.doc.SHA256] = true
	c.docs = append(c.docs, r.doc)
	if len(c.docs) == 1 {
		c.start = r.doc.URL // where the first redirect led is the site
	}
	var links []string
	for _, l := range r.doc.Links {
		if SameSite(c.start, l) && readable(l) {
			links = append(links, l)
		}
	}
	return links
}

// fresh drops what was asked for before and puts near pages first.
func (c *crawl) fresh(urls []string) []string {
	var out []string
	for _, u := range urls {
		if n := normalise(u); !c.asked[n] {
			c.asked[n] = true
			out = append(out, u)
		}
	}
	folder := folderOf(c.start)
	sort.SliceStable(out, func(i, j int) bool {
		return strings.HasPrefix(pathOf(out[i]), folder) && !strings.HasPrefix(pathOf(out[j]), folder)
	})
	return out
}

func normalise(raw string) string {
	u, err := parseURL(raw)
	if err != nil {
		return raw
	}
	return u.Host + strings.TrimSuffix(u.EscapedPath(), "/") + "?" + u.RawQuery
}

func pathOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Path
}

func folderOf(raw string) string {
	p := pathOf(raw)
	return p[:strings.LastIndexByte(p, '/')+1]
}

// notPages are endings of files that are never read; asking for them would
// only cost the site and us.
var notPages = map[string]bool{
	".png": true, ".jpg": true, ".jpeg": true, ".gif": true, ".webp": true, ".svg": true, ".ico": true, ".css": true, ".js": true,
	".zip": true, ".gz": true, ".tgz": true, ".xz": true, ".bz2": true, ".7z": true, ".tar": true, ".exe": true, ".dmg": true, ".iso": true,
	".deb": true, ".rpm": true, ".mp3": true, ".mp4": true, ".webm": true, ".ogg": true, ".wav": true, ".woff": true, ".woff2": true, ".ttf": true,
	".docx": true, ".xlsx": true, ".pptx": true, ".epub": true, ".xml": true, ".rss": true, ".atom": true, ".json": true,
}

func readable(raw string) bool { return !notPages[strings.ToLower(path.Ext(pathOf(raw)))] }
