package encoder

import (
	"fmt"
	"strings"
	"sync"
)

// Ids of the control tokens in the vocabulary.
const (
	idUnknown = 100
	idStart   = 101 // [CLS]
	idEnd     = 102 // [SEP]
)

// vocabulary maps word pieces to ids. Its strings point into the asset.
type vocabulary struct {
	first   map[string]int32 // pieces that open a word
	inner   map[string]int32 // pieces that continue one, without their "##"
	longest int              // bytes of the longest piece
	size    int
}

// sharedVocabulary is read once by whoever needs it first, in about 5 ms.
var sharedVocabulary = sync.OnceValues(func() (*vocabulary, error) {
	sections, err := assetSections()
	if err != nil {
		return nil, err
	}
	return newVocabulary(sections["vocab"].data)
})

func newVocabulary(lines string) (*vocabulary, error) {
	size := strings.Count(lines, "\n") + 1
	v := &vocabulary{first: make(map[string]int32, size), inner: make(map[string]int32, size/4)}
	for piece := range strings.SplitSeq(lines, "\n") {
		id := int32(v.size)
		v.size++
		v.longest = max(v.longest, len(piece))
		switch {
		case isControlToken(piece):
			// Text that spells a control token must not become one.
		case len(piece) > 2 && strings.HasPrefix(piece, "##"):
			v.inner[piece[2:]] = id
		default:
			v.first[piece] = id
		}
	}
	if v.size <= idEnd {
		return nil, fmt.Errorf("encoder: the embedded vocabulary has only %d entries: rebuild it with scripts/encoder/build.py", v.size)
	}
	return v, nil
}

func isControlToken(piece string) bool {
	switch piece {
	case "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]":
		return true
	}
	return strings.HasPrefix(piece, "[unused")
}

// encode frames the pieces of text with control tokens, limit ids at most
// (limit ≥ 2); what does not fit is cut off at the end.
func (v *vocabulary) encode(text string, limit int) []int32 {
	ids := make([]int32, 1, min(limit, 2+len(text)/3))
	ids[0] = idStart
	v.tokenize(text, func(id int32) bool {
		if len(ids) < limit-1 {
			ids = append(ids, id)
		}
		return len(ids) < limit-1
	})
	return append(ids, idEnd)
}

// count is the number of pieces of the whole text, without control tokens.
func (v *vocabulary) count(text string) int {
	n := 0
	v.tokenize(text, func(int32) bool { n++; return true })
	return n
}
