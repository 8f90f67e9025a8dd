package parse

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxDepth  = 24      // of nested values
	maxValues = 4096    // of one answer
	maxInput  = 1 << 18 // bytes that are looked at
	maxStarts = 64      // places that are tried
)

// Object finds the JSON object in an answer that has one of the keys, whatever
// stands around it, and mends it: fences, prose, comments, single and curly
// quotes, unquoted keys, missing and trailing commas, line breaks and quotes
// inside texts, Python's True and None. What was cut off is closed and its last,
// incomplete item is left out; cut then is true. Values are map[string]any,
// []any, string, float64, bool and nil.
func Object(s string, keys ...string) (out map[string]any, cut, ok bool) {
	if len(s) > maxInput {
		s = s[:maxInput]
	}
	tries := 0
	for i := 0; i < len(s) && tries < maxStarts; i++ {
		if s[i] != '{' {
			continue
		}
		tries++
		r := &reader{s: s, at: i}
		v, _ := r.value(0)
		m, isMap := v.(map[string]any)
		if !isMap || !hasKey(m, keys) {
			continue
		}
		return m, r.cut, true
	}
	return nil, false, false
}

// Array finds the first JSON array of an answer that holds anything, for models
// that leave the object around it out.
func Array(s string) (out []any, cut, ok bool) {
	if len(s) > maxInput {
		s = s[:maxInput]
	}
	tries := 0
	for i := 0; i < len(s) && tries < maxStarts; i++ {
		if s[i] != '[' {
			continue
		}
		tries++
		r := &reader{s: s, at: i}
		v, _ := r.value(0)
		if a, isArray := v.([]any); isArray && (len(a) > 0 || strings.TrimSpace(s[i+1:r.at]) == "]") {
			return a, r.cut, true
		}
	}
	return nil, false, false
}

func hasKey(m map[string]any, keys []string) bool {
	for _, k := range keys {
		if _, ok := m[k]; ok {
			return true
		}
	}
	return len(keys) == 0
}

// reader reads one value with mercy.
type reader struct {
	s      string
	at     int
	values int
	cut    bool // the text ended inside the value
}

// value reads a value; whole is false when the text ended inside it.
func (r *reader) value(depth int) (v any, whole bool) {
	r.space()
	if r.values++; depth > maxDepth || r.values > maxValues || r.at >= len(r.s) {
		r.cut = true
		return nil, false
	}
	switch c := r.s[r.at]; {
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	}
	if end, n := closing(r.s[r.at:]); n > 0 {
		r.at += n
		return r.text(end)
	}
	return r.word()
}

func (r *reader) object(depth int) (any, bool) {
	r.at++
	out := map[string]any{}
	for {
		r.skip(',', ';')
		if r.at >= len(r.s) {
			r.cut = true
			return out, false
		}
		if r.s[r.at] == '}' {
			r.at++
			return out, true
		}
		if r.s[r.at] == ']' { // closed wrongly
			return out, true
		}
		key, ok := r.key()
		if !ok {
			return out, !r.cut
		}
		v, whole := r.value(depth + 1)
		if whole || keepPart(v) {
			if _, twice := out[key]; !twice {
				out[key] = v
			}
		}
		if !whole {
			return out, false
		}
	}
}

// keepPart says whether a value that was cut off is of use: lists are, for the
// items before.
func keepPart(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return false
}

func (r *reader) key() (string, bool) {
	var key string
	if end, n := closing(r.s[r.at:]); n > 0 {
		r.at += n
		k, whole := r.text(end)
		if !whole {
			return "", false
		}
		key, _ = k.(string)
	} else {
		from := r.at
		for r.at < len(r.s) && (isWord(r.s[r.at]) || r.s[r.at] == '-') {
			r.at++
		}
		key = r.s[from:r.at]
	}
	r.space()
	if r.at >= len(r.s) {
		r.cut = true
		return "", false
	}
	if key == "" || r.s[r.at] != ':' && r.s[r.at] != '=' {
		return "", false
	}
	r.at++
	return key, true
}

func (r *reader) array(depth int) (any, bool) {
	r.at++
	out := []any{}
	for {
		r.skip(',', ';')
		if r.at >= len(r.s) {
			r.cut = true
			return out, false
		}
		switch r.s[r.at] {
		case ']':
			r.at++
			return out, true
		case '}', ':': // closed wrongly
			return out, true
		}
		before := r.at
		v, whole := r.value(depth + 1)
		if !whole {
			return out, false
		}
		if r.at == before {
			return out, true
		}
		out = append(out, v)
	}
}

