package encoder

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWordRunes is the length from which the reference gives up on a word.
const maxWordRunes = 100

// tokenizer splits text as BERT's uncased tokenizer does: control characters
// go, accents go, letters are lower-cased, every punctuation mark and every
// CJK ideograph stands alone, and words are cut greedily into the longest
// pieces of the vocabulary. It works on one rune at a time, so a limit stops
// it early however long the text is.
type tokenizer struct {
	vocab *vocabulary
	emit  func(id int32) bool // false stops
	word  []byte
	runes int // of the current word; counted on when word stops growing
	ids   []int32
	done  bool
}

// tokenize calls emit for every word piece of text until it returns false.
// Control tokens are the caller's.
func (v *vocabulary) tokenize(text string, emit func(id int32) bool) {
	t := tokenizer{vocab: v, emit: emit, word: make([]byte, 0, 64)}
	for i := 0; i < len(text) && !t.done; {
		if c := text[i]; c < utf8.RuneSelf {
			t.ascii(c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		t.rune(r, text[i:i+n])
		i += n
	}
	t.flush()
}

func (t *tokenizer) ascii(c byte) {
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		t.flush()
	case c < ' ' || c == 0x7f:
		// removed: the letters on both sides join
	case 'A' <= c && c <= 'Z':
		t.push(c + 'a' - 'A')
	case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		t.push(c)
	default: // BERT counts all other ASCII as punctuation, also $, + and ^
		t.alone(rune(c))
	}
}

func (t *tokenizer) push(c byte) {
	if t.runes++; t.runes <= maxWordRunes {
		t.word = append(t.word, c)
	}
}

func (t *tokenizer) rune(r rune, encoded string) {
	switch {
	case r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		return
	case unicode.IsSpace(r):
		t.flush()
		return
	case isIdeograph(r):
		t.flush()
		t.decomposed(r, encoded)
		t.flush()
		return
	}
	t.decomposed(r, encoded)
}

// decomposed appends the canonical decomposition (NFD) of r without its
// marks. Marks that are not of class Mn keep the order of the text.
func (t *tokenizer) decomposed(r rune, encoded string) {
	if 0xac00 <= r && r <= 0xd7a3 {
		t.hangul(r)
		return
	}
	parts := norm.NFD.PropertiesString(encoded).Decomposition()
	if parts == nil {
		t.plain(r)
		return
	}
	for len(parts) > 0 {
		p, n := utf8.DecodeRune(parts)
		t.plain(p)
		parts = parts[n:]
	}
}

// hangul decomposes a syllable by arithmetic (Unicode, section 3.12).
func (t *tokenizer) hangul(r rune) {
	s := r - 0xac00
	t.append(0x1100 + s/588)
	t.append(0x1161 + s%588/28)
	if tail := s % 28; tail > 0 {
		t.append(0x11a7 + tail)
	}
}

func (t *tokenizer) plain(r rune) {
	switch {
	case unicode.Is(unicode.Mn, r):
	case r < utf8.RuneSelf:
		t.ascii(byte(r))
	case unicode.IsPunct(r):
		t.alone(r)
	default:
		t.append(unicode.ToLower(r))
	}
}

func (t *tokenizer) append(r rune) {
	if t.runes++; t.runes <= maxWordRunes {
		t.word = utf8.AppendRune(t.word, r)
	}
}

func (t *tokenizer) alone(r rune) {
	t.flush()
	t.append(r)
	t.flush()
}

// flush emits the pieces of the word read so far.
func (t *tokenizer) flush() {
	if t.runes == 0 || t.done {
		return
	}
	t.ids = t.pieces(t.ids[:0])
	t.word, t.runes = t.word[:0], 0
	for _, id := range t.ids {
		if !t.emit(id) {
			t.done = true
			return
		}
	}
}

// pieces cuts the word greedily; a word with an unknown part is one unknown.
func (t *tokenizer) pieces(ids []int32) []int32 {
	if t.runes > maxWordRunes {
		return append(ids, idUnknown)
	}
	table := t.vocab.first
	for start := 0; start < len(t.word); table = t.vocab.inner {
		end := min(len(t.word), start+t.vocab.longest)
		for ; end > start; end-- {
			if id, ok := table[string(t.word[start:end])]; ok {
				ids = append(ids, id)
				break
			}
		}
		if end == start {
			return append(ids[:0], idUnknown)
		}
		start = end
	}
	return ids
}

// isIdeograph reports the blocks that BERT treats as one word per character.
func isIdeograph(r rune) bool {
	switch {
	case r < 0x3400:
		return false
	case r <= 0x4dbf, 0x4e00 <= r && r <= 0x9fff, 0xf900 <= r && r <= 0xfaff:
		return true
	case 0x20000 <= r && r <= 0x2a6df, 0x2a700 <= r && r <= 0x2ceaf, 0x2f800 <= r && r <= 0x2fa1f:
		return true
	}
	return false
}
