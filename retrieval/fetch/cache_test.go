package fetch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func TestCacheStaysWithinSize(t *testing.T) {
	t.Parallel()
	c := newCache(10_000)
	put := func(url string, n int) {
		c.put(entry{url: url, etag: "x", doc: research.Document{Text: strings.Repeat("a", n)}})
	}
	for i := range 50 {
		put(fmt.Sprint(i), 1000)
		put("kept", 1000)
	}
	if c.size > c.most || c.order.Len() != len(c.byURL) {
		t.Errorf("%d bytes, %d and %d entries", c.size, c.order.Len(), len(c.byURL))
	}
	if _, ok := c.get("kept"); !ok {
		t.Error("the newest entry is gone")
	}
	if _, ok := c.get("0"); ok {
		t.Error("the oldest entry is still there")
	}
	put("huge", 9_000)
	if _, ok := c.get("huge"); ok {
		t.Error("one document took the cache for itself")
	}
	c.put(entry{url: "untagged"})
	if _, ok := c.get("untagged"); ok {
		t.Error("an entry without a validator was kept")
	}
}