// text reads a text up to its closing mark. A mark that nothing which may follow
// a text follows belongs to the text.
func (r *reader) text(end string) (any, bool) {
	var b strings.Builder
	for r.at < len(r.s) {
		c := r.s[r.at]
		switch {
		case c == '\\' && r.at+1 < len(r.s):
			r.escape(&b)
		case strings.HasPrefix(r.s[r.at:], end) && r.ends(r.at+len(end)):
			r.at += len(end)
			return b.String(), true
		case c == '\n' || c == '\r' || c == '\t':
			b.WriteByte(' ')
			r.at++
		default:
			b.WriteByte(c)
			r.at++
		}
	}
	r.cut = true
	return b.String(), false
}

// ends says whether a text may end before i.
func (r *reader) ends(i int) bool {
	rest := strings.TrimLeft(r.s[i:], " \t\r\n")
	if rest == "" {
		return true
	}
	switch rest[0] {
	case '}', ']', ':':
		return true
	case ',', ';':
		next := strings.TrimLeft(rest[1:], " \t\r\n")
		if next == "" || strings.ContainsRune("{[}]-0123456789", rune(next[0])) {
			return true
		}
		_, n := closing(next)
		return n > 0 || isWord(next[0])
	}
	// A forgotten comma: the next text begins on another line.
	_, n := closing(rest)
	return n > 0 && strings.ContainsAny(r.s[i:len(r.s)-len(rest)], "\n")
}

func (r *reader) escape(b *strings.Builder) {
	c := r.s[r.at+1]
	r.at += 2
	switch c {
	case 'n', 'r', 't', 'b', 'f':
		b.WriteByte(' ')
	case 'u':
		b.WriteRune(r.unicode())
	default:
		b.WriteByte(c)
	}
}

// unicode reads the digits behind \u, a surrogate pair as one.
func (r *reader) unicode() rune {
	hi, ok := hex4(r.s[r.at:])
	if !ok {
		return utf8.RuneError
	}
	r.at += 4
	if hi < 0xD800 || hi > 0xDFFF {
		return hi
	}
	if strings.HasPrefix(r.s[r.at:], `\u`) {
		if lo, ok := hex4(r.s[r.at+2:]); ok && hi < 0xDC00 && lo >= 0xDC00 && lo <= 0xDFFF {
			r.at += 6
			return (hi-0xD800)<<10 + (lo - 0xDC00) + 0x10000
		}
	}
	return utf8.RuneError
}

func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var v rune
	for i := range 4 {
		d := strings.IndexByte("0123456789abcdef", s[i]|0x20)
		if s[i] <= '9' {
			d = int(s[i]) - '0'
		}
		if d < 0 || d > 15 {
			return 0, false
		}
		v = v<<4 | rune(d)
	}
	return v, true
}

// word reads a number, a literal or an unquoted word.
func (r *reader) word() (any, bool) {
	from := r.at
	for r.at < len(r.s) && !strings.ContainsRune(",;:{}[]\n\"", rune(r.s[r.at])) {
		r.at++
	}
	w := strings.TrimSpace(r.s[from:r.at])
	if r.at >= len(r.s) { // 12 may have been 123
		r.cut = true
		return nil, false
	}
	switch strings.ToLower(w) {
	case "true":
		return true, true
	case "false":
		return false, true
	case "null", "none", "undefined", "nan":
		return nil, true
	}
	if n, ok := number(w); ok {
		return n, true
	}
	return w, true
}

// space passes white space, comments and fences.
func (r *reader) space() {
	for r.at < len(r.s) {
		rest := r.s[r.at:]
		switch {
		case strings.HasPrefix(rest, "//"):
			r.pass("\n")
		case strings.HasPrefix(rest, "/*"):
			r.pass("*/")
		default:
			c, n := utf8.DecodeRuneInString(rest)
			if !unicode.IsSpace(c) && c != '\ufeff' {
				return
			}
			r.at += n
		}
	}
}

func (r *reader) pass(until string) {
	i := strings.Index(r.s[r.at+2:], until)
	if i < 0 {
		r.at = len(r.s)
		return
	}
	r.at += 2 + i + len(until)
}

func (r *reader) skip(marks ...byte) {
	for {
		r.space()
		if r.at >= len(r.s) || strings.IndexByte(string(marks), r.s[r.at]) < 0 {
			return
		}
		r.at++
	}
}

// closing is the mark that ends a text beginning with s, and how long the
// opening one is; 0 when none stands there.
func closing(s string) (string, int) {
	for _, m := range [...][2]string{{`"`, `"`}, {"'", "'"}, {"“", "”"}, {"‘", "’"}, {"„", "“"}, {"`", "`"}} {
		if strings.HasPrefix(s, m[0]) {
			return m[1], len(m[0])
		}
	}
	return "", 0
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
