package encoder

import (
	"container/list"
	"crypto/sha256"
	"slices"
	"sync"
)

// key identifies a text; two texts share one with negligible probability.
type key [16]byte

func keyOf(text string) key {
	sum := sha256.Sum256([]byte(text))
	return key(sum[:16])
}

// cache keeps the vectors used last. It is safe for concurrent use.
type cache struct {
	mu    sync.Mutex
	size  int
	order *list.List // of *entry, the newest in front
	byKey map[key]*list.Element
}

type entry struct {
	key    key
	vector []float32
}

func newCache(size int) *cache {
	return &cache{size: size, order: list.New(), byKey: make(map[key]*list.Element)}
}

// get returns a copy, so that callers may change it, or nil.
func (c *cache) get(k key) []float32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.byKey[k]
	if !ok {
		return nil
	}
	c.order.MoveToFront(element)
	return slices.Clone(element.Value.(*entry).vector)
}

func (c *cache) has(k key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.byKey[k]
	return ok
}

// put keeps vector, which must not change any more.
func (c *cache) put(k key, vector []float32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, ok := c.byKey[k]; ok {
		c.order.MoveToFront(element)
		return
	}
	c.byKey[k] = c.order.PushFront(&entry{key: k, vector: vector})
	if c.order.Len() > c.size {
		oldest := c.order.Back()
		c.order.Remove(oldest)
		delete(c.byKey, oldest.Value.(*entry).key)
	}
}

func (c *cache) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order.Init()
	clear(c.byKey)
}
