package fetch

import (
	"container/list"
	"sync"

	"github.com/progrouter/progrouter/research"
)

// entry is an answer that can be asked for again conditionally.
type entry struct {
	url, etag, modified string
	doc                 research.Document
	size                int
}

// cache keeps the latest documents that carry a validator, up to a number of
// text bytes. It lives in memory only: sources themselves are stored by runs.
type cache struct {
	mu    sync.Mutex
	most  int
	size  int
	order *list.List // front is newest
	byURL map[string]*list.Element
}

func newCache(most int) *cache {
	return &cache{most: most, order: list.New(), byURL: map[string]*list.Element{}}
}

func (c *cache) get(url string) (entry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byURL[url]
	if !ok {
		return entry{}, false
	}
	c.order.MoveToFront(e)
	return e.Value.(entry), true
}

func (c *cache) put(e entry) {
	if e.etag == "" && e.modified == "" {
		return
	}
	e.size = len(e.doc.Text) + 512
	for _, l := range e.doc.Links {
		e.size += len(l)
	}
	if e.size > c.most/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.byURL[e.url]; ok {
		c.drop(old)
	}
	c.byURL[e.url] = c.order.PushFront(e)
	c.size += e.size
	for c.size > c.most {
		c.drop(c.order.Back())
	}
}

func (c *cache) drop(el *list.Element) {
	e := c.order.Remove(el).(entry)
	delete(c.byURL, e.url)
	c.size -= e.size
}
