package embedded

import (
	"container/list"
	"sync"

	"github.com/progrouter/progrouter/research"
)

// leafBytes is how much memory cut-up texts may take between steps.
const leafBytes = 24 << 20

// leaves remembers the texts cut up lately, the least used forgotten first. A
// run reads its sources once per sub-question.
type leaves struct {
	mu    sync.Mutex
	size  int
	order *list.List // of leafEntry, the last used in front
	by    map[string]*list.Element
}

type leafEntry struct {
	sum  string
	leaf *leaf
}

func newLeaves() *leaves { return &leaves{order: list.New(), by: map[string]*list.Element{}} }

// of returns the source's leaf, made on first use.
func (c *leaves) of(src research.Source) *leaf {
	key := src.SHA256 + src.Title
	c.mu.Lock()
	if el, ok := c.by[key]; ok {
		c.order.MoveToFront(el)
		c.mu.Unlock()
		return el.Value.(leafEntry).leaf
	}
	c.mu.Unlock()
	l := newLeaf(src)
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.by[key]; ok || l.size() > leafBytes/2 {
		return l
	}
	c.by[key] = c.order.PushFront(leafEntry{key, l})
	c.size += l.size()
	for c.size > leafBytes {
		last := c.order.Back()
		e := c.order.Remove(last).(leafEntry)
		delete(c.by, e.sum)
		c.size -= e.leaf.size()
	}
	return l
}
