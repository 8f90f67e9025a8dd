package extract

import (
	"bytes"
	"regexp"
	"sort"
	"strings"
)

// rxHiddenOpen and rxHiddenClose are the tags of elements whose content readers
// never see: programs, style sheets, what stands in for them, and templates.
var (
	rxHiddenOpen  = regexp.MustCompile(`(?i)<(script|style|iframe|noscript|template|noframes|noembed)(?:[\s/](?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^'">])*)?(?:>|$)`)
	rxHiddenClose = regexp.MustCompile(`(?i)</(script|style|iframe|noscript|template|noframes|noembed)(?:[\s/][^<>]*)?(?:>|$)`)
)

// hidden knows where in a Markdown source such elements end, and up to where the
// walk through it is inside one.
type hidden struct {
	closes map[string][]int // name → ends of its closing tags, ascending
	until  int              // everything before this offset is hidden
	at     int              // offset up to which the walk has come
}

func newHidden(source string) *hidden {
	h := &hidden{closes: map[string][]int{}}
	for _, m := range rxHiddenClose.FindAllStringSubmatchIndex(source, -1) {
		name := strings.ToLower(source[m[2]:m[3]])
		h.closes[name] = append(h.closes[name], m[1])
	}
	return h
}

// closeAfter is the end of the first closing tag of an element after an offset.
func (h *hidden) closeAfter(name string, offset int) (int, bool) {
	ends := h.closes[strings.ToLower(name)]
	i := sort.Search(len(ends), func(i int) bool { return ends[i] > offset })
	if i == len(ends) {
		return 0, false
	}
	return ends[i], true
}

// end is where what an opening tag hides ends. One that is never closed hides
// its block, and nothing when it closes itself.
func (h *hidden) end(tag, name string, offset, block int) int {
	end, ok := h.closeAfter(name, offset)
	selfClosed := strings.HasSuffix(tag, "/>")
	switch {
	case ok && (!selfClosed || end <= block):
		return end
	case selfClosed:
		return offset
	}
	return max(offset, block)
}

// inside reports whether the walk is within a hidden element.
func (h *hidden) inside() bool { return h.at < h.until }

// tag takes in a tag that ends at an offset, in a block that ends at another.
func (h *hidden) tag(s string, offset, block int) {
	h.at = max(h.at, offset)
	if offset <= h.until {
		return
	}
	if m := rxHiddenOpen.FindStringSubmatch(s); m != nil {
		h.until = h.end(m[0], m[1], offset, block)
	}
}

// visible is what is seen of source[start:stop].
func (h *hidden) visible(source []byte, start, stop int) []byte {
	h.at = max(h.at, stop)
	if h.until > start {
		start = min(stop, h.until)
	}
	return source[start:stop]
}

// block is what is seen of a block of raw HTML at source[start:stop].
func (h *hidden) block(source []byte, start, stop int) string {
	var b strings.Builder
	comment := start - 1 // offset of the next comment, not before start; stop when there is none
	for start = max(start, h.until); start < stop; start = max(start, h.until) {
		if comment < start {
			if comment = stop; bytes.Contains(source[start:stop], []byte("<!--")) {
				comment = start + bytes.Index(source[start:stop], []byte("<!--"))
			}
		}
		m := rxHiddenOpen.FindSubmatchIndex(source[start:comment])
		switch {
		case m != nil:
			b.Write(source[start : start+m[0]])
			h.until = h.end(string(source[start+m[0]:start+m[1]]), string(source[start+m[2]:start+m[3]]), start+m[1], stop)
			start += m[1]
		case comment < stop:
			b.Write(source[start:comment])
			start = stop
			if end := bytes.Index(source[comment:stop], []byte("-->")); end >= 0 {
				start = comment + end + len("-->")
			}
		default:
			b.Write(source[start:stop])
			start = stop
		}
		b.WriteByte(' ')
	}
	h.at = max(h.at, stop)
	return b.String()
}

// withoutHidden cuts the hidden elements out of a source that reach into one of
// the spans, tags and all.
func withoutHidden(source string, spans [][2]int) string {
	h := newHidden(source)
	var b strings.Builder
	kept, block := 0, 0
	for _, m := range rxHiddenOpen.FindAllStringSubmatchIndex(source, -1) {
		if m[0] < kept {
			continue
		}
		if block < m[1] {
			block = len(source)
			if i := strings.Index(source[m[1]:], "\n\n"); i >= 0 {
				block = m[1] + i
			}
		}
		end := h.end(source[m[0]:m[1]], source[m[2]:m[3]], m[1], block)
		i := sort.Search(len(spans), func(i int) bool { return spans[i][1] > m[0] })
		if i < len(spans) && spans[i][0] < end {
			b.WriteString(source[kept:m[0]] + " ")
			kept = end
		}
	}
	return b.String() + source[kept:]
}
